"""Per-player sums of the standings, and merging those of months into years.

A line is a tuple in the order of SUMS, so that thousands of them merge quickly. Every column can be merged without
loading the hanchan (docs/adr/0028).
"""

from collections.abc import Callable, Iterable, Sequence
from operator import add, itemgetter, sub
from typing import Any, NamedTuple, TypeVar, cast

Line = tuple[Any, ...]
"""The values of SUMS: integers, or None for the extremes of a player without hanchan."""

Part = tuple[int, Line]
"""A part of a period: its chronological index, and the player's line in it."""


class RankingBasis(NamedTuple):
    """The figures that standings are ordered by; points in 1/1000 pt.

    `hanchan`: number of hanchan with details. `total`: all points. `placement_halves`: twice the sum of placements, see
    `halves_of`. The other fields are about hanchan known only as totals. `sums_hanchan`: number of hanchan they
    represent. `sums_unknown`: totals without such a number. `sums_placed`: hanchan with known placements.
    `sums_halves`: twice the sum of those placements. `sums_left_out`: the part of `total` that comes from totals
    without a number.
    """

    hanchan: int
    total: int
    placement_halves: int
    sums_hanchan: int = 0
    sums_unknown: int = 0
    sums_placed: int = 0
    sums_halves: int = 0
    sums_left_out: int = 0

    def plus(self, other: "RankingBasis") -> "RankingBasis":
        return RankingBasis._make(map(add, self, other))

    def minus(self, other: "RankingBasis") -> "RankingBasis":
        return RankingBasis._make(map(sub, self, other))


NO_BASIS = RankingBasis(0, 0, 0)


ADDED = (
    *RankingBasis._fields,
    "sessions",
    "points",
    "settlement",
    "total_only",
    "adjustment",
    "first",
    "second",
    "third",
    "fourth",
    "busts",
    "plus",
    "chombo",
    "chips",
    "raw_sum",
)
"""Columns that are added up. No two parts share a day, so the number of sessions can be added too."""

EARLIER = (
    "earlier_hanchan",
    "earlier_total",
    "earlier_halves",
    "earlier_sums_hanchan",
    "earlier_sums_unknown",
    "earlier_sums_placed",
    "earlier_sums_halves",
    "earlier_sums_left_out",
)
"""The columns of RankingBasis before the last day of play."""

HIGHEST = ("raw_best", "points_best")
LOWEST = ("raw_worst", "points_worst")

SUMS = (*ADDED, *EARLIER, "recent", *HIGHEST, *LOWEST)

SHOWN = 5
"""Number of placements kept in `recent`, one decimal digit each, the latest last."""

EARLIER_COLUMNS = slice(len(ADDED), len(ADDED) + len(EARLIER))
"""Slice of the EARLIER columns in a line."""


def basis_of(line: Line) -> RankingBasis:
    return RankingBasis._make(line[: len(RankingBasis._fields)])


def earlier_of(line: Line) -> RankingBasis:
    return RankingBasis._make(line[EARLIER_COLUMNS])


_RECENT = SUMS.index("recent")
_HIGHEST = SUMS.index(HIGHEST[0])
_LOWEST = SUMS.index(LOWEST[0])


def merged(parts: Iterable[Part], last: int | None) -> Line:
    """Merge a player's parts of a period into one line.

    `last`: index of the part that contains the last day on which anyone played, or None. A part before it counts as
    "earlier" in full; a part after it not at all.
    """
    ordered = sorted(parts, key=itemgetter(0))
    lines = [line for _, line in ordered]
    earlier = [_earlier(line, place, last) for place, line in ordered]
    return (
        *map(sum, zip(*(line[: len(ADDED)] for line in lines), strict=True)),
        *map(sum, zip(*earlier, strict=True)),
        _recent(reversed(lines)),
        *(_extreme(lines, column, max) for column in range(_HIGHEST, _LOWEST)),
        *(_extreme(lines, column, min) for column in range(_LOWEST, len(SUMS))),
    )


def _earlier(line: Line, place: int, last: int | None) -> Line:
    if last is None or place < last:
        return line[: len(EARLIER)]
    return line[EARLIER_COLUMNS] if place == last else (0,) * len(EARLIER)


def _recent(latest_first: Iterable[Line]) -> int:
    digits, shown = 0, 0
    for line in latest_first:
        digits += line[_RECENT] % 10 ** (SHOWN - shown) * 10**shown
        shown = min(SHOWN, shown + line[0])
    return digits


def _extreme(lines: Sequence[Line], column: int, choose: Callable[[list[int]], int]) -> int | None:
    known = [value for line in lines if (value := line[column]) is not None]
    return choose(known) if known else None


Number = TypeVar("Number")
"""An int, or a column expression of a query."""

TWELFTHS = 12
"""Fractions of a place, so that two, three or four players can share it."""


def recent_placements(digits: int) -> tuple[int, ...]:
    """Unpack the recent placements of a line, oldest first: 21341 is (2, 1, 3, 4, 1)."""
    return tuple(int(digit) for digit in str(digits)) if digits else ()


PLACES = ("first", "second", "third", "fourth")
"""Columns and form fields that count the finishes in each place."""

HALVES = "2 * placement + sharing - 1"
"""`halves_of` as SQL, on the columns of a seat."""


def halves_of(placement: Number, sharing: Number) -> Number:
    """Return twice the average of the places covered by a (possibly shared) placement.

    Works on integers and on column expressions.
    """
    doubled: Any = 2 * cast("Any", placement)
    return cast("Number", doubled + sharing - 1)
