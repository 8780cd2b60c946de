from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.numbers import DECIMAL, OPEN, THOUSANDS, comma_of, decimal_text, half_width, rounded, small_number


@pytest.mark.parametrize("sign", "▲△▼−–—ー－‐ｰ﹣︱")
def test_every_minus_sign_is_read(sign: str) -> None:
    assert half_width(f"{sign}３１．７") == "-31.7"


@pytest.mark.parametrize(
    ("tables", "comma"),
    [
        pytest.param([["57", "-57"]], "", id="none"),
        pytest.param([["57,200"], ["8,4"]], DECIMAL, id="another with one digit"),
        pytest.param([["57,200"], ["0,435"]], DECIMAL, id="another with nothing before it"),
        pytest.param([["57,200"], ["1.234,5"]], DECIMAL, id="another with thousands"),
        pytest.param([["1,200"], ["8.4"]], THOUSANDS, id="another with a point"),
        pytest.param([["1,200"], ["1,234.5"]], THOUSANDS, id="another with both"),
        pytest.param([["1,200"], ["8.4"], ["8,4"]], OPEN, id="others that disagree"),
        pytest.param([["1,200", "-200", "-1,000"]], THOUSANDS, id="thousands add up to nothing"),
        pytest.param([["1,200", "-1", "-0.200", ""]], THOUSANDS, id="a point says more than a sum"),
        pytest.param([["2,500", "-1", "-1,500"]], DECIMAL, id="decimals add up to nothing"),
        pytest.param([["1,200", "-1,200"]], OPEN, id="both add up to nothing"),
        pytest.param([["1,200", "-1,100"]], OPEN, id="neither adds up"),
        pytest.param([["1,200", "x"]], OPEN, id="beside what is no number"),
        pytest.param([["1,200"]], OPEN, id="alone"),
    ],
)
def test_meaning_of_a_comma_follows_from_the_other_numbers(tables: list[list[str]], comma: str) -> None:
    assert comma_of(tables) == comma


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("0", 0, id="nothing"),
        pytest.param("0007", 7, id="zeros in front"),
        pytest.param("9999", 9999, id="the most digits"),
        pytest.param("10000", None, id="a digit more"),
        pytest.param("", None, id="empty"),
        pytest.param("-1", None, id="a sign"),
        pytest.param(" 1", None, id="a space"),
        pytest.param("１", None, id="full width"),
        pytest.param("²", None, id="a digit that is no number"),
    ],
)
def test_small_number_has_only_ascii_digits(text: str, number: int | None) -> None:
    assert small_number(text, None, digits=4) == number


def test_small_number_fits_into_a_primary_key() -> None:
    assert small_number("9" * 18, 0) < 2**63
    assert small_number("9" * 19, 0) == 0


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        pytest.param(Fraction(465, 200), 2, "2.33", id="half goes up"),
        pytest.param(Fraction(-465, 200), 2, "-2.33", id="half goes away from zero"),
        pytest.param(Fraction(-1, 1000), 2, "0.00", id="no minus zero"),
        pytest.param(7, 0, "7", id="whole"),
        pytest.param(Fraction(-15, 2), 0, "-8", id="whole and negative"),
    ],
)
def test_decimals_are_rounded_exactly(value: Fraction | int, digits: int, expected: str) -> None:
    assert decimal_text(value, digits) == expected


@given(st.fractions())
def test_rounding_changes_a_number_by_at_most_half(value: Fraction) -> None:
    assert abs(rounded(value) - value) <= Fraction(1, 2)
