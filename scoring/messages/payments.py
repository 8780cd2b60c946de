"""Clauses of a rule sheet about payments besides hands: busts, chombo, fines, loans, chips, fees."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from scoring.core import ScoringRules
from scoring.core.ruleset import EVENLY, BustRule, ChomboKind, ChomboRule
from scoring.messages.numbers import amount_text, raw_text, sentences, short_text


def bust(rules: ScoringRules) -> str:
    rule = rules.bust
    assert rule is not None
    ends = {
        "never": _("No bust: play continues below zero."),
        "below_zero": _("Below 0 a player is bust and the game ends. Exactly 0 is not a bust."),
        "zero_or_below": _("At 0 or below a player is bust and the game ends."),
    }[rule.ends]
    riichi = _("A player who declares riichi without enough points is placed last, and the game ends.")
    prize = _prize(rule) if rule.ends != "never" or rule.illegal_riichi else ""
    return sentences(ends, riichi if rule.illegal_riichi else "", prize)


def _prize(rule: BustRule) -> str:
    if not rule.prize:
        return _("No bust prize.")
    if rule.prize_in == "chips":
        text = ngettext(
            "A busted player pays %(prize)s chip.",
            "A busted player pays %(prize)s chips.",
            rule.prize,
        )
    else:
        text = _("A busted player pays %(prize)s.")
    return sentences(text % {"prize": _amount(rule, rule.prize)}, _by_win(rule), _by_draw(rule), _otherwise(rule))


def _amount(rule: BustRule, amount: int) -> str:
    return raw_text(amount) if rule.prize_in == "chips" else amount_text(amount)


def _by_win(rule: BustRule) -> str:
    if rule.win is None:
        return _("On a win, the winner gets it. The rules do not say what several winners get.")
    return {
        "first": _("On a win, the winner gets it; with several winners, the first in turn order."),
        "split": _("On a win, the winner gets it; several winners split it."),
        "each": _("On a win, the winner gets it; several winners get the full prize each."),
    }[rule.win]


def _by_draw(rule: BustRule) -> str:
    if rule.draw_shares is None:
        return _("The rules do not say who gets it on a draw. Set this before it is needed.")
    if rule.draw_shares == EVENLY:
        return _("On a draw, the tenpai players split it evenly.")
    rows = pgettext("between the rows of a table", "; ").join(
        _("%(tenpai)s tenpai: %(shares)s")
        % {"tenpai": tenpai, "shares": " / ".join(_amount(rule, share) for share in shares)}
        for tenpai, shares in rule.draw_shares
    )
    return _("On a draw, the tenpai players split it by placement (%(rows)s).") % {"rows": rows}


def _otherwise(rule: BustRule) -> str:
    if rule.other is None:
        return _("The rules do not say who gets it in other cases. Set this before it is needed.")
    return {
        "none": _("In other cases no prize is paid."),
        "equal_split": _("In other cases the other players split it evenly."),
        "manual": _("In other cases the players at the table decide and enter the shares."),
    }[rule.other]


def chombo(rules: ScoringRules) -> str:
    rule = rules.chombo
    assert rule is not None
    hands = {
        "replay": _("The hand is replayed."),
        "ends_game": _("The game ends."),
    }
    dealers = {
        "stays": _("The dealer keeps the deal."),
        "passes_unless_last": _("The deal passes after the dealer's chombo, except in the last hand."),
    }
    deposits = {
        True: _("That hand's riichi sticks are returned."),
        False: _("That hand's riichi sticks stay on the table."),
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
            return _("A chombo costs no points.")
        case ChomboKind.MANGAN:
            return _("A chombo costs a mangan, paid in sticks, so it is included in the raw scores.")
        case ChomboKind.FLAT_EACH:
            text = _(
                "A chombo costs %(amount)s points to each other player, paid in sticks, so it is included in the raw "
                "scores."
            )
            return text % {"amount": raw_text(rule.amount)}
    facts = {"amount": amount_text(-rule.amount)}
    if rule.ledger == "game":
        return _("Each chombo subtracts %(amount)s from the hanchan.") % facts
    return _("Each chombo subtracts %(amount)s from the total. The hanchan is unchanged.") % facts


def fine(rules: ScoringRules) -> str:
    if rules.fine is None:
        return ""
    text = _("A fine of %(amount)s points stays on the table for the next winner.")
    return text % {"amount": raw_text(rules.fine.amount)}


def loan(rules: ScoringRules) -> str:
    if rules.lend_below_zero is None:
        return ""
    text = _("A player below zero borrows %(amount)s points and continues.")
    return text % {"amount": raw_text(rules.lend_below_zero)}


def chips(rules: ScoringRules) -> str:
    return "" if rules.chips is None else _("Each chip is worth %(value)s.") % {"value": short_text(rules.chips)}


def fees(rules: ScoringRules) -> str:
    if rules.fees is None:
        return ""
    game, top = amount_text(rules.fees.game), amount_text(rules.fees.top)
    return _("Each player pays a fee of %(game)s, 1st place %(top)s more.") % {"game": game, "top": top}
