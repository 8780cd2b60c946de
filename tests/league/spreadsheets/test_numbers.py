from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets import numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("31700", "31700"), ("３１，７００", "31700"), ("31700点", "31700"), ("31700.0", "31700")),
        *(("▲4.5", "-4.5"), ("△4.5", "-4.5"), ("−4.5", "-4.5"), ("(1,500)", "-1500"), ("+21.7pt", "21.7")),
        *(
            ("57,2", "57.2"),
            ("0,435", "0.435"),
            ("57·2", "57.2"),
            ("1.234,5", "1234.5"),
            ("1 234,5", "1234.5"),
            ("1.234.567", "1234567"),
            ("31’700.5", "31700.5"),
            ("31\u2009700", "31700"),
            ("1234,567", "1234.567"),
        ),
        *((".5", "0.5"), ("'-12.3", "-12.3"), ("3枚", "3"), ("ー５", "-5"), ("¥0", "0")),
    ],
)
def test_number_is_understood(text: str, number: str) -> None:
    assert numbers.parse_number(text) == Decimal(number)


@pytest.mark.parametrize("text", ["", " ", "-", "―", "ー", "+"])
def test_empty_text_is_not_a_number(text: str) -> None:
    assert numbers.parse_number(text) is None
    assert numbers.parse_count(text) is None
    assert numbers.parse_exact_points(text) is None


@pytest.mark.parametrize(
    "text", ["青木", "1.2.3", "--1", "1e5", "#REF!", "nan", "1" * 50, "9" * 13, "1,23,456", "5 7", ",5", "12点5"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(numbers.NumberError):
        numbers.parse_number(text)


def test_counts_and_points_are_exact() -> None:
    assert numbers.parse_count("3.0") == 3
    with pytest.raises(numbers.NumberError):
        numbers.parse_count("2.5")
    with pytest.raises(numbers.NumberError):
        numbers.parse_exact_points("0.0001")
    assert numbers.in_points(Decimal("31.7"), 1000) == 31700
    with pytest.raises(numbers.NumberError):
        numbers.in_points(Decimal("31.7"), 1)


@pytest.mark.parametrize(
    ("raw", "unit"),
    [
        pytest.param(["31700", "31300", "25500", "11500"], 1, id="points"),
        pytest.param(["317", "313", "255", "115"], 100, id="hundreds"),
        pytest.param(["31.7", "31.3", "25.5", "11.5"], 1000, id="thousands"),
        pytest.param(["317", "313", "245", "115"], 100, id="a stick is left"),
        pytest.param(["1", "2", "3", "4"], 1, id="nothing fits"),
    ],
)
def test_unit_is_decided_by_the_sums(raw: list[str], unit: int) -> None:
    assert numbers.guess_unit([list(map(Decimal, raw)), [Decimal(7)]], [100_000]) == unit


@given(st.text(max_size=20))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with suppress(numbers.NumberError):
        numbers.parse_number(text)
