"""Ranks over time: who stood where after each step."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from stats.core.charts.lines import LinePlot, line_plot
from stats.core.charts.scales import Scale, ticks

FEW = 12
"""Up to so many ranks each has a line of its own."""


def ranks_over_time(series: Mapping[int, Sequence[int | None]]) -> dict[int, tuple[int | None, ...]]:
    """Return everybody's rank after each step, most points first; equal ones share the better rank.

    `series`: by player the points after each step, None before the player has any: such a player has no rank yet.
    """
    found: dict[int, list[int | None]] = {player: [] for player in series}
    for values in zip(*series.values(), strict=True):
        ordered = sorted(-value for value in values if value is not None)
        for player, value in zip(series, values, strict=True):
            found[player].append(None if value is None else bisect_left(ordered, -value) + 1)
    return {player: tuple(ranks) for player, ranks in found.items()}


def rank_plot(series: Sequence[Sequence[int | None]], height: int, margin: int) -> LinePlot:
    """Return ranks drawn over steps, the first rank on top; ticks and marks have ranks turned about: -1 is the first."""
    turned = [[None if rank is None else -rank for rank in ranks] for ranks in series]
    lowest = min((rank for ranks in turned for rank in ranks if rank is not None), default=-1)
    scale = Scale(min(lowest, -2), -1, height, margin)
    return line_plot(turned, scale, _marked(scale), has_start=False)


def _marked(scale: Scale) -> Sequence[int]:
    if -scale.low <= FEW:
        return range(scale.low, 0)
    return (*(rank for rank in ticks(scale, unit=10)), -1)
