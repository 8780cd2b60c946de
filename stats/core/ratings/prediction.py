"""How well ratings predict hanchan, by log likelihood.

The ratings before a hanchan give each order a probability p (Plackett-Luce). The gain over "all equal" is ln(p · n!).
Hanchan with shared placements are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import factorial, log, sqrt

from stats.core.ratings.skill import left_at

UNIT = 100_000
"""Gains are kept as whole numbers of 1/100,000, so that sums are exact in any order."""

TENHOU_SCALE = {3: 900_000, 4: 800_000}
"""R differences (1/1000) per unit of Plackett-Luce.

There the rating expects no change: 40 times the mean worth of a placement (15 for one of strength among equals),
divided by the share of the difference from the table's mean (two of three, three of four).
"""

ORDERS = {players: factorial(players) for players in TENHOU_SCALE}
"""How many orders there are."""

MIN_JUDGED = 100
"""With fewer hanchan nothing is said."""

SURE = 1.96
"""Standard errors of a 95 % range."""


def likelihood(strengths: Sequence[float]) -> float:
    """Return how likely the order of these players was; their strengths as they count in Plackett-Luce."""
    likely = 1.0
    for strength, left in zip(strengths, left_at(strengths), strict=True):
        likely *= strength / left
    return likely


def gain(likely: float, players: int) -> int:
    """Return the gain over chance of a prediction, in 1/100,000 nat."""
    return round(UNIT * log(likely * ORDERS[players]))


class PredictionVerdict(StrEnum):
    TOO_FEW = "too_few"
    BETTER = "better"
    UNDECIDED = "undecided"
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Judged:
    """A rating's predictions. `total`: sum of gains, `squares`: of their squares."""

    hanchan: int = 0
    total: int = 0
    squares: int = 0

    @property
    def mean(self) -> float:
        return self.total / self.hanchan / UNIT

    @property
    def margin(self) -> float:
        """Half the width of the range that holds the true mean in 95 of 100 cases, in nat."""
        spread = self.squares / self.hanchan - (self.total / self.hanchan) ** 2
        return SURE * sqrt(max(spread, 0) / (self.hanchan - 1)) / UNIT

    @property
    def verdict(self) -> PredictionVerdict:
        if self.hanchan < MIN_JUDGED:
            return PredictionVerdict.TOO_FEW
        if abs(self.mean) <= self.margin:
            return PredictionVerdict.UNDECIDED
        return PredictionVerdict.BETTER if self.mean > 0 else PredictionVerdict.WORSE
