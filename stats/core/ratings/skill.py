"""A rating with uncertainty: Plackett-Luce by Weng and Lin, adapted to the luck of mahjong.

Weng, Lin: A Bayesian Approximation Method for Online Ranking, 2011, algorithm 4. Shared placements are equal ranks. β
is four times the usual value; with lower values predictions are worse than chance. There is no τ, so uncertainty never
grows with play.
"""

from collections.abc import Sequence
from math import exp, sqrt

MU = 25.0
SIGMA = MU / 3
BETA_SQUARED = (4 * MU / 6) ** 2
LEAST_SHARE = 0.0001
"""Minimum share of the variance that an update leaves."""

CAUTION = 2
"""Standard deviations subtracted for the displayed rating."""

SCALE, SHOWN_START = 24_000, 1_500_000
"""Displayed points per unit of μ, and the displayed rating of a new player, in 1/1000."""

MIN_HANCHAN = 10
"""Below this number of hanchan a rating is marked as provisional."""

Belief = tuple[float, float]
"""μ and σ of a player."""

NEW: Belief = (MU, SIGMA)


def shown(mu: float, sigma: float) -> int:
    """Return the displayed rating in 1/1000: a cautious estimate, 1500 for new players."""
    return SHOWN_START + round(SCALE * (mu - CAUTION * sigma - (MU - CAUTION * SIGMA)))


def updated(beliefs: Sequence[Belief], placements: Sequence[int]) -> tuple[list[Belief], float]:
    """Return the players' updated beliefs after a hanchan, and the likelihood of its finishing order beforehand.

    Both sequences in order of placement. With shared placements the likelihood is meaningless.
    """
    squared = 0.0
    for _, sigma in beliefs:
        squared += sigma * sigma + BETA_SQUARED
    scale = sqrt(squared)
    cubed = scale * squared
    strengths = [exp(mu / scale) for mu, _ in beliefs]
    lefts = left_at(strengths)
    likely = 1.0
    # Running sums of 1/left and 1/left² over the placements so far; `left` excludes better-placed players.
    inverse = inverse_squared = part = 0.0
    last = 0
    after: list[Belief] = []
    for (mu, sigma), placement, strength, left in zip(beliefs, placements, strengths, lefts, strict=True):
        likely *= strength / left
        if placement != last:
            last = placement
            inverse += 1 / left
            inverse_squared += 1 / (left * left)
            part = 1 / placements.count(placement)
        variance = sigma * sigma
        share = strength * inverse
        kept = 1 - (share - strength * strength * inverse_squared) * variance * sigma / cubed
        after.append((mu + (part - share) * variance / scale, sigma * sqrt(max(LEAST_SHARE, kept))))
    return after, likely


def left_at(strengths: Sequence[float]) -> list[float]:
    left = 0.0
    lefts = []
    for strength in reversed(strengths):
        left += strength
        lefts.append(left)
    lefts.reverse()
    return lefts
