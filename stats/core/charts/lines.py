"""Line charts of points and of ranks over time."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

from league.core.numbers import divided, thinned
from stats.core.charts.scales import WIDTH, Scale, ScaleMark, placed, ticks

MAX_STEPS = 240
"""Maximum number of steps drawn; tappable ones are always included."""

MAX_STRIPS = 9
"""Maximum number of tappable strips, so that each is wide enough on a 328-pixel screen."""

LABEL_GAP = 24
"""Minimum distance between the labels at the line ends, so that each can be tapped."""

Values = Sequence[int | None]
"""One value per step; None before the first."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked point of a line: position, step and value."""

    x: int
    y: int
    step: int
    value: int


@dataclass(frozen=True, slots=True)
class Strip:
    """A tappable vertical strip: the steps from `first` to `last`; `at` is the x of `last`."""

    left: int
    width: int
    at: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line: number from 1, path, marks and label position. `last`: None if the line has no value at the end."""

    number: int
    path: str
    marks: tuple[Mark, ...]
    label_y: int

    @property
    def last(self) -> Mark | None:
        return self.marks[-1] if self.marks else None


@dataclass(frozen=True, slots=True)
class LinePlot:
    """Lines over the same steps. `zero`: y of the value 0, if it is on the scale."""

    height: int
    zero: int | None
    ticks: tuple[ScaleMark, ...]
    lines: tuple[DrawnLine, ...]
    strips: tuple[Strip, ...]

    def label_steps(self, limit: int) -> tuple[tuple[int, int], ...]:
        """Return at most `limit` steps to label below the chart, each with its x."""
        steps = [(strip.last, strip.at) for strip in self.strips]
        return tuple(steps[index] for index in thinned(len(steps), limit))


@dataclass(frozen=True, slots=True)
class LinePicture:
    """Lines with their labels. `days`: labels below the chart, each with its x. `names`: labels at the line ends.

    `taps`: links of the strips, in the form the template expects.
    """

    plot: LinePlot
    days: Sequence[tuple[int, date]]
    taps: Sequence[Any]
    names: Sequence[tuple[DrawnLine, object]] = ()


def line_plot(series: Sequence[Values], scale: Scale, marked: Sequence[int], *, has_start: bool = True) -> LinePlot:
    """Return the lines of a chart. All series have the same number of steps, at least one.

    `marked`: values with a horizontal line. `has_start`: the first step is the common start and cannot be tapped.
    """
    steps = len(series[0])
    dots = thinned(steps, MAX_STRIPS + has_start)
    shown = sorted({*thinned(steps, MAX_STEPS), *dots})
    places = {step: _x(step, steps - 1, len(dots)) for step in shown}
    marks = [_marks(values, dots[has_start:], places, scale) for values in series]
    ends = [line[-1].y if line else scale.length for line in marks]
    labels = placed(ends, LABEL_GAP, LABEL_GAP // 2, scale.length - LABEL_GAP // 2)
    return LinePlot(
        height=scale.length,
        zero=scale.y(0) if scale.low <= 0 <= scale.high else None,
        ticks=tuple(ScaleMark(scale.y(value), value) for value in marked),
        lines=tuple(
            DrawnLine(number, path([(places[step], values[step]) for step in shown], scale), line, label)
            for number, (values, line, label) in enumerate(zip(series, marks, labels, strict=True), 1)
        ),
        strips=_strips(dots, [places[dot] for dot in dots], has_start=has_start),
    )


def path(points: Sequence[tuple[int, int | None]], scale: Scale) -> str:
    """Return the SVG path through (x, value) points, with a gap where the value is None."""
    parts: list[str] = []
    is_open = False
    for x, value in points:
        if value is not None:
            parts.append(f"{'L' if is_open else 'M'}{x} {scale.y(value)}")
        is_open = value is not None
    return "".join(parts)


def _x(step: int, last: int, columns: int) -> int:
    if last == 0:
        return WIDTH // 2
    return divided(WIDTH * (2 * step * (columns - 1) + last), 2 * last * columns)


def _marks(values: Values, steps: Sequence[int], places: Mapping[int, int], scale: Scale) -> tuple[Mark, ...]:
    found = ((step, values[step]) for step in steps)
    return tuple(Mark(places[step], scale.y(value), step, value) for step, value in found if value is not None)


def _strips(dots: Sequence[int], places: Sequence[int], *, has_start: bool) -> tuple[Strip, ...]:
    """Return the strips around the dots; borders are halfway between neighbouring dots."""
    middles = [divided(one + other, 2) for one, other in pairwise(places)]
    edges = [0, *middles, WIDTH]
    firsts = [0, *(dot + 1 for dot in dots)]
    drawn = zip(pairwise(edges), places, firsts, dots, strict=False)
    strips = [Strip(left, right - left, at, first, dot) for (left, right), at, first, dot in drawn]
    return tuple(strips[has_start:])


FEW = 12
"""Up to this number of ranks, each rank gets a line."""


def ranks_over_time(series: Mapping[int, Sequence[int | None]]) -> dict[int, tuple[int | None, ...]]:
    """Return every player's rank after each step; tied players share the better rank.

    `series`: points by player after each step, None before the player's first points.
    """
    found: dict[int, list[int | None]] = {player: [] for player in series}
    for values in zip(*series.values(), strict=True):
        ordered = sorted(-value for value in values if value is not None)
        for player, value in zip(series, values, strict=True):
            found[player].append(None if value is None else bisect_left(ordered, -value) + 1)
    return {player: tuple(ranks) for player, ranks in found.items()}


def rank_plot(series: Sequence[Sequence[int | None]], height: int, margin: int) -> LinePlot:
    """Return ranks drawn over steps, first rank on top. Ticks and marks hold negated ranks: -1 is the first."""
    turned = [[None if rank is None else -rank for rank in ranks] for ranks in series]
    lowest = min((rank for ranks in turned for rank in ranks if rank is not None), default=-1)
    scale = Scale(min(lowest, -2), -1, height, margin)
    return line_plot(turned, scale, _marked(scale), has_start=False)


def _marked(scale: Scale) -> Sequence[int]:
    if -scale.low <= FEW:
        return range(scale.low, 0)
    return (*(rank for rank in ticks(scale, unit=10)), -1)
