"""Waterfall charts and box plots."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from league.core.numbers import divided
from stats.core.charts.scales import WIDTH, Scale, ScaleMark, scale_for, ticks


@dataclass(frozen=True, slots=True)
class Rise:
    """A step of a waterfall chart, in 1/1000 pt."""

    before: int
    after: int
    left: int
    width: int
    end: int

    @property
    def points(self) -> int:
        return self.after - self.before

    @property
    def is_fall(self) -> bool:
        return self.after < self.before


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Steps of a waterfall from zero to a total, with the positions of zero and of the tick values."""

    rises: tuple[Rise, ...]
    zero: int
    ticks: tuple[ScaleMark, ...]
    total: Rise


def waterfall(gains: Sequence[int]) -> Waterfall:
    sums = [*accumulate(gains, initial=0)]
    scale = scale_for(sums, WIDTH)
    return Waterfall(
        rises=tuple(_rise(before, after, scale) for before, after in pairwise(sums)),
        zero=scale.x(0),
        ticks=tuple(ScaleMark(scale.x(value), value) for value in ticks(scale, 4)),
        total=_rise(0, sums[-1], scale),
    )


def _rise(before: int, after: int, scale: Scale) -> Rise:
    left, right = sorted((scale.x(before), scale.x(after)))
    return Rise(before, after, left, right - left, scale.x(after))


@dataclass(frozen=True, slots=True)
class FiveNumbers:
    """Minimum, quartiles, median, maximum and number of some values."""

    least: int
    lower: int
    median: int
    upper: int
    most: int
    count: int

    @property
    def in_order(self) -> tuple[int, int, int, int, int]:
        return self.least, self.lower, self.median, self.upper, self.most


def five_numbers(values: Sequence[int]) -> FiveNumbers:
    """Return minimum, quartiles, median and maximum of at least one value.

    Quartiles interpolate (Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996, definition 7), rounded to
    whole numbers.
    """
    ordered, last = sorted(values), len(values) - 1

    def at(quarters: int) -> int:
        place, rest = divmod(quarters * last, 4)
        above = ordered[min(place + 1, last)]
        return divided(4 * ordered[place] + rest * (above - ordered[place]), 4)

    return FiveNumbers(at(0), at(1), at(2), at(3), at(4), len(ordered))


@dataclass(frozen=True, slots=True)
class DrawnBox:
    numbers: FiveNumbers
    least: int
    lower: int
    median: int
    upper: int
    most: int

    @property
    def width(self) -> int:
        return self.upper - self.lower


@dataclass(frozen=True, slots=True)
class BoxPlot:
    """Boxes below each other on one scale; `zero`: position of 0 points."""

    boxes: tuple[DrawnBox, ...]
    zero: int
    ticks: tuple[ScaleMark, ...]


def box_plot(groups: Sequence[Sequence[int]]) -> BoxPlot:
    """Return the box plot of groups of values; each group has at least one value."""
    numbers = [five_numbers(values) for values in groups]
    scale = scale_for((value for each in numbers for value in (each.least, each.most)), WIDTH)
    return BoxPlot(
        boxes=tuple(DrawnBox(each, *map(scale.x, each.in_order)) for each in numbers),
        zero=scale.x(0),
        ticks=tuple(ScaleMark(scale.x(value), value) for value in ticks(scale, 4)),
    )
