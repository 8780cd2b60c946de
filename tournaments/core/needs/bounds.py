"""Between what the points of a hanchan lie, for one player and for all of a table together."""

from dataclasses import dataclass
from functools import lru_cache
from math import inf

from scoring.core import ScoringRules
from scoring.core.ruleset import Leftover
from tournaments.core.needs.margins import counts_scores
from tournaments.core.needs.patterns import finishes

_KEPT = frozenset({Leftover.TOP, Leftover.SPLIT_TOPS, Leftover.TOP_AFTER_RANK_POINTS})
"""Where sticks that are left on the table go to somebody of it."""


@dataclass(frozen=True, slots=True)
class PointsOfAHanchan:
    """What a hanchan brings a player, and a table, at least and at most (1/1000 pt); infinite where nothing bounds it."""

    low: float
    high: float
    lowest_sum: float
    highest_sum: float


@lru_cache(maxsize=64)
def points_of_a_hanchan(rules: ScoringRules) -> PointsOfAHanchan:
    """Return the bounds of what a hanchan of four scores that add up brings; fouls, chips and prizes are left out."""
    worth = [finish.bonus for finish in finishes(rules)]
    sums = [sum(bonus) for bonus in worth]
    if not counts_scores(rules):
        flat = [points for bonus in worth for points in bonus]
        return PointsOfAHanchan(min(flat), max(flat), min(sums), max(sums))
    players, rounding = rules.players or 4, rules.rounding
    base = players * ((rules.start_points or 0) - (rules.return_points or 0))
    # Where the top takes what rounding leaves the table keeps its sum.
    room = 0 if rounding is None or rounding.top_absorbs else players * rounding.unit
    lowest = base + min(sums) - room if rules.leftover in _KEPT else -inf
    return PointsOfAHanchan(-inf, inf, lowest, base + max(sums) + room)
