"""Chances of reaching a goal in the last hanchan: exact sums over a model, no random numbers.

Players' strengths give the probability of each order (Plackett-Luce); points by placement come from a bank of real
hanchan. `needs` covers what is certain.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations, pairwise, permutations
from math import comb, exp, sqrt

from scoring.core import FinishedGame, ScoringError, ScoringRules, score
from tournaments.core.needs.case import Case, Gained, Totals, points_of_places, wins_level

DEFAULT_SAMPLES = 20_000
"""Number of simulated endings; the error for a chance of one half is 0.35 %."""

Bank = tuple[tuple[int, ...], ...]
"""Points of real hanchan in 1/1000 pt: one row per hanchan, descending, with a sum of zero."""

TYPICAL = {
    4: (
        (46_300, 29_800, 18_700, 5200),
        (39_400, 27_600, 20_100, 12_900),
        (52_100, 24_500, 17_800, 5600),
        (36_200, 30_900, 21_400, 11_500),
        (43_800, 33_100, 16_300, 6800),
        (41_000, 26_200, 22_700, 10_100),
        (58_600, 21_300, 14_900, 5200),
        (34_700, 28_400, 24_300, 12_600),
        (48_900, 31_500, 20_600, -1000),
        (38_100, 32_700, 17_500, 11_700),
        (44_500, 25_300, 19_900, 10_300),
        (63_200, 23_400, 12_100, 1300),
    ),
    3: (
        (55_200, 36_100, 13_700),
        (48_600, 33_400, 23_000),
        (66_300, 29_500, 9200),
        (43_900, 35_800, 25_300),
        (58_100, 38_700, 8200),
        (71_400, 26_800, 6800),
        (50_500, 31_200, 23_300),
        (61_000, 34_900, 9100),
    ),
}
"""Typical final raw scores by number of players; invented, for leagues without enough results of their own."""


@lru_cache(maxsize=64)
def typical_bank(rules: ScoringRules) -> Bank:
    players, start = rules.players or 4, rules.start_points or 0
    rows = []
    for raw in TYPICAL[players]:
        moved = (start * players - sum(raw)) // players // 100 * 100
        game = FinishedGame(tuple(value + moved for value in raw), as_is=True)
        try:
            points = score(game, rules).ranking
        except ScoringError:
            continue
        rows.append(tuple(sorted(points, reverse=True)))
    return tuple(rows)


def shares_of_places(case: Case, gained: Gained) -> dict[str, float]:
    return _shares(case, gained, sorted(case.others.values()))


def _shares(case: Case, gained: Gained, others: Sequence[int]) -> dict[str, float]:
    totals = {player: case.totals[player] + gained[player][0] for player in case.players}
    ascending = sorted(totals.values())
    return {player: _share(case, player, totals, ascending, others, gained) for player in case.players}


def _share(
    case: Case, player: str, totals: Totals, ascending: Sequence[int], others: Sequence[int], gained: Gained
) -> float:
    own = totals[player]
    ahead = len(ascending) - bisect_right(ascending, own) + len(others) - bisect_right(others, own)
    elsewhere = bisect_right(others, own) - bisect_left(others, own)
    left = case.goal - ahead
    if left <= 0 or left >= bisect_right(ascending, own) - bisect_left(ascending, own) + elsewhere:
        return float(left > 0)
    level = [each for each, total in totals.items() if total == own]
    orders = [
        order
        for order in permutations(level)
        if not any(wins_level(case, lower, upper, gained) for upper, lower in combinations(order, 2))
    ]
    # Tied players at other tables are in random order among them.
    table = len(level)
    ways = sum(
        comb(table, count) * comb(elsewhere, left - count)
        for order in orders
        for count in range(order.index(player) + 1, min(table, left) + 1)
    )
    return ways / comb(table + elsewhere, left) / len(orders)


def chances_of_one(case: Case, bank: Bank, strength: Mapping[str, float]) -> dict[str, float]:
    chances, others = dict.fromkeys(case.players, 0.0), sorted(case.others.values())
    for order in permutations(case.players):
        likely = likelihood(order, strength)
        for row in bank:
            gained = {each: (points,) for each, points in zip(order, row, strict=True)}
            for player, share in _shares(case, gained, others).items():
                chances[player] += likely * share / len(bank)
    return chances


def likelihood(order: Sequence[str], strength: Mapping[str, float]) -> float:
    """Return the probability of an order.

    Each place is drawn among the remaining players in proportion to exp(strength).
    """
    weights = [exp(strength.get(player, 0.0)) for player in order]
    likely = 1.0
    for place in range(len(weights)):
        likely *= weights[place] / sum(weights[place:])
    return likely


def chances_by_places(case: Case, strength: Mapping[str, float]) -> dict[str, float]:
    return chances_of_one(case, (points_of_places(range(1, len(case.players) + 1)),), strength)


Prediction = tuple[float, bool]
"""A predicted probability, and whether the event happened."""

EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
"""Limits of the probability bands, narrower near 0 and 1, where most predictions lie."""

LEAST_STAGES = 8
"""Minimum number of stages for judging the quality of the chances."""

SURE = 1.96
"""Standard errors in a 95 % range."""


class ChanceVerdict(StrEnum):
    TOO_FEW = "too_few"
    BETTER = "better"
    UNDECIDED = "undecided"
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Band:
    """Predictions from `low` to below `high`: their number, their sum, and how many came true."""

    low: float
    high: float
    count: int
    expected: float
    came: int

    @property
    def margin(self) -> float:
        """Half the width of the 95 % range of deviations, assuming the predictions are right."""
        mean = self.expected / self.count
        return SURE * sqrt(self.count * mean * (1 - mean))

    @property
    def fits(self) -> bool:
        return abs(self.came - self.expected) <= max(1.0, self.margin)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Quality of the predictions for several stages.

    `gain`: reduction of the squared error compared with equal chances.
    """

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
    gains = []
    for stage in judged:
        equal = sum(came for _, came in stage) / len(stage)
        gains.append(sum((equal - came) ** 2 - (likely - came) ** 2 for likely, came in stage) / len(stage))
    mean = sum(gains) / len(gains) if gains else 0.0
    spread = sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) if len(gains) > 1 else 0.0
    return Calibration(
        stages=len(judged),
        predictions=len(everything),
        bands=tuple(_bands(everything)),
        gain=mean,
        margin=SURE * sqrt(spread / len(gains)) if gains else 0.0,
    )


def _bands(predictions: Sequence[Prediction]) -> Iterable[Band]:
    for low, high in pairwise(EDGES):
        mine = [(likely, came) for likely, came in predictions if low <= likely < high or (likely == high == EDGES[-1])]
        if mine:
            yield Band(low, high, len(mine), sum(likely for likely, _ in mine), sum(came for _, came in mine))
