"""Geometry of the curves of points over time. Everything is a whole number: points in 1/1000 pt, drawing units.

A curve's y axis points down, as in SVG; its x axis is a fraction of the width so that the page may stretch it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from league.core.numbers import divided

WIDTH = 1000
"""Drawing units across a curve; the page decides how wide one is."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values between `low` and `high` to heights; zero always lies between them."""

    low: int
    high: int
    height: int
    margin: int = 0

    def y(self, value: int) -> int:
        """Return how far below the top edge a value lies."""
        room = self.height - 2 * self.margin
        return self.margin + divided(room * (self.high - value), self.high - self.low)


def scale_for(values: Sequence[int], height: int, margin: int = 0) -> Scale:
    """Return the scale on which all values, and zero, fit."""
    low, high = min((0, *values)), max((0, *values))
    return Scale(low, high if high > low else low + 1, height, margin)


def path(values: Sequence[int], scale: Scale) -> str:
    """Return the SVG path of a line through the values, from the left edge to the right."""
    points = (f"{x_of(number, len(values) - 1)} {scale.y(value)}" for number, value in enumerate(values))
    return "M" + "L".join(points)


def x_of(number: int, steps: int) -> int:
    """Return how far right the given step of a line with so many steps lies."""
    return divided(WIDTH * number, max(steps, 1))


_STEPS = (1, 2, 5)


def ticks(scale: Scale, at_most: int = 5) -> tuple[int, ...]:
    """Return round values on the scale, lowest first, zero among them."""
    power = 1000
    while True:
        for step in _STEPS:
            distance = step * power
            lowest, highest = -(-scale.low // distance), scale.high // distance
            if highest - lowest < at_most:
                return tuple(number * distance for number in range(lowest, highest + 1))
        power *= 10
