from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core import estimates


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        pytest.param(5, 20, 11.2, 46.9, id="a quarter of twenty"),
        pytest.param(0, 10, 0.0, 27.8, id="none of ten"),
        pytest.param(10, 10, 72.2, 100.0, id="all of ten"),
        pytest.param(Fraction(7, 2), 20, 6.6, 38.9, id="three and a half of twenty"),
    ],
)
def test_interval_of_a_rate_matches_published_ones(count: Fraction | int, total: int, low: float, high: float) -> None:
    found = estimates.wilson(count, total)
    assert found is not None
    assert [round(100 * end, 1) for end in found] == [low, high]


@pytest.mark.parametrize(("degrees", "exact"), [(4, 2.7764), (9, 2.2622), (29, 2.0452), (1000, 1.9623)])
def test_student_t_quantile_matches_published_tables(degrees: int, exact: float) -> None:
    assert estimates.t_quantile(degrees) == pytest.approx(exact, abs=1e-3)
    assert round(estimates.t_quantile(4), 4) == 2.7756


def test_confidence_interval_of_a_mean_uses_student_t() -> None:
    assert estimates.mean_margin(5, Fraction(2)) == pytest.approx(estimates.t_quantile(4) * sqrt(0.5))


@pytest.mark.parametrize(("count", "variance"), [(4, Fraction(2)), (0, None), (9, None)])
def test_few_values_have_no_confidence_interval(count: int, variance: Fraction | None) -> None:
    assert estimates.mean_margin(count, variance) is None
    assert estimates.wilson(0, 0) is None


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        pytest.param(Fraction(9, 4), 3, Fraction(3, 2), id="exact"),
        pytest.param(Fraction(2), 3, Fraction(1414, 1000), id="down"),
        pytest.param(Fraction(3), 3, Fraction(1732, 1000), id="near"),
        pytest.param(Fraction(8), 2, Fraction(283, 100), id="up"),
        pytest.param(Fraction(0), 3, Fraction(0), id="nothing"),
    ],
)
def test_square_root_is_exact_or_rounded(value: Fraction, digits: int, expected: Fraction) -> None:
    assert estimates.root(value, digits) == expected


def test_percentile_counts_lower_values_and_half_of_equal_ones() -> None:
    values = [(1, 4), (1, 2), (2, 4), (3, 4)]
    assert estimates.percentile((1, 2), values) == Fraction(1 + Fraction(2, 2), 4)
    assert estimates.percentile((3, 4), values) == Fraction(7, 8)
    assert estimates.percentile((1, 2), []) is None


def sample(*values: int) -> estimates.Sample:
    return estimates.Sample(len(values), sum(values), sum(value * value for value in values))


ALIKE = [sample(1, 2, 3, 4) for _ in range(8)]
APART = [sample(1, 1, 1, 2), sample(1, 1, 2, 1), *[sample(1, 2, 3, 4)] * 4, sample(4, 4, 4, 3), sample(4, 4, 3, 4)]


def test_prior_strength_follows_from_differences_between_players() -> None:
    prior = estimates.prior_of(APART)
    assert prior is not None
    assert prior.mean == 2.5
    # Within: four times 5 and four times 3/4, over 32 - 8. Between: 16 × 1.25²; eight equal samples of four leave 28.
    assert prior.within == pytest.approx(23 / 24)
    assert prior.between == pytest.approx((25 - 7 * 23 / 24) / 28)


def test_estimated_strength_is_between_player_and_league() -> None:
    prior = estimates.prior_of(APART)
    assert prior is not None
    few, many = prior.estimate(sample(1, 1)), prior.estimate(sample(*[1] * 200))
    assert 1 < many.value < few.value < prior.mean
    assert many.error < few.error
    assert few.weight == pytest.approx(2 / (2 + prior.within / prior.between))
    assert few.margin == pytest.approx(1.96 * few.error)


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(ALIKE, id="nobody differs"),
        pytest.param(APART[:7], id="seven players"),
        pytest.param([sample(number) for number in range(9)], id="one hanchan each"),
        pytest.param([], id="nobody"),
    ],
)
def test_strength_is_omitted_if_indistinguishable_from_luck(samples: list[estimates.Sample]) -> None:
    assert estimates.prior_of(samples) is None


@pytest.mark.parametrize(
    ("t", "freedom", "expected"),
    [
        pytest.param(0, 7, 0.5, id="the middle"),
        pytest.param(1, 1, 0.75, id="one degree is the Cauchy distribution"),
        pytest.param(sqrt(2), 2, 0.5 + 1 / (2 * sqrt(2)), id="two degrees have a closed form"),
        pytest.param(2.7764451051977987, 4, 0.975, id="4 degrees"),
        pytest.param(-1.729132811521367, 19, 0.05, id="19 degrees, below"),
        pytest.param(2.093024054408263, 19, 0.975, id="19 degrees"),
        pytest.param(1.9839715185235518, 100, 0.975, id="100 degrees"),
        pytest.param(1.9599639845400536, 10**9, 0.975, id="as good as normal"),
        pytest.param(40.0, 19, 1.0, id="beyond doubt"),
    ],
)
def test_student_t_probability_matches_published_tables(t: float, freedom: float, expected: float) -> None:
    assert estimates.t_probability(t, freedom) == pytest.approx(expected, abs=1e-7)


def test_incomplete_beta_has_its_known_special_values() -> None:
    assert [estimates.incomplete_beta(2, 3, 0), estimates.incomplete_beta(2, 3, 1)] == [0, 1]
    assert estimates.incomplete_beta(3, 1, 0.4) == pytest.approx(0.4**3, abs=1e-12)
    assert estimates.incomplete_beta(1, 3, 0.9) == pytest.approx(1 - 0.1**3, abs=1e-12)


def test_paired_comparison_uses_differences() -> None:
    # Mean 2, variance 80/19 · 1: t = 2 / sqrt(v/20) with 19 degrees of freedom.
    found = estimates.chance_of_pairs(sample(*[4000, 0] * 10))
    assert found == pytest.approx(estimates.t_probability(2000 / sqrt(4_000_000 / 19), 19))
    assert found
    assert [estimates.whole_percent(chance) for chance in (0.0, 0.834, found, 0.9999)] == [1, 83, 99, 99]
    assert estimates.chance_of_pairs(sample(*[1000, -1000] * 10)) == pytest.approx(0.5)


def test_welch_test_uses_both_variances() -> None:
    own, theirs = sample(*[30000, -10000] * 10), sample(*[10000, -10000] * 15)
    one, other = 400_000_000 / 19, 100_000_000 / 29
    freedom = (one + other) ** 2 / (one**2 / 19 + other**2 / 29)
    assert estimates.chance_apart(own, theirs) == pytest.approx(
        estimates.t_probability(10000 / sqrt(one + other), freedom)
    )


@pytest.mark.parametrize("count", [0, 1, 19])
def test_few_hanchan_give_no_estimate(count: int) -> None:
    few, many = sample(*range(count)), sample(*range(40))
    assert estimates.chance_of_pairs(few) is None
    assert estimates.chance_apart(few, many) is None
    assert estimates.chance_apart(many, few) is None
    same = sample(*[1000] * 25)
    assert (estimates.chance_of_pairs(same), estimates.chance_apart(same, same)) == (None, None), "nothing varies"


@given(
    st.lists(st.integers(-90000, 90000), min_size=20, max_size=40),
    st.lists(st.integers(-90000, 90000), min_size=20, max_size=40),
)
def test_chances_of_both_players_add_up_to_one(own: list[int], theirs: list[int]) -> None:
    one = estimates.chance_apart(sample(*own), sample(*theirs))
    other = estimates.chance_apart(sample(*theirs), sample(*own))
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one + other == pytest.approx(1, abs=1e-9)
