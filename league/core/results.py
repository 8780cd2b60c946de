"""Computed columns of seats, in 1/1000 pt, and detection of duplicate results."""

from collections.abc import Hashable, Iterable, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import TypeVar

from scoring.core import FinishedGame, Ledger, Part, ScoringRules, score

Derived = tuple[int, ...]
"""A seat's values in the order of COLUMNS."""

COLUMNS = (
    "placement",
    "sharing",
    "is_bust",
    "points",
    "settlement",
    "base",
    "oka",
    "uma",
    "bust",
    "chip_points",
    "other",
    "total_only",
)

PART_COLUMNS = {
    Part.BASE: "base",
    Part.OKA: "oka",
    Part.UMA: "uma",
    Part.BUST: "bust",
    Part.CHIPS: "chip_points",
    Part.FEES: "other",
    Part.PENALTIES: "other",
    Part.LEFTOVER: "base",
    Part.ROUNDING: "base",
    Part.FLOOR: "base",
    Part.GIVEN: "base",
}

_KEPT_APART = tuple(dict.fromkeys(PART_COLUMNS.values()))


def derived(game: FinishedGame, rules: ScoringRules) -> tuple[Derived, ...]:
    """Score a game and return the computed columns by seat, from the ranking ledger. Raise ScoringError."""
    scored = score(game, rules)
    sums = {column: [0] * game.size for column in _KEPT_APART}
    for part, amounts in scored.parts(Ledger.RANKING).items():
        column = sums[PART_COLUMNS[part]]
        for seat, amount in enumerate(amounts):
            column[seat] += amount
    named = {bust.seat for bust in game.busts}
    busted = [seat in named or rules.is_bust(raw) for seat, raw in enumerate(game.raw)] or [False] * game.size
    order = scored.order
    kept = (sums[column] for column in _KEPT_APART)
    columns = (order.placements, order.sharing, busted, scored.ranking, scored.settlement, *kept, scored.total_only)
    return tuple(zip(*columns, strict=True))


Who = TypeVar("Who", bound=Hashable)
"""A player. Results are compared by player, regardless of seat."""

LENGTH_OF_A_HANCHAN = timedelta(minutes=25)
"""Minimum time between two hanchan of the same four: even a tonpuusen takes this long, a hanchan twice that."""

SAME_EVENING = timedelta(hours=12)
"""Within this time, four equal scores are taken for the same hanchan."""

A_SLIP = 2
"""A typing error changes one player's score and the one that balances it. Two different hanchan of the same four share
two scores about once in ten thousand.
"""


class Likeness(StrEnum):
    """Why a result may be a duplicate: equal, equal except for a typing error, or same round."""

    EQUAL = "equal"
    NEAR = "near"
    ROUND = "round"


def likeness(one: Mapping[Who, int], other: Mapping[Who, int]) -> Likeness | None:
    """Compare two results; None if the players differ, or more scores than a typing error explains."""
    if one.keys() != other.keys():
        return None
    differing = sum(points != other[who] for who, points in one.items())
    if not differing:
        return Likeness.EQUAL
    return Likeness.NEAR if differing <= A_SLIP else None


def likeness_in_time(one: Mapping[Who, int], other: Mapping[Who, int], apart: timedelta) -> Likeness | None:
    """Compare two results, given the time between them; None if they must be two hanchan."""
    found = likeness(one, other)
    within = {Likeness.EQUAL: SAME_EVENING, Likeness.NEAR: LENGTH_OF_A_HANCHAN}
    return found if found is not None and apart < within[found] else None


def most_like(scores: Mapping[Who, int], others: Iterable[Mapping[Who, int]]) -> Likeness | None:
    found = {likeness(scores, other) for other in others}
    return next((each for each in (Likeness.EQUAL, Likeness.NEAR) if each in found), None)
