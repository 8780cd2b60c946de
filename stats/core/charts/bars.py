"""Bars that lead step by step to a total."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from stats.core.charts.scales import WIDTH, Scale, Tick, scale_for, ticks


@dataclass(frozen=True, slots=True)
class Rise:
    """A step of a waterfall: from where to where it goes, `before` and `after` it, in 1/1000 pt."""

    before: int
    after: int
    left: int
    width: int
    end: int

    @property
    def points(self) -> int:
        """What it brought."""
        return self.after - self.before

    @property
    def is_fall(self) -> bool:
        """Whether it took points away."""
        return self.after < self.before


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Steps one below the other that lead from nothing to a total, and where zero and round values lie."""

    rises: tuple[Rise, ...]
    zero: int
    ticks: tuple[Tick, ...]
    total: Rise


def waterfall(gains: Sequence[int], margin: int = 0) -> Waterfall:
    """Return how points come together, step by step."""
    sums = [0]
    for gain in gains:
        sums.append(sums[-1] + gain)
    scale = scale_for(sums, WIDTH, margin)
    return Waterfall(
        rises=tuple(_rise(before, after, scale) for before, after in pairwise(sums)),
        zero=scale.x(0),
        ticks=tuple(Tick(scale.x(value), value) for value in ticks(scale, 4)),
        total=_rise(0, sums[-1], scale),
    )


def _rise(before: int, after: int, scale: Scale) -> Rise:
    left, right = sorted((scale.x(before), scale.x(after)))
    return Rise(before, after, left, right - left, scale.x(after))
