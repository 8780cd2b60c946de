from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from scoring.core import LEDGER_PARTS, HouseRules, Ledger, ScoringRules
from scoring.core.house import said
from scoring.core.ruleset import LedgerRule, TieRule
from scoring.messages.house import CLAUSES as HOUSE_CLAUSES
from scoring.messages.house import SECTIONS as HOUSE_SECTIONS
from scoring.messages.labels import parameter_label, part_label
from scoring.messages.numbers import amount_text, in_language, joined, raw_text, sentences, short_text
from scoring.messages.payments import bust, chips, chombo, fees, fine, loan


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
    left_open = {name: text for name, text in _open().items() if name in (*rules.missing, *rules.unset)}
    texts = {name: left_open.get(name) or clause(rules) for name, clause in _CLAUSES.items()}
    clauses = [Description(name, parameter_label(name), text) for name, text in texts.items() if text]
    return clauses + (describe_house(rules.house) if rules.house else [])


def describe_house(house: HouseRules) -> list[Description]:
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


def _open() -> Mapping[str, str]:
    return {
        "players": _("The rules do not define the number of players. Set it before the first hanchan is scored."),
        "start_points": _("The rules do not define the start points. Set them before the first hanchan is scored."),
        "return_points": _("The rules do not define the return points. Set them before the first hanchan is scored."),
        "uma": _("The rules do not define the points per placement. Set them before the first hanchan is scored."),
        "tie": _("The rules do not say how ties are scored. Set this before a hanchan with a tie."),
        "split": _("The rules do not say who gets an indivisible remainder. Set this before a tie leaves one."),
        "leftover": _("The rules do not say who gets leftover riichi sticks. Set this before a hanchan ends with one."),
        "bust": _("The rules do not say when a player is bust. Until this is set, there are no busts and no prizes."),
        "chombo": _("The rules do not define a chombo penalty. Set it before a chombo is recorded."),
    }


def _players(rules: ScoringRules) -> str:
    return _("%(players)s players per table.") % {"players": rules.players}


def _start_points(rules: ScoringRules) -> str:
    return _("Players start with %(points)s points.") % {"points": raw_text(rules.start_points or 0)}


def _return_points(rules: ScoringRules) -> str:
    if rules.score_basis != "points":
        return ""
    text = _("The base is (raw score − %(points)s) ÷ 1,000.")
    return text % {"points": raw_text(rules.return_points or 0)}


def _score_basis(rules: ScoringRules) -> str:
    if rules.score_basis == "placement":
        return _("Only placement counts. Raw scores only decide placements.")
    return _("Score and placement both count.")


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
    ranks = {
        "seat": _("Tied players are placed by seat, closest to the first dealer first."),
        "shared": _("Tied players share the placement, and the next one is skipped."),
    }
    umas = {
        "seat": _("Uma goes by seat, closest to the first dealer first."),
        "split": _("Tied players share the uma of their placements."),
    }
    return sentences(ranks[tie.rank], umas[tie.uma], _tied_oka(rules, tie))


def _tied_oka(rules: ScoringRules, tie: TieRule) -> str:
    if not rules.oka_points:
        return ""
    okas = {
        "seat": _("Oka goes to the tied player closest to the first dealer."),
        "split": _("Players tied for 1st share the oka."),
    }
    return okas[tie.oka]


def _split(rules: ScoringRules) -> str:
    split = rules.split
    if split is None:
        return ""
    texts = {
        "one_each_nearest": _("Remainders are given out in steps of %(unit)s, closest to the first dealer first."),
        "all_nearest": _("Shares are multiples of %(unit)s; the seat closest to the first dealer gets the remainder."),
        "seat_order_if_indivisible": _(
            "Shares are multiples of %(unit)s; if that is not possible, points are not split but go by seat."
        ),
    }
    return texts[split.remainder] % {"unit": amount_text(split.unit)}


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
    absorbs = _("All but 1st place are rounded; 1st place absorbs the rounding.")
    return sentences(text, absorbs if rounding.top_absorbs else "")


def _leftover(rules: ScoringRules) -> str:
    assert rules.leftover is not None
    return {
        "top": _("1st place gets them. Placements do not change."),
        "split_tops": _(
            "1st place gets them; players tied for 1st share them, with leftover hundreds going to those closest "
            "to the first dealer."
        ),
        "top_after_rank_points": _("1st place gets them after uma; if tied, the player closest to the first dealer."),
        "void": _("No one gets them, so the hanchan adds up to less than zero."),
        "returned": _("They go back to the players who placed them."),
    }[rules.leftover]


def _below_zero_floor(rules: ScoringRules) -> str:
    if rules.score_basis != "points":
        return ""
    if rules.below_zero_floor is None:
        return _("Scores below zero count in full.")
    text = _(
        "For 2nd place and below, any score under %(points)s counts as %(points)s. The difference is "
        "deducted from 1st place."
    )
    return text % {"points": raw_text(rules.below_zero_floor)}


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


_CLAUSES: Mapping[str, Callable[[ScoringRules], str]] = {
    "players": _players,
    "start_points": _start_points,
    "return_points": _return_points,
    "score_basis": _score_basis,
    "oka": _oka,
    "uma": _uma,
    "uma_floating": _uma_floating,
    "tie": _tie,
    "split": _split,
    "rounding": _rounding,
    "leftover": _leftover,
    "below_zero_floor": _below_zero_floor,
    "bust": bust,
    "chombo": chombo,
    "fine": fine,
    "lend_below_zero": loan,
    "chips": chips,
    "fees": fees,
    "ledgers": _ledgers,
}
