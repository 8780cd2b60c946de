"""What a player's line of a leaderboard adds up to, and how the lines of a year follow from those of its months.

A line is a tuple in the order of SUMS, so that thousands of them can be merged in a moment. Every column of it can be
merged without looking at the hanchan again: docs/adr/0028.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any

Line = tuple[Any, ...]
"""The values of SUMS: whole numbers, and None where an extreme of no hanchan would be."""

Part = tuple[int, Line]
"""A player's line in one of the parts that a period is divided into, with the part's place in time."""

ADDED = (
    "hanchan",
    "total",
    "placement_halves",
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
"""What adds up. No day lies in two parts, so that even the evenings of play do."""

EARLIER = ("earlier_hanchan", "earlier_total", "earlier_halves")
"""The first three of ADDED, as they were before the last day of play."""

HIGHEST = ("raw_best", "points_best")
LOWEST = ("raw_worst", "points_worst")

SUMS = (*ADDED, *EARLIER, "recent", *HIGHEST, *LOWEST)

SHOWN = 5
"""So many placements are in `recent`, as the digits of a number; the latest is the last digit."""

EARLIER_COLUMNS = slice(len(ADDED), len(ADDED) + len(EARLIER))
"""Where EARLIER stands in a line; the same of now are its first three values."""

_RECENT = SUMS.index("recent")
_HIGHEST = SUMS.index(HIGHEST[0])
_LOWEST = SUMS.index(LOWEST[0])


def merged(parts: Iterable[Part], last: int | None) -> Line:
    """Return what a player's parts of a period are together.

    `last` is the place of the part with the last day of play of anybody, None when nothing was played at all. Parts
    before it are whole before that day, it knows itself what was, and in those after it nothing was.
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
