"""Whether chances were good: what was said of finished stages, held against what came. Estimates: floats.

Players of one stage depend on each other, one goes on because another does not; so the gain over "all are equally likely" is taken
stage by stage, and its range from how the stages differ. Source of the measure: Brier, Verification of Forecasts Expressed in Terms of
Probability, 1950.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import sqrt

Prediction = tuple[float, bool]
"""How likely something was said to be, and whether it came."""

EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
"""Where the bands begin and end: narrow at the ends, where much is said."""

LEAST_STAGES = 8
"""With fewer stages nothing is said of how good the chances are."""

SURE = 1.96
"""So many standard errors make a range that holds the truth in 95 of 100 cases."""


class ChanceVerdict(StrEnum):
    TOO_FEW = "too_few"
    BETTER = "better"
    UNDECIDED = "undecided"
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Band:
    """Chances from `low` to below `high`: how many were said, what they come to together, and how often it came."""

    low: float
    high: float
    count: int
    expected: float
    came: int

    @property
    def margin(self) -> float:
        """How far what came may lie from what is expected in 95 of 100 cases, if the chances are right."""
        mean = self.expected / self.count
        return SURE * sqrt(self.count * mean * (1 - mean))

    @property
    def fits(self) -> bool:
        return abs(self.came - self.expected) <= max(1.0, self.margin)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How good the chances of so many stages were. `gain`: by how much the squared error is less than with all equal."""

    stages: int
    predictions: int
    bands: tuple[Band, ...]
    gain: float
    margin: float

    @property
    def verdict(self) -> ChanceVerdict:
        if self.stages < LEAST_STAGES:
            return ChanceVerdict.TOO_FEW
        if abs(self.gain) <= self.margin:
            return ChanceVerdict.UNDECIDED
        return ChanceVerdict.BETTER if self.gain > 0 else ChanceVerdict.WORSE


def calibration_of(stages: Iterable[Sequence[Prediction]]) -> Calibration:
    judged = [stage for stage in stages if stage]
    everything = [prediction for stage in judged for prediction in stage]
    gains = [_gain(stage) for stage in judged]
    mean = sum(gains) / len(gains) if gains else 0.0
    spread = sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) if len(gains) > 1 else 0.0
    return Calibration(
        stages=len(judged),
        predictions=len(everything),
        bands=tuple(_bands(everything)),
        gain=mean,
        margin=SURE * sqrt(spread / len(gains)) if gains else 0.0,
    )


def _gain(stage: Sequence[Prediction]) -> float:
    """Return by how much the mean squared error was less than with everybody equally likely."""
    equal = sum(came for _, came in stage) / len(stage)
    return sum((equal - came) ** 2 - (likely - came) ** 2 for likely, came in stage) / len(stage)


def _bands(predictions: Sequence[Prediction]) -> Iterable[Band]:
    for low, high in pairwise(EDGES):
        mine = [(likely, came) for likely, came in predictions if low <= likely < high or (likely == high == EDGES[-1])]
        if mine:
            yield Band(low, high, len(mine), sum(likely for likely, _ in mine), sum(came for _, came in mine))
