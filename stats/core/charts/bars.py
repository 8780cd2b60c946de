"""Bars that lead step by step to a total."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from stats.core.charts.scales import WIDTH, Scale, ScaleMark, scale_for, ticks

ROW, BAR = 16, 10
"""How high a step is with its bar in it, where all stand in one picture."""


@dataclass(frozen=True, slots=True)
class Rise:
    """A step of a waterfall: from where to where it goes, `before` and `after` it, in 1/1000 pt."""

    before: int
    after: int
    left: int
    width: int
    end: int
    number: int = 0

    @property
    def top(self) -> int:
        """Where it begins, with the steps below each other in one picture."""
        return self.number * ROW + (ROW - BAR) // 2

    @property
    def foot(self) -> int:
        """Where the stroke at its end reaches down to the next."""
        return self.top + ROW

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
    ticks: tuple[ScaleMark, ...]
    total: Rise

    @property
    def height(self) -> int:
        """How high one picture of all steps is."""
        return ROW * len(self.rises)


def waterfall(gains: Sequence[int], margin: int = 0) -> Waterfall:
    """Return how points come together, step by step."""
    sums = [0]
    for gain in gains:
        sums.append(sums[-1] + gain)
    scale = scale_for(sums, WIDTH, margin)
    return Waterfall(
        rises=tuple(_rise(before, after, scale, number) for number, (before, after) in enumerate(pairwise(sums))),
        zero=scale.x(0),
        ticks=tuple(ScaleMark(scale.x(value), value) for value in ticks(scale, 4)),
        total=_rise(0, sums[-1], scale),
    )


def _rise(before: int, after: int, scale: Scale, number: int = 0) -> Rise:
    left, right = sorted((scale.x(before), scale.x(after)))
    return Rise(before, after, left, right - left, scale.x(after), number)
