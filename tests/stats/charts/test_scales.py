"""Where values lie in a picture, and the round ones beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core.charts.scales import ScaleMark, scale_for, ticks


def test_scale_holds_all_values_and_zero() -> None:
    scale = scale_for((20000, -10000), length=100, margin=10)
    assert [scale.y(value) for value in (20000, 0, -10000)] == [10, 63, 90]
    assert [scale.x(value) for value in (-10000, 0, 20000)] == [10, 37, 90]


def test_scale_of_nothing_can_still_be_drawn_on() -> None:
    assert scale_for((), length=100).y(0) == 100


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param((0, 40000), (0, 10000, 20000, 30000, 40000), id="points above zero"),
        pytest.param((-126100, 31000), (-100000, -50000, 0), id="points on both sides"),
        pytest.param((0, 1), (0,), id="nothing to speak of"),
    ],
)
def test_ticks_are_round(values: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert ticks(scale_for(values, length=200)) == expected


@given(st.lists(st.integers(-(10**9), 10**9), max_size=6))
def test_ticks_lie_on_the_scale_with_zero_among_them(values: list[int]) -> None:
    scale = scale_for(values, length=200)
    marks = ticks(scale)
    assert 0 in marks
    assert len(marks) <= 5
    assert all(0 <= scale.y(value) <= 200 for value in marks)


def test_label_stands_above_its_line() -> None:
    assert ScaleMark(40, 0).label_y == 36
