from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from scoring.core import LEDGER_PARTS, HouseRules, Ledger, ScoringRules
from scoring.core.house import said
from scoring.core.rounding import round_to
from scoring.core.ruleset import EVENLY, BustRule, ChomboKind, ChomboRule, LedgerRule
from scoring.messages.clauses import HOUSE_CLAUSES, HOUSE_SECTIONS, RULES
from scoring.messages.labels import parameter_label, part_label
from scoring.messages.numbers import amount_text, in_language, joined, raw_text, sentences, short_text


@dataclass(frozen=True, slots=True)
class Description:
    """One clause: its parameter, a heading, and the sentence."""

    parameter: str
    label: str
    sentence: str

    @property
    def is_of_house(self) -> bool:
        """Whether this is a house rule, which does not affect points."""
        return self.parameter.startswith("house.")


def describe_ruleset(rules: ScoringRules) -> list[Description]:
    """Return the clauses of a rule set in the active language, in the order of a rule sheet.

    Undefined parameters are listed as such. Absent extras (fines, loans, chips, fees) are omitted.
    """
    left_open = {*rules.missing, *rules.unset}
    texts = {key: RULES[key].sentence(None) if key in left_open else clause(rules) for key, clause in _CLAUSES.items()}
    clauses = [Description(name, parameter_label(name), text) for name, text in texts.items() if text]
    return clauses + (_describe_house(rules.house) if rules.house else [])


def _describe_house(house: HouseRules) -> list[Description]:
    values = said(house)
    texts = {
        name: sentences(*(clause.sentence(values[path]) for path, clause in section.rules.items() if path in values))
        for name, section in HOUSE_SECTIONS.items()
    }
    if house.text:
        texts["text"] = in_language(vars(house.text))
    headings = {name: in_language(section.heading) for name, section in HOUSE_SECTIONS.items()}
    return [Description(f"house.{name}", headings[name], text) for name, text in texts.items() if text]


def describe_apart(rules: ScoringRules) -> list[Description]:
    """Return the clauses with each house rule separately, for comparing two rule sets."""
    clauses = describe_ruleset(replace(rules, house=None))
    if rules.house is None:
        return clauses
    values = said(rules.house)
    return clauses + [
        Description(f"house.{path}", in_language(clause.label), clause.sentence(values[path]))
        for path, clause in HOUSE_CLAUSES.items()
        if path in values
    ]


def _plain(name: str) -> Callable[[ScoringRules], str]:
    return lambda rules: RULES[name].sentence(getattr(rules, name))


def _of_base(name: str) -> Callable[[ScoringRules], str]:
    """Return the clause of a parameter that only matters if scores count."""
    return lambda rules: RULES[name].sentence(getattr(rules, name)) if rules.score_basis == "points" else ""


_OKA_NEEDS = ("players", "start_points", "return_points")


def _oka(rules: ScoringRules) -> str:
    if rules.oka is None and rules.score_basis == "points" and {*_OKA_NEEDS} & {*rules.missing}:
        return _("1st place gets players × (return points − start points) ÷ 1,000.")
    if not rules.oka_points:
        return _("No oka.")
    facts = {
        "oka": short_text(rules.oka_points),
        "players": rules.players,
        "start_points": raw_text(rules.start_points or 0),
        "return_points": raw_text(rules.return_points or 0),
    }
    if rules.oka is not None:
        return _("1st place gets %(oka)s.") % facts
    return _("1st place gets %(players)s × (%(return_points)s − %(start_points)s) ÷ 1,000 = %(oka)s.") % facts


def _row(row: tuple[int, ...]) -> str:
    return " / ".join(short_text(points) for points in row)


def _uma(rules: ScoringRules) -> str:
    return "" if rules.uma is None else _("From 1st to last: %(row)s.") % {"row": _row(rules.uma)}


def _uma_floating(rules: ScoringRules) -> str:
    uma = rules.uma_floating
    if uma is None:
        return ""
    rows = pgettext("between the rows of a table", "; ").join(
        _("%(floaters)s: %(row)s") % {"floaters": floaters, "row": _row(row)} for floaters, row in uma.rows
    )
    facts = {"threshold": raw_text(uma.threshold), "rows": rows}
    if uma.inclusive:
        return _("By placement and the number of players with %(threshold)s or more. %(rows)s.") % facts
    return _("By placement and the number of players with more than %(threshold)s. %(rows)s.") % facts


def _tie(rules: ScoringRules) -> str:
    tie = rules.tie
    assert tie is not None
    oka = RULES["tie.oka"].sentence(tie.oka) if rules.oka_points else ""
    return sentences(RULES["tie.rank"].sentence(tie.rank), RULES["tie.uma"].sentence(tie.uma), oka)


def _split(rules: ScoringRules) -> str:
    split = rules.split
    return RULES["split.remainder"].sentence(split.remainder) % {"unit": amount_text(split.unit)} if split else ""


def _rounding(rules: ScoringRules) -> str:
    rounding = rules.rounding
    if rules.score_basis != "points":
        return ""
    if rounding is None:
        return _("No rounding; points keep their decimals.")
    ways = {
        "floor": pgettext("way of rounding", "down"),
        "ceil": pgettext("way of rounding", "up"),
        "trunc": pgettext("way of rounding", "truncated toward zero"),
        "away": pgettext("way of rounding", "away from zero"),
        "half_up": pgettext("way of rounding", "to the nearest, halves up"),
        "half_down": pgettext("way of rounding", "to the nearest, halves down"),
        "half_away": pgettext("way of rounding", "to the nearest, halves away from zero"),
    }
    facts = {"how": ways[rounding.mode], "unit": raw_text(rounding.unit)}
    if rounding.basis == "raw":
        text = _("Raw scores are rounded (unit: %(unit)s pt, %(how)s).") % facts
    else:
        text = _("The difference from the return points is rounded (unit: %(unit)s pt, %(how)s).") % facts
    half = -7 * rounding.unit // 2
    rounded = round_to(half, rounding.unit, rounding.mode, rounding.basis)
    below = _("%(half)s becomes %(rounded)s.") % {"half": raw_text(half), "rounded": raw_text(rounded)}
    absorbs = _("All but 1st place are rounded; 1st place absorbs the rounding.")
    return sentences(text, below if "half" in rounding.mode else "", absorbs if rounding.top_absorbs else "")


def _ledgers(rules: ScoringRules) -> str:
    if rules.ledgers is None:
        return _("Ranking and settlement points are the same.")
    held = dict(rules.ledgers)
    return sentences(
        _("Ranking points include %(parts)s.") % {"parts": _parts(held[Ledger.RANKING])},
        _("The settlement includes %(parts)s.") % {"parts": _parts(held[Ledger.SETTLEMENT])},
        _rounded(held) if rules.rounding is not None else "",
    )


def _parts(rule: LedgerRule) -> str:
    return joined(part_label(part) for part in LEDGER_PARTS if part in rule.parts) or _("nothing")


def _rounded(held: Mapping[Ledger, LedgerRule]) -> str:
    return {
        (True, True): _("Both are rounded."),
        (True, False): _("Only ranking points are rounded."),
        (False, True): _("Only the settlement is rounded."),
        (False, False): _("Neither is rounded."),
    }[held[Ledger.RANKING].rounded, held[Ledger.SETTLEMENT].rounded]


def _bust(rules: ScoringRules) -> str:
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
        text = ngettext("A busted player pays %(prize)s chip.", "A busted player pays %(prize)s chips.", rule.prize)
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


def _chombo(rules: ScoringRules) -> str:
    rule = rules.chombo
    assert rule is not None
    answers = {"hand": rule.hand, "dealer": rule.dealer, "deposits_back": rule.deposits_back}
    return sentences(_price(rule), *(RULES[f"chombo.{name}"].sentence(answer) for name, answer in answers.items()))


def _price(rule: ChomboRule) -> str:
    if rule.kind is ChomboKind.TOTAL:
        return RULES["chombo.ledger"].sentence(rule.ledger) % {"amount": amount_text(-rule.amount)}
    return RULES["chombo.kind"].sentence(rule.kind) % {"amount": raw_text(rule.amount)}


def _chips(rules: ScoringRules) -> str:
    return "" if rules.chips is None else _("Each chip is worth %(value)s.") % {"value": short_text(rules.chips)}


def _fees(rules: ScoringRules) -> str:
    if rules.fees is None:
        return ""
    game, top = amount_text(rules.fees.game), amount_text(rules.fees.top)
    return _("Each player pays a fee of %(game)s, 1st place %(top)s more.") % {"game": game, "top": top}


_CLAUSES: Mapping[str, Callable[[ScoringRules], str]] = {
    "players": _plain("players"),
    "start_points": _plain("start_points"),
    "return_points": _of_base("return_points"),
    "score_basis": _plain("score_basis"),
    "oka": _oka,
    "uma": _uma,
    "uma_floating": _uma_floating,
    "tie": _tie,
    "split": _split,
    "rounding": _rounding,
    "leftover": _plain("leftover"),
    "below_zero_floor": _of_base("below_zero_floor"),
    "bust": _bust,
    "chombo": _chombo,
    "fine": lambda rules: RULES["fine"].sentence(rules.fine and rules.fine.amount),
    "lend_below_zero": _plain("lend_below_zero"),
    "chips": _chips,
    "fees": _fees,
    "ledgers": _ledgers,
}
