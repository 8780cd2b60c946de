"""Chart scales and non-overlapping label placement."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from league.core.numbers import divided

WIDTH = 1000
"""Width of a picture in drawing units; CSS decides the displayed width."""

LABEL_ABOVE = 4
"""Distance of a label above its line."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values between `low` and `high` to `length` units, minus a margin at both ends."""

    low: int
    high: int
    length: int
    margin: int = 0

    def y(self, value: int) -> int:
        return self.margin + divided(self._room * (self.high - value), self.high - self.low)

    def x(self, value: int) -> int:
        return self.margin + divided(self._room * (value - self.low), self.high - self.low)

    @property
    def _room(self) -> int:
        return self.length - 2 * self.margin


@dataclass(frozen=True, slots=True)
class ScaleMark:
    """A line across or down a chart: position and value."""

    at: int
    value: int

    @property
    def label_y(self) -> int:
        return self.at - LABEL_ABOVE


def scale_for(values: Iterable[int], length: int, margin: int = 0) -> Scale:
    values = (0, *values)
    low, high = min(values), max(values)
    return Scale(low, high if high > low else low + 1, length, margin)


_STEPS = (1, 2, 5)


def ticks(scale: Scale, at_most: int = 5, unit: int = 1000) -> tuple[int, ...]:
    """Return round values on the scale, lowest first, with 0 if it is on the scale. `unit`: the finest step."""
    power = unit
    while True:
        for step in _STEPS:
            distance = step * power
            lowest, highest = -(-scale.low // distance), scale.high // distance
            if highest - lowest < at_most:
                return tuple(number * distance for number in range(lowest, highest + 1))
        power *= 10


@dataclass(slots=True)
class _Stack:
    """A block of touching labels: their number, and the sum of the positions wanted for the first."""

    count: int
    wanted: int

    def top(self, gap: int, lowest: int, highest: int) -> int:
        """Return the position of the first label, so that all stay between the edges."""
        return max(lowest, min(divided(self.wanted, self.count), highest - gap * (self.count - 1)))


def placed(wanted: Sequence[int], gap: int, lowest: int, highest: int) -> tuple[int, ...]:
    """Return label positions at least `gap` apart, in order, closest to the wanted ones (least squares).

    Positions stay between `lowest` and `highest`. Without room for all they start at `lowest`.
    """
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    stacks: list[_Stack] = []
    for index in order:
        stacks.append(_Stack(1, wanted[index]))
        while len(stacks) > 1 and _touch(stacks[-2], stacks[-1], gap, lowest, highest):
            below = stacks.pop()
            stacks[-1].wanted += below.wanted - gap * stacks[-1].count * below.count
            stacks[-1].count += below.count
    heights = (stack.top(gap, lowest, highest) + gap * number for stack in stacks for number in range(stack.count))
    found = dict(zip(order, heights, strict=True))
    return tuple(found[index] for index in range(len(wanted)))


def _touch(above: _Stack, below: _Stack, gap: int, lowest: int, highest: int) -> bool:
    return above.top(gap, lowest, highest) + gap * above.count > below.top(gap, lowest, highest)
