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
    """Return what is believed of the players of a table after a hanchan, and the scale c by which it was expected.

    Both sequences go from the first placement to the last; equal placements are shared.
    """
    count = len(beliefs)
    scale = sqrt(sum([sigma * sigma + BETA_SQUARED for _, sigma in beliefs]))
    cubed = scale**3
    strengths = [exp(mu / scale) for mu, _ in beliefs]
    left = sum(strengths)
    # Of all groups of equal placements so far: what 1/left and 1/left² add up to, left without those that came before.
    inverse = inverse_squared = 0.0
    after: list[Belief] = []
    first = 0
    while first < count:
        end = first + 1
        while end < count and placements[end] == placements[first]:
            end += 1
        inverse += 1 / left
        inverse_squared += 1 / (left * left)
        for place in range(first, end):
            mu, sigma = beliefs[place]
            strength = strengths[place]
            variance = sigma * sigma
            move = (1 / (end - first) - strength * inverse) * variance / scale
            shrink = (strength * inverse - strength * strength * inverse_squared) * variance * sigma / cubed
            after.append((mu + move, sigma * sqrt(max(1 - shrink, LEAST_SHARE))))
        left = sum(strengths[end:])
        first = end
    return after, scale
