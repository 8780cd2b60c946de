"""Estimates (floats) from samples. All ranges are 95 % ranges."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import exp, fsum, isqrt, lgamma, log, sqrt
from statistics import NormalDist
from typing import NamedTuple

Z = 1.96
"""Standard errors to either side of a 95 % range."""

QUANTILE = NormalDist().inv_cdf(0.975)

MEAN_FROM = 5
"""Fewer values than this, and no range of their mean is given."""

ENOUGH_PLAYERS = 8
"""Fewer players than this do not tell skill from luck."""


class Range(NamedTuple):
    low: float
    high: float


def wilson(count: Fraction | int, total: int) -> Range | None:
    """Return the range of a rate, by Wilson; `count` may be a fraction. None when there was nothing to count."""
    if not total:
        return None
    share, square = float(Fraction(count) / total), Z * Z
    spread = 1 + square / total
    centre = (share + square / (2 * total)) / spread
    half = Z * sqrt(max(0.0, share * (1 - share)) / total + square / (4 * total * total)) / spread
    return Range(max(0.0, centre - half), min(1.0, centre + half))


def mean_margin(count: int, variance: Fraction | None) -> float | None:
    """Return the half-width of the range of a mean, by Student's t; `variance` divided by n. None below five values."""
    if count < MEAN_FROM or variance is None:
        return None
    return t_quantile(count - 1) * sqrt(float(variance) / (count - 1))


def t_quantile(degrees: int) -> float:
    """Return the 97.5 % point of Student's t, by the Cornish–Fisher expansion with four terms; from 4 degrees good to 1/1000."""
    z = QUANTILE
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + fsum(term / float(degrees) ** power for power, term in enumerate(terms, start=1))


def root(value: Fraction, digits: int) -> Fraction:
    """Return a square root rounded half up to `digits` decimals; exact if rational."""
    scale: int = 10**digits
    above, below = isqrt(value.numerator), isqrt(value.denominator)
    if above * above == value.numerator and below * below == value.denominator:
        return Fraction(above, below)
    doubled = isqrt(4 * scale * scale * value.numerator // value.denominator)
    return Fraction((doubled + 1) // 2, scale)


Quotient = tuple[int, int]
"""A number as dividend and divisor, which is positive: thousands of them are compared."""


def percentile(own: Quotient, others: Iterable[Quotient]) -> Fraction | None:
    """Return the share of values below one's own plus half of the equal ones (oneself included), None without values."""
    dividend, divisor = own
    apart = [other * divisor - dividend * by for other, by in others]
    below, equal = sum(each < 0 for each in apart), apart.count(0)
    return Fraction(2 * below + equal, 2 * len(apart)) if apart else None


# --- Strength --------------------------------------------------------------------------------------------------------


class Sample(NamedTuple):
    values: int
    total: int
    squares: int

    @property
    def mean(self) -> float:
        return self.total / self.values

    @property
    def variance_of_mean(self) -> float:
        """By how much, squared, the average would differ from one such sample to the next. Needs two numbers."""
        # Whole numbers until the division: nothing is lost where sums of squares are large and nearly equal.
        spread = self.values * self.squares - self.total * self.total
        return spread / (self.values * self.values * (self.values - 1))


class Prior(NamedTuple):
    """How strong players of a league are: the mean of all values, the variance within a player and between players."""

    mean: float
    within: float
    between: float

    def estimate(self, sample: Sample) -> "Estimate":
        """Return a player's mean drawn towards that of all, the more so the fewer values there are."""
        pull = self.within / self.between
        own = sample.total / sample.values
        value = self.mean + (own - self.mean) * sample.values / (sample.values + pull)
        return Estimate(
            value, sqrt(self.between * pull / (sample.values + pull)), sample.values / (sample.values + pull)
        )


class Estimate(NamedTuple):
    """An estimated mean with its standard error. `weight`: how much of it is the player's own results, the rest the league's."""

    value: float
    error: float
    weight: float

    @property
    def margin(self) -> float:
        return Z * self.error


def prior_of(samples: Sequence[Sample]) -> Prior | None:
    """Return the spread of player strength (empirical Bayes from moments), None if indistinguishable from luck.

    That is with fewer than eight players, or if means differ no more than by luck. No sample may be empty.
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
"""With fewer hanchan than this nothing is said."""


def chance_of_pairs(differences: Sample) -> float | None:
    """Return how likely the true average of differences at the same tables is above zero: the paired t test, one-sided.

    None with too few hanchan, and where all differences are the same.
    """
    if differences.values < LEAST_HANCHAN or not (variance := differences.variance_of_mean):
        return None
    return t_probability(differences.mean / sqrt(variance), differences.values - 1)


def chance_apart(own: Sample, theirs: Sample) -> float | None:
    """Return the probability that one true average is above the other, None with too few hanchan or no variance.

    Source: B. L. Welch, Biometrika 34, 1947; degrees of freedom by Satterthwaite.
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
    """Return a probability in whole percent; nothing here is certain, so never 0 or 100."""
    return min(99, max(1, round(100 * chance)))


# --- Student's t -----------------------------------------------------------------------------------------------------


def t_probability(t: float, freedom: float) -> float:
    tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return 1 - tail if t > 0 else tail


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function of x from 0 to 1.

    By its continued fraction, on the side on which that converges quickly (NIST Digital Library of Mathematical
    Functions, 8.17.22).
    """
    if x in {0, 1}:
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    return front / _fraction(a, b, x)


_TERMS = 400
"""More than the fraction ever needs on the side on which it is asked."""


def _fraction(a: float, b: float, x: float) -> float:
    """Return 1 + d1/(1 + d2/(1 + …)), from the innermost term outwards."""
    value = 1.0
    for term in range(_TERMS, 0, -1):
        half = term // 2
        if term % 2:
            step = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            step = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        value = 1 + step / value
    return value
