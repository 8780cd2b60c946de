"""Whether one player is really better than another, or was only luckier: estimates, and said to be such.

Points are in 1/1000 pt. What comes out are probabilities, so these are the few floats of this core.
"""

from math import exp, lgamma, log, sqrt

from stats.core.estimates import Sample

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
    """Return how likely the true average of one sample is above that of another, whose variance may differ: Welch's test.

    None with too few hanchan, and where there is no variance. Source: B. L. Welch, Biometrika 34, 1947; the degrees of
    freedom are Satterthwaite's.
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
    """Return the probability that Student's t with so many degrees of freedom lies below `t`."""
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
