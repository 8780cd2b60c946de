"""Clauses of a rule sheet about payments besides hands: busts, chombo, fines, loans, chips, fees."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from scoring.core import ScoringRules
from scoring.core.ruleset import EVENLY, BustRule, ChomboKind, ChomboRule
from scoring.messages.clauses import RULES
from scoring.messages.numbers import amount_text, raw_text, sentences, short_text


def bust(rules: ScoringRules) -> str:
    rule = rules.bust
    assert rule is not None
    ends = RULES["bust.ends"].sentence(rule.ends)
    riichi = RULES["bust.illegal_riichi"].sentence(rule.illegal_riichi) if rule.illegal_riichi else ""
    prize = _prize(rule) if rule.ends != "never" or rule.illegal_riichi else ""
    return sentences(ends, riichi, prize)


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
    by_win, otherwise = RULES["bust.win"].sentence(rule.win), RULES["bust.other"].sentence(rule.other)
    return sentences(text % {"prize": _amount(rule, rule.prize)}, by_win, _by_draw(rule), otherwise)


def _amount(rule: BustRule, amount: int) -> str:
    return raw_text(amount) if rule.prize_in == "chips" else amount_text(amount)


def _by_draw(rule: BustRule) -> str:
    if not rule.draw_shares:
        return RULES["bust.draw_shares"].sentence("equal_split" if rule.draw_shares == EVENLY else None)
    rows = pgettext("between the rows of a table", "; ").join(
        _("%(tenpai)s tenpai: %(shares)s")
        % {"tenpai": tenpai, "shares": " / ".join(_amount(rule, share) for share in shares)}
        for tenpai, shares in rule.draw_shares
    )
    return _("On a draw, the tenpai players split it by placement (%(rows)s).") % {"rows": rows}


def chombo(rules: ScoringRules) -> str:
    rule = rules.chombo
    assert rule is not None
    answers = {"hand": rule.hand, "dealer": rule.dealer, "deposits_back": rule.deposits_back}
    return sentences(_price(rule), *(RULES[f"chombo.{name}"].sentence(answer) for name, answer in answers.items()))


def _price(rule: ChomboRule) -> str:
    if rule.kind is ChomboKind.TOTAL:
        return RULES["chombo.ledger"].sentence(rule.ledger) % {"amount": amount_text(-rule.amount)}
    return RULES["chombo.kind"].sentence(rule.kind) % {"amount": raw_text(rule.amount)}


def fine(rules: ScoringRules) -> str:
    return RULES["fine"].sentence(rules.fine and rules.fine.amount)


def chips(rules: ScoringRules) -> str:
    return "" if rules.chips is None else _("Each chip is worth %(value)s.") % {"value": short_text(rules.chips)}


def fees(rules: ScoringRules) -> str:
    if rules.fees is None:
        return ""
    game, top = amount_text(rules.fees.game), amount_text(rules.fees.top)
    return _("Each player pays a fee of %(game)s, 1st place %(top)s more.") % {"game": game, "top": top}
