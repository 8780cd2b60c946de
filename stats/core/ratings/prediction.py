"""How well ratings predict hanchan, by log-likelihood.

The ratings before a hanchan give each finishing order a probability p (Plackett-Luce). The gain over "all equal" is
ln(p · n!). Hanchan with shared placements are skipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import factorial, log, sqrt

from stats.core.ratings.skill import left_at

UNIT = 100_000
"""Gains are stored as integers in 1/100,000 nat, so that sums are exact in any order."""

TENHOU_SCALE = {3: 900_000, 4: 800_000}
"""R difference (1/1000) that corresponds to a strength difference of 1 in Plackett-Luce.

At this difference no change of R is expected: 40 times the mean base change (15 per unit of strength among equals),
divided by the share of the difference from the table's mean (two of three, three of four).
"""

ORDERS = {players: factorial(players) for players in TENHOU_SCALE}
"""Number of possible finishing orders."""

MIN_JUDGED = 100
"""Minimum number of predicted hanchan for a statement."""

SURE = 1.96
"""Half-width of a 95 % range in standard errors."""


def likelihood(strengths: Sequence[float]) -> float:
    """Return the probability of a finishing order (Plackett-Luce). `strengths` from first to last placement."""
    likely = 1.0
    for strength, left in zip(strengths, left_at(strengths), strict=True):
        likely *= strength / left
    return likely


def gain(likely: float, players: int) -> int:
    """Return the gain of a prediction over chance, in 1/100,000 nat."""
    return round(UNIT * log(likely * ORDERS[players]))


class PredictionVerdict(StrEnum):
    TOO_FEW = "too_few"
    BETTER = "better"
    UNDECIDED = "undecided"
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Judged:
    """A rating's predictions. `total`: sum of gains; `squares`: sum of squared gains."""

    hanchan: int = 0
    total: int = 0
    squares: int = 0

    @property
    def mean(self) -> float:
        return self.total / self.hanchan / UNIT

    @property
    def margin(self) -> float:
        """Half-width of the 95 % range of the mean gain, in nat."""
        spread = self.squares / self.hanchan - (self.total / self.hanchan) ** 2
        return SURE * sqrt(max(spread, 0) / (self.hanchan - 1)) / UNIT

    @property
    def verdict(self) -> PredictionVerdict:
        if self.hanchan < MIN_JUDGED:
            return PredictionVerdict.TOO_FEW
        if abs(self.mean) <= self.margin:
            return PredictionVerdict.UNDECIDED
        return PredictionVerdict.BETTER if self.mean > 0 else PredictionVerdict.WORSE
