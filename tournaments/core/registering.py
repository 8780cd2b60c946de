"""Registration and check-in: whether they are open, and whether those who are there can be drawn."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from tournaments.core.format import Sizes


class Phase(Enum):
    SOON = "soon"
    OPEN = "open"
    OVER = "over"


def phase_of(begins: datetime | None, ends: datetime | None, now: datetime) -> Phase:
    """Return how far it is. Without a beginning it has begun, without an end it goes on; an end before all ends it."""
    if ends is not None and ends <= now:
        return Phase.OVER
    return Phase.SOON if begins is not None and now < begins else Phase.OPEN


@dataclass(frozen=True, slots=True)
class Fit:
    """How a number of players fits a format.

    `missing`: so many fewer than the least that it is played by. `to_fill`: so many more would fill the last table,
    and `left_over` sit at none without them.
    """

    number: int
    missing: int
    to_fill: int
    left_over: int


def fit_of(number: int, sizes: Sizes, table_size: int) -> Fit:
    left_over = number % table_size
    to_fill = table_size - left_over if left_over else 0
    return Fit(number, max(0, sizes.least - number), to_fill, left_over)
