"""Estimates (floats) from samples. All ranges are 95 % ranges."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import exp, fsum, isqrt, lgamma, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

Z = 1.96
"""Half-width of a 95 % range in standard errors."""

QUANTILE = NormalDist().inv_cdf(0.975)

MEAN_FROM = 5
"""Minimum number of values for the range of a mean."""

ENOUGH_PLAYERS = 8
"""Minimum number of players needed to tell skill from luck."""


class Range(NamedTuple):
    low: float
    high: float


def wilson(count: Fraction | int, total: int) -> Range | None:
    """Return the Wilson score interval of a rate, or None if `total` is 0. `count` may be a fraction."""
    if not total:
        return None
    share, square = float(Fraction(count) / total), Z * Z
    spread = 1 + square / total
    centre = (share + square / (2 * total)) / spread
    half = Z * sqrt(max(0.0, share * (1 - share)) / total + square / (4 * total * total)) / spread
    return Range(max(0.0, centre - half), min(1.0, centre + half))


def mean_margin(count: int, variance: Fraction | None) -> float | None:
    """Return the half-width of the range of a mean (Student's t), or None below MEAN_FROM values.

    `variance` is the population variance.
    """
    if count < MEAN_FROM or variance is None:
        return None
    return t_quantile(count - 1) * sqrt(float(variance) / (count - 1))


def t_quantile(degrees: int) -> float:
    """Return the 97.5 % quantile of Student's t.

    Cornish–Fisher expansion with four terms; accurate to 1/1000 from 4 degrees of freedom.
    """
    z = QUANTILE
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + fsum(term / float(degrees) ** power for power, term in enumerate(terms, start=1))


def root(value: Fraction, digits: int) -> Fraction:
    """Return the square root: exact if it is rational, else rounded half up to `digits` decimals."""
    scale: int = 10**digits
    above, below = isqrt(value.numerator), isqrt(value.denominator)
    if above * above == value.numerator and below * below == value.denominator:
        return Fraction(above, below)
    doubled = isqrt(4 * scale * scale * value.numerator // value.denominator)
    return Fraction((doubled + 1) // 2, scale)


Quotient = tuple[int, int]
"""A number as (dividend, positive divisor). Cheaper to compare than Fraction."""


def percentile(own: Quotient, others: Iterable[Quotient]) -> Fraction | None:
    """Return the share of values below `own` plus half of the equal ones, or None without values.

    `others` includes the player's own value.
    """
    dividend, divisor = own
    apart = [other * divisor - dividend * by for other, by in others]
    below, equal = sum(each < 0 for each in apart), apart.count(0)
    return Fraction(2 * below + equal, 2 * len(apart)) if apart else None


class Sample(NamedTuple):
    values: int
    total: int
    squares: int

    @property
    def mean(self) -> float:
        return self.total / self.values

    @property
    def variance_of_mean(self) -> float:
        """The squared standard error of the mean. Needs at least two values."""
        # Integers until the division, because floats lose precision where sums of squares are large and nearly equal.
        spread = self.values * self.squares - self.total * self.total
        return spread / (self.values * self.values * (self.values - 1))


class Prior(NamedTuple):
    """The distribution of strength in a league: overall mean, variance within a player and between players."""

    mean: float
    within: float
    between: float

    def estimate(self, sample: Sample) -> "Estimate":
        """Return the player's mean shrunk towards the overall mean; the fewer values, the stronger the shrinkage."""
        pull = self.within / self.between
        own = sample.total / sample.values
        value = self.mean + (own - self.mean) * sample.values / (sample.values + pull)
        weight = sample.values + pull
        return Estimate(value, sqrt(self.between * pull / weight), sample.values / weight)


class Estimate(NamedTuple):
    """An estimated mean with its standard error. `weight`: share of the player's own results in the estimate."""

    value: float
    error: float
    weight: float

    @property
    def margin(self) -> float:
        return Z * self.error


def prior_of(samples: Sequence[Sample]) -> Prior | None:
    """Return the distribution of player strength, or None if it is indistinguishable from luck.

    Empirical Bayes by the method of moments. None with fewer than ENOUGH_PLAYERS players, or if the means differ no
    more than by luck. No sample may be empty.
    """
    players, values = len(samples), sum(sample.values for sample in samples)
    if players < ENOUGH_PLAYERS or values <= players:
        return None
    total = sum(sample.total for sample in samples)
    between_players = fsum(sample.total**2 / sample.values for sample in samples)
    apart = between_players - total**2 / values
    within = (sum(sample.squares for sample in samples) - between_players) / (values - players)
    unequal = values - sum(sample.values**2 for sample in samples) / values
    between = (apart - (players - 1) * within) / unequal
    return Prior(total / values, within, between) if between > 0 and within > 0 else None


LEAST_HANCHAN = 20
"""Minimum number of hanchan for a probability."""


def chance_of_pairs(differences: Sample) -> float | None:
    """Return the probability that the true mean of paired differences is above zero (one-sided paired t test).

    None with fewer than LEAST_HANCHAN values or if all differences are equal.
    """
    if differences.values < LEAST_HANCHAN or not (variance := differences.variance_of_mean):
        return None
    return t_probability(differences.mean / sqrt(variance), differences.values - 1)


def chance_apart(own: Sample, theirs: Sample) -> float | None:
    """Return the probability that one true mean is above the other (Welch's t test).

    None with fewer than LEAST_HANCHAN values or without variance. Source: B. L. Welch, Biometrika 34, 1947; degrees of
    freedom by Satterthwaite.
    """
    if min(own.values, theirs.values) < LEAST_HANCHAN:
        return None
    one, other = own.variance_of_mean, theirs.variance_of_mean
    both = one + other
    if not both:
        return None
    freedom = both * both / (one * one / (own.values - 1) + other * other / (theirs.values - 1))
    return t_probability((own.mean - theirs.mean) / sqrt(both), freedom)


def whole_percent(chance: float) -> int:
    """Return a probability in whole percent, between 1 and 99, because an estimate is never certain."""
    return min(99, max(1, round(100 * chance)))


def t_probability(t: float, freedom: float) -> float:
    tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return 1 - tail if t > 0 else tail


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function for x from 0 to 1.

    Evaluates the continued fraction on the side where it converges quickly (NIST Digital Library of Mathematical
    Functions, 8.17.22).
    """
    if x in {0, 1}:
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    return front / _fraction(a, b, x)


_TERMS = 400
"""More terms than the continued fraction ever needs on the side where it is evaluated."""


def _fraction(a: float, b: float, x: float) -> float:
    """Return 1 + d1/(1 + d2/(1 + …)), evaluated from the innermost term outwards."""
    value = 1.0
    for term in range(_TERMS, 0, -1):
        half = term // 2
        if term % 2:
            step = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            step = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        value = 1 + step / value
    return value
