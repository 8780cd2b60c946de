"""What makes a story of a month: who came back from how far, and how the first of a board got there. Points are 1/1000 pt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stats.core.charts.lines import line_plot
from stats.core.charts.scales import scale_for

HEIGHT, MARGIN = 240, 12
"""Drawing units of the race; its width is that of all line pictures."""


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


@dataclass(frozen=True, slots=True)
class StoryRace:
    """How totals went, step by step: the path of each, and where zero is."""

    paths: tuple[str, ...]
    zero: int
    height: int = HEIGHT


def race_of(curves: Sequence[Sequence[int]]) -> StoryRace | None:
    """Return the lines of a race on one scale; None where there is nothing to draw. Each begins at zero."""
    if not any(curves):
        return None
    scale = scale_for([value for curve in curves for value in curve], HEIGHT, MARGIN)
    plot = line_plot([(0, *curve) for curve in curves], scale, ())
    return StoryRace(tuple(line.path for line in plot.lines), scale.y(0))


def most_played(games: Mapping[tuple[int, int], int]) -> tuple[tuple[int, int], int] | None:
    """Return the two who met most often, and how often; None where nobody met. Of equals, the smaller keys."""
    if not games:
        return None
    pair = min(games, key=lambda each: (-games[each], each))
    return pair, games[pair]
