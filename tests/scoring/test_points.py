from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core import format_points, parse_points


@pytest.mark.parametrize(
    ("points", "text"), [(21700, "21.7"), (31000, "31"), (-4500, "-4.5"), (0, "0"), (-1, "-0.001"), (149050, "149.05")]
)
def test_points_are_written_exactly_without_trailing_zeros(points: int, text: str) -> None:
    assert format_points(points) == text


def test_points_have_a_minimum_number_of_decimals() -> None:
    assert [format_points(points, decimals=1) for points in (31000, 0, -50)] == ["31.0", "0.0", "-0.05"]


@given(st.integers(-(10**9), 10**9))
def test_points_are_written_and_read_unchanged(points: int) -> None:
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
        "1e-99999999999",
        "999999999999." + "0" * 40 + "1",
        10**4000,
    ],
)
def test_invalid_points_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"not a number of points|finer than"):
        parse_points(value)
