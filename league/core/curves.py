"""Geometry of the pictures of points over time. Everything is a whole number: points in 1/1000 pt, drawing units.

A picture's y axis points down, as in SVG; its x axis is a fraction of the width so that the page may stretch it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

WIDTH = 1000
"""Drawing units across a picture; the page decides how wide one is."""


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
        return self.margin + _divided(room * (self.high - value), self.high - self.low)


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
    return _divided(WIDTH * number, max(steps, 1))


def running(values: Sequence[int]) -> tuple[int, ...]:
    """Return the cumulative sums of the values."""
    return tuple(accumulate(values))


def thinned(count: int, limit: int) -> tuple[int, ...]:
    """Return the indexes of at most `limit` of `count` things, evenly spread, always with the first and the last."""
    if count <= limit:
        return tuple(range(count))
    return tuple(_divided(number * (count - 1), limit - 1) for number in range(limit))


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


def _divided(amount: int, by: int) -> int:
    """Return the quotient rounded to the nearest whole number; `by` is positive."""
    return (2 * amount + by) // (2 * by)
