"""Where a value lies in a picture, and which round values are written beside it."""

from collections.abc import Iterable
from dataclasses import dataclass

from league.core.numbers import divided

WIDTH = 1000
"""Drawing units across a picture; the page decides how wide one is."""

LABEL_ABOVE = 4
"""So far above its line the label of a value stands."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values between `low` and `high` to `length` units, but for a margin at both ends."""

    low: int
    high: int
    length: int
    margin: int = 0

    def y(self, value: int) -> int:
        """Return how far below the top edge a value lies; the highest is at the top."""
        return self.margin + divided(self._room * (self.high - value), self.high - self.low)

    def x(self, value: int) -> int:
        """Return how far right of the left edge a value lies; the lowest is at the left."""
        return self.margin + divided(self._room * (value - self.low), self.high - self.low)

    @property
    def _room(self) -> int:
        return self.length - 2 * self.margin


@dataclass(frozen=True, slots=True)
class ScaleMark:
    """A line across a picture, or down it: where it is and the value it stands for."""

    at: int
    value: int

    @property
    def label_y(self) -> int:
        """Where its label stands: just above the line."""
        return self.at - LABEL_ABOVE


def scale_for(values: Iterable[int], length: int, margin: int = 0) -> Scale:
    """Return the scale on which all values, and zero, fit."""
    values = (0, *values)
    low, high = min(values), max(values)
    return Scale(low, high if high > low else low + 1, length, margin)


_STEPS = (1, 2, 5)


def ticks(scale: Scale, at_most: int = 5, unit: int = 1000) -> tuple[int, ...]:
    """Return round values on the scale, lowest first, zero among them where it is on the scale. `unit`: the finest step."""
    power = unit
    while True:
        for step in _STEPS:
            distance = step * power
            lowest, highest = -(-scale.low // distance), scale.high // distance
            if highest - lowest < at_most:
                return tuple(number * distance for number in range(lowest, highest + 1))
        power *= 10
