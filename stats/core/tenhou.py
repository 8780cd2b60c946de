"""The rating of Tenbo's players as Tenhou works it out, in 1/1000 and exact.

R += c · (b + (R̄ - R) / 40): b +30, +10, -10, -30 by placement (three players +30, 0, -30; shared places the mean of what
they cover), R̄ the mean of the table, c = 1 - 0.002 a hanchan played before, but 0.2 at least. Everybody starts at 1500.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

START = 1_500_000
BASES = {3: (30_000, 0, -30_000), 4: (30_000, 10_000, -10_000, -30_000)}
LEAST = 200
"""What a hanchan counts at least, in 1/1000."""


class Placed(NamedTuple):
    """How a player came out of a hanchan."""

    player: int
    placement: int
    sharing: int


def tenhou(tables: Iterable[Sequence[Placed]]) -> dict[int, int]:
    """Return everybody's rating after these hanchan, in order of play."""
    ratings: dict[int, int] = {}
    played: dict[int, int] = {}
    for table in tables:
        together = sum(ratings.get(seat.player, START) for seat in table)
        after = {seat.player: _after(seat, table, ratings.get(seat.player, START), together, played) for seat in table}
        ratings |= after
        for player in after:
            played[player] = played.get(player, 0) + 1
    return ratings


def _after(seat: Placed, table: Sequence[Placed], before: int, together: int, played: dict[int, int]) -> int:
    size, counts = len(table), max(1000 - 2 * played.get(seat.player, 0), LEAST)
    covered = sum(BASES[size][seat.placement - 1 : seat.placement - 1 + seat.sharing])
    change = counts * (40 * size * covered + seat.sharing * (together - size * before))
    unit = 1000 * 40 * size * seat.sharing
    moved = (2 * abs(change) + unit) // (2 * unit)
    return before + (moved if change > 0 else -moved)
