"""How sure one can be that somebody is better: against values that are known from tables."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core.comparing import (
    chance_apart,
    chance_of_pairs,
    incomplete_beta,
    t_probability,
    whole_percent,
)
from stats.core.estimates import Sample


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
def test_t_distribution(t: float, freedom: float, expected: float) -> None:
    assert t_probability(t, freedom) == pytest.approx(expected, abs=1e-7)


def test_incomplete_beta_at_its_ends_and_where_it_is_a_power() -> None:
    assert [incomplete_beta(2, 3, 0), incomplete_beta(2, 3, 1)] == [0, 1]
    assert incomplete_beta(3, 1, 0.4) == pytest.approx(0.4**3, abs=1e-12)
    assert incomplete_beta(1, 3, 0.9) == pytest.approx(1 - 0.1**3, abs=1e-12)


def sample(*values: int) -> Sample:
    return Sample(len(values), sum(values), sum(value * value for value in values))


def test_pairs_are_judged_by_their_differences() -> None:
    # Mean 2, variance 80/19 · 1: t = 2 / sqrt(v/20) with 19 degrees.
    found = chance_of_pairs(sample(*[4000, 0] * 10))
    assert found == pytest.approx(t_probability(2000 / sqrt(4_000_000 / 19), 19))
    assert found
    assert whole_percent(found) == 99
    assert chance_of_pairs(sample(*[1000, -1000] * 10)) == pytest.approx(0.5)


def test_welch_takes_both_variances() -> None:
    own, theirs = sample(*[30000, -10000] * 10), sample(*[10000, -10000] * 15)
    one, other = 400_000_000 / 19, 100_000_000 / 29
    freedom = (one + other) ** 2 / (one**2 / 19 + other**2 / 29)
    assert chance_apart(own, theirs) == pytest.approx(t_probability(10000 / sqrt(one + other), freedom))


@pytest.mark.parametrize("count", [0, 1, 19])
def test_nothing_is_said_of_few_hanchan(count: int) -> None:
    few, many = sample(*range(count)), sample(*range(40))
    assert chance_of_pairs(few) is None
    assert chance_apart(few, many) is None
    assert chance_apart(many, few) is None


def test_nothing_is_said_where_nothing_varies() -> None:
    same = sample(*[1000] * 25)
    assert chance_of_pairs(same) is None
    assert chance_apart(same, same) is None


@given(
    st.lists(st.integers(-90000, 90000), min_size=20, max_size=40),
    st.lists(st.integers(-90000, 90000), min_size=20, max_size=40),
)
def test_both_are_as_sure_as_the_other_is_not(own: list[int], theirs: list[int]) -> None:
    one, other = chance_apart(sample(*own), sample(*theirs)), chance_apart(sample(*theirs), sample(*own))
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert one + other == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("chance", "expected"), [(0.0, 1), (0.834, 83), (0.9999, 99)])
def test_nothing_is_certain(chance: float, expected: int) -> None:
    assert whole_percent(chance) == expected
