"""The clauses of a rule sheet about payments outside the hands: busts, chombo, fines, loans, chips, fees."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from scoring.core import ScoringRules
from scoring.core.ruleset import EVENLY, BustRule, ChomboKind, ChomboRule
from scoring.messages.numbers import amount_text, raw_text, sentences, short_text


def bust(rules: ScoringRules) -> str:
    rule = rules.bust
    assert rule is not None
    ends = {
        "never": _("Nobody is bust; play goes on below zero."),
        "below_zero": _("A player below 0 is bust and the game ends; exactly 0 plays on."),
        "zero_or_below": _("A player at 0 or below is bust and the game ends."),
    }[rule.ends]
    riichi = _("Whoever declares riichi without the points for it is placed last, and the game ends.")
    prize = _prize(rule) if rule.ends != "never" or rule.illegal_riichi else ""
    return sentences(ends, riichi if rule.illegal_riichi else "", prize)


def _prize(rule: BustRule) -> str:
    if not rule.prize:
        return _("There is no bust prize.")
    if rule.prize_in == "chips":
        text = ngettext(
            "A busted player pays a prize of %(prize)s chip.",
            "A busted player pays a prize of %(prize)s chips.",
            rule.prize,
        )
    else:
        text = _("A busted player pays a prize of %(prize)s.")
    return sentences(text % {"prize": _amount(rule, rule.prize)}, _by_win(rule), _by_draw(rule), _otherwise(rule))


def _amount(rule: BustRule, amount: int) -> str:
    return raw_text(amount) if rule.prize_in == "chips" else amount_text(amount)


def _by_win(rule: BustRule) -> str:
    if rule.win is None:
        return _("By a win it goes to the winner. The rule text does not say what several winners get.")
    return {
        "first": _("By a win it goes to the winner; of several winners to the first in turn."),
        "split": _("By a win it goes to the winner; several winners share it."),
        "each": _("By a win it goes to the winner; several winners get it once each."),
    }[rule.win]


def _by_draw(rule: BustRule) -> str:
    if rule.draw_shares is None:
        return _("The rule text does not say who gets it by a draw; set it before that happens.")
    if rule.draw_shares == EVENLY:
        return _("By a draw the tenpai players share it evenly.")
    rows = pgettext("between the rows of a table", "; ").join(
        _("%(tenpai)s tenpai: %(shares)s")
        % {"tenpai": tenpai, "shares": " / ".join(_amount(rule, share) for share in shares)}
        for tenpai, shares in rule.draw_shares
    )
    return _("By a draw the tenpai players share it by placement (%(rows)s).") % {"rows": rows}


def _otherwise(rule: BustRule) -> str:
    if rule.other is None:
        return _("The rule text does not say who gets it by anything else; set it before that happens.")
    return {
        "none": _("By anything else no prize is paid."),
        "equal_split": _("By anything else the other players share it evenly."),
        "manual": _("By anything else the table enters who gets it."),
    }[rule.other]


def chombo(rules: ScoringRules) -> str:
    rule = rules.chombo
    assert rule is not None
    hands = {
        "replay": _("The hand is played again."),
        "ends_game": _("The game ends with it."),
    }
    dealers = {
        "stays": _("The deal does not move."),
        "passes_unless_last": _("The dealer's chombo passes the deal, except in the last hand."),
    }
    deposits = {
        True: _("Riichi sticks of that hand go back."),
        False: _("Riichi sticks of that hand stay on the table."),
    }
    return sentences(
        _price(rule),
        hands[rule.hand] if rule.hand else "",
        dealers[rule.dealer] if rule.dealer else "",
        deposits[rule.deposits_back] if rule.deposits_back is not None else "",
    )


def _price(rule: ChomboRule) -> str:
    match rule.kind:
        case ChomboKind.NONE:
            return _("A chombo takes no points.")
        case ChomboKind.MANGAN:
            return _("A chombo costs a mangan, paid in sticks: it is in the raw scores already.")
        case ChomboKind.FLAT_EACH:
            text = _(
                "A chombo costs %(amount)s points to each of the others, in sticks: it is in the raw scores already."
            )
            return text % {"amount": raw_text(rule.amount)}
    facts = {"amount": amount_text(-rule.amount)}
    if rule.ledger == "game":
        return _("Each chombo takes %(amount)s off the hanchan.") % facts
    return _("Each chombo takes %(amount)s off the total; the hanchan itself stays as it is.") % facts


def fine(rules: ScoringRules) -> str:
    if rules.fine is None:
        return ""
    text = _("A fine of %(amount)s points stays on the table for the next winner.")
    return text % {"amount": raw_text(rules.fine.amount)}


def loan(rules: ScoringRules) -> str:
    if rules.lend_below_zero is None:
        return ""
    text = _("A player below zero borrows %(amount)s points and plays on.")
    return text % {"amount": raw_text(rules.lend_below_zero)}


def chips(rules: ScoringRules) -> str:
    return "" if rules.chips is None else _("Each chip is worth %(value)s.") % {"value": short_text(rules.chips)}


def fees(rules: ScoringRules) -> str:
    if rules.fees is None:
        return ""
    game, top = amount_text(rules.fees.game), amount_text(rules.fees.top)
    return _("Each player leaves %(game)s, the top %(top)s more.") % {"game": game, "top": top}
