"""What makes a story of a month or a year. Points are in 1/1000 pt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comeback:
    """Whoever came back furthest: from `low`, below zero, to a total above it."""

    player: int
    low: int
    total: int


def best_comeback(curves: Mapping[int, Sequence[int]]) -> Comeback | None:
    """Return who rose furthest from below zero to above it; None where nobody did. Of equals, the smaller key.

    `curves`: totals by player, step by step, the last one what the player ended with.
    """
    ended = [Comeback(player, min(curve), curve[-1]) for player, curve in sorted(curves.items()) if curve]
    back = [each for each in ended if each.low < 0 < each.total]
    return max(back, key=lambda each: each.total - each.low, default=None)


def most_played(games: Mapping[tuple[int, int], int]) -> tuple[tuple[int, int], int] | None:
    """Return the two who met most often, and how often; None where nobody met. Of equals, the smaller keys."""
    if not games:
        return None
    pair = min(games, key=lambda each: (-games[each], each))
    return pair, games[pair]
