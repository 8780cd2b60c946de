"""A rating that knows how sure it is: Plackett-Luce by Weng and Lin, with the luck that mahjong needs. An estimate: floats.

Weng, Lin: A Bayesian Approximation Method for Online Ranking, 2011, algorithm 4. Shared placements are equal ranks.
β is four times what the method takes by default: with less the prediction is worse than none at all. There is no τ: nobody becomes less sure by playing.
"""

from collections.abc import Sequence
from math import exp, sqrt

MU = 25.0
SIGMA = MU / 3
BETA_SQUARED = (4 * MU / 6) ** 2
LEAST_SHARE = 0.0001
"""At least this part of the variance stays, whatever happened."""

CAUTION = 2
"""So many deviations are taken off before a skill is shown."""

SCALE, SHOWN_START = 24_000, 1_500_000
"""What one of μ is shown as, and what a new player has, in 1/1000."""

MIN_HANCHAN = 10
"""With fewer the rating says little, and is marked so."""

Belief = tuple[float, float]
"""μ and σ of a player."""

NEW: Belief = (MU, SIGMA)


def shown(mu: float, sigma: float) -> int:
    """Return the rating as it is shown, in 1/1000: careful, and 1500 for who is new."""
    return SHOWN_START + round(SCALE * (mu - CAUTION * sigma - (MU - CAUTION * SIGMA)))


def updated(beliefs: Sequence[Belief], placements: Sequence[int]) -> tuple[list[Belief], float]:
    """Return what is believed of the players of a table after a hanchan, and how likely their order was taken before.

    Both sequences go from the first placement to the last; equal placements are shared, and then the likelihood says nothing.
    """
    squared = 0.0
    for _, sigma in beliefs:
        squared += sigma * sigma + BETA_SQUARED
    scale = sqrt(squared)
    cubed = scale * squared
    strengths = [exp(mu / scale) for mu, _ in beliefs]
    lefts = left_at(strengths)
    likely = 1.0
    # Of all placements so far: what 1/left and 1/left² add up to, left without those that came before.
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
