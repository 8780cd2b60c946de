from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core import format_points, parse_points


@pytest.mark.parametrize(
    ("points", "text"), [(21700, "21.7"), (31000, "31"), (-4500, "-4.5"), (0, "0"), (-1, "-0.001"), (149050, "149.05")]
)
def test_points_are_written_as_short_as_they_are_exact(points: int, text: str) -> None:
    assert format_points(points) == text


def test_points_have_at_least_the_decimals_asked_for() -> None:
    assert [format_points(points, decimals=1) for points in (31000, 0, -50)] == ["31.0", "0.0", "-0.05"]


@given(st.integers(-(10**9), 10**9))
def test_points_survive_being_written(points: int) -> None:
    assert parse_points(format_points(points)) == parse_points(Decimal(points) / 1000) == points


@pytest.mark.parametrize(
    "value",
    [
        "",
        "x",
        "1.2345",
        1.5,
        True,
        None,
        [],
        "NaN",
        "Infinity",
        "9" * 30,
        Decimal("1e40"),
        "1e99999999999",
        "1e-99999999999",
        "999999999999." + "0" * 40 + "1",
        10**4000,
    ],
)
def test_points_that_are_none_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"not a number of points|finer than"):
        parse_points(value)
