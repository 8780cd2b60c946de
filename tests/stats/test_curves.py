"""How a curve of points is drawn."""

from hypothesis import given
from hypothesis import strategies as st

from stats.core import curves


def test_curve_runs_from_edge_to_edge() -> None:
    scale = curves.scale_for((0, 20000, -10000), height=100, margin=10)
    assert [scale.y(value) for value in (20000, 0, -10000)] == [10, 63, 90]
    assert curves.path((0, 20000, -10000), scale) == "M0 63L500 10L1000 90"


def test_flat_curve_has_a_scale() -> None:
    scale = curves.scale_for((), height=100)
    assert curves.path((0,), scale) == "M0 100"


@given(st.lists(st.integers(-(10**7), 10**7), max_size=8))
def test_ticks_are_round_and_hold_zero(values: list[int]) -> None:
    marks = curves.ticks(curves.scale_for(values, height=200))
    assert 0 in marks
    assert len(marks) <= 5
    assert all(mark % 1000 == 0 for mark in marks)
