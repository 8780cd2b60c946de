"""What makes a story of an evening or a month, in names as everybody reads them. Points are in 1/1000 pt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outstanding:
    """The hanchan in which somebody took the most points; `raw` where it is known."""

    name: str
    round: int
    points: int
    raw: int | None


@dataclass(frozen=True, slots=True)
class RankShift:
    """Somebody whose rank on a board is another than before the evening."""

    name: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class EveningFacts:
    """An evening that is over: who came `first`, with how many points, after how many hanchan, and what else to tell."""

    first: tuple[str, ...]
    points: int
    hanchan: int
    best: Outstanding | None = None
    changes: tuple[RankShift, ...] = ()


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
