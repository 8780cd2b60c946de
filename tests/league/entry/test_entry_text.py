from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.entry import (
    RawScoreError,
    check_sum,
    fill_last,
    parse_whole,
    read_chips,
    read_counts,
    read_score_text,
    read_scores,
)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        pytest.param("317", 31700, id="hundreds"),
        pytest.param("31700", 31700, id="points"),
        pytest.param("31,700", 31700, id="points with a comma"),
        pytest.param("31.7", 31700, id="thousands"),
        pytest.param("31,7", 31700, id="thousands with a decimal comma"),
        pytest.param("31'700", 31700, id="points with an apostrophe"),
        pytest.param("３１，７００点", 31700, id="full width with a unit"),
        pytest.param(" 31 700 ", 31700, id="with spaces"),
        pytest.param("–1500", -150_000, id="dash, still hundreds"),
        pytest.param("250+80-39", 29_100, id="sum of hundreds"),
        pytest.param("31.700", 31700, id="thousands with three decimals"),
    ],
)
def test_raw_score_is_read_in_every_notation(text: str, points: int) -> None:
    assert read_score_text(text).points == points


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("  点", "empty", id="only a unit"),
        pytest.param("abc", "unreadable", id="letters"),
        pytest.param("1e5", "unreadable", id="exponent"),
        pytest.param("31 7", "unreadable", id="a space that divides no thousands"),
        pytest.param("3,1,7", "unreadable", id="two commas"),
        pytest.param("٣١٧", "unreadable", id="digits of another script"),
        pytest.param("31750", "not_hundreds", id="odd fifty"),
        pytest.param("31.75", "not_hundreds", id="odd fifty in thousands"),
        pytest.param("99999999999999999999", "too_large", id="slip of the thumb"),
        pytest.param("9999999+9999900", "not_hundreds", id="odd term"),
        pytest.param("9999900+9999900", "too_large", id="sum beyond all sticks"),
    ],
)
def test_invalid_raw_score_is_refused(text: str, code: str) -> None:
    with pytest.raises(RawScoreError) as caught:
        read_score_text(text)
    assert (caught.value.code, caught.value.text) == (code, text)


@given(st.text(max_size=30))
def test_any_text_is_a_raw_score_or_an_error(text: str) -> None:
    with suppress(RawScoreError):
        assert read_score_text(text).points % 100 == 0


@given(st.integers(-9999, 9999).map(lambda hundreds: 100 * hundreds))
def test_hundreds_and_thousands_give_the_same_raw_score(points: int) -> None:
    sign = "▲" if points < 0 else ""
    assert read_score_text(f"{sign}{abs(points) // 100}").points == points
    assert read_score_text(f"{sign}{abs(points) // 1000}.{abs(points) % 1000 // 100}").points == points


@pytest.mark.parametrize(("text", "number"), [("３", 3), ("▲2", -2), ("+1", 1), (" 0 ", 0)])
def test_whole_number_is_read(text: str, number: int) -> None:
    assert parse_whole(text) == number


@pytest.mark.parametrize(
    ("text", "code"), [("", "empty"), ("1.5", "unreadable"), ("12345678", "unreadable"), ("٣", "unreadable")]
)
def test_invalid_whole_number_is_refused(text: str, code: str) -> None:
    with pytest.raises(RawScoreError) as caught:
        parse_whole(text)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("raw", "sticks", "difference", "missing_sticks"),
    [
        pytest.param((31700, 31300, 25500, 11500), 0, 0, 0, id="total is right"),
        pytest.param((31700, 31300, 25500, 10500), 1, 0, 0, id="adds up with a stick"),
        pytest.param((31700, 31300, 25500, 10500), 0, -1000, 1, id="a stick is missing"),
        pytest.param((31700, 31300, 25500, 8500), 0, -3000, 3, id="three sticks are missing"),
        pytest.param((31700, 31300, 25500, 11200), 0, -300, 0, id="hundreds are missing"),
        pytest.param((31700, 31300, 25500, 12500), 0, 1000, 0, id="a thousand too many"),
        pytest.param((31700, 31300, 24100, 2900), 0, -10_000, 0, id="29 was typed for 129"),
        pytest.param((31700, 31300, 25500, 6500), 0, -5000, 0, id="more than lie on a table"),
        pytest.param((31700, 31300, 25500, 7500), 3, -1000, 1, id="the fourth stick"),
        pytest.param((31700, 31300, 25500, 6500), 4, -1000, 0, id="a fifth stick"),
        pytest.param((41700, 31300, 25500, 500), 0, -1000, 0, id="5 may have been typed for 15"),
        pytest.param((41700, 33300, 25500, -1500), 0, -1000, 0, id="15 below zero for 5"),
        pytest.param((41700, 32800, 25500, -1000), 0, -1000, 1, id="10 below zero is not 0 with a digit more"),
    ],
)
def test_sum_check_finds_sticks(raw: tuple[int, ...], sticks: int, difference: int, missing_sticks: int) -> None:
    check = check_sum(raw, sticks, 25000)
    assert (check.difference, check.missing_sticks) == (difference, missing_sticks)
    assert check.adds_up == (difference == 0)


@pytest.mark.parametrize(
    ("raw", "sticks", "filled"),
    [
        ((31700, 31300, 25500, None), 0, 11500),
        ((31700, 31300, 25500, None), 100, -88500),
        ((31700, 31300, 25500, None), 1000, None),  # not a plausible number of sticks
        ((31700, 31300, 25500, 11500), 0, 11500),
        ((31700, None, 25500, None), 0, None),
    ],
)
def test_score_is_filled_in_if_one_is_missing(raw: tuple[int | None, ...], sticks: int, filled: int | None) -> None:
    assert fill_last(raw, sticks, 25000) == (*raw[:3], filled)


def test_empty_seat_gets_the_remainder() -> None:
    typed = read_scores(["317", "313", "", "115"], 0, 25000, fills=True)
    assert typed.scores == (31700, 31300, 25500, 11500)
    assert (typed.filled, typed.missing, dict(typed.errors)) == (2, (), {})
    assert typed.check is not None
    assert typed.check.adds_up
    assert read_scores(["60000", "-1000", "31700", ""], 0, 25000, fills=True).scores == (60000, -1000, 31700, 9300)


def test_unreadable_and_missing_scores_are_reported_separately() -> None:
    typed = read_scores(["317", "??", "", "115"], 0, 25000, fills=True)
    assert {seat: error.code for seat, error in typed.errors.items()} == {1: "unreadable"}
    assert (typed.missing, typed.filled) == ((2,), None)


@pytest.mark.parametrize(
    ("texts", "chips"),
    [
        pytest.param(["", "", "", ""], (), id="none"),
        pytest.param(["3", "-1", "-2", ""], (3, -1, -2, 0), id="the last is left over"),
        pytest.param(["3", "▲1", "", "-4"], (3, -1, 2, -4), id="one in the middle"),
        pytest.param(["2", "", "", "-2"], (2, 0, 0, -2), id="several empty ones are nothing"),
    ],
)
def test_chips_of_a_table_are_read(texts: list[str], chips: tuple[int, ...]) -> None:
    assert read_chips(texts) == chips


def test_counts_of_a_table_are_read() -> None:
    assert read_counts(["", "0", " ", ""], 99) == ()
    assert read_counts(["", "１", "", "2"], 99) == (0, 1, 0, 2)
    for text in ("-1", "100", "one"):
        with pytest.raises(RawScoreError):
            read_counts(["", text, "", ""], 99)


@pytest.mark.parametrize(
    ("texts", "points"),
    [
        pytest.param(("60000", "-1000", "31700", "9300"), (60000, -1000, 31700, 9300), id="all in points"),
        pytest.param(("600", "-10", "317", "93"), (60000, -1000, 31700, 9300), id="all in hundreds"),
        pytest.param(("60000", "-10", "31.7", "9300"), (60000, -1000, 31700, 9300), id="each in another unit"),
        pytest.param(("1150", "-350", "100", "100"), (115_000, -35_000, 10_000, 10_000), id="hundreds in four digits"),
        pytest.param(("46200", "32400", "2000", "19400"), (46200, 32400, 2000, 19400), id="an example in points"),
        pytest.param(("60000", "-1000", "31700", "9400"), (60000, -1000, 31700, 9400), id="off by a hundred"),
        pytest.param(("60000", "-1000", "", ""), (60000, -1000, None, None), id="while it is typed"),
        pytest.param(("8600", "317", "", ""), (8600, 31700, None, None), id="more than there is at the table"),
        pytest.param(("900", "317", "", ""), (90000, 31700, None, None), id="hundreds as long as they may be"),
        pytest.param(("500+500", "60000", "", ""), (1000, 60000, None, None), id="a sum beside points"),
    ],
)
def test_scores_are_read_in_the_unit_that_adds_up(texts: tuple[str, ...], points: tuple[int | None, ...]) -> None:
    assert read_scores(texts, 0, 25000, fills=False).raw == points


@given(st.lists(st.integers(-300, 900), min_size=3, max_size=3), st.integers(0, 15))
def test_any_mix_of_units_that_adds_up_is_read(hundreds: list[int], in_points: int) -> None:

    raw = [100 * each for each in (*hundreds, 1000 - sum(hundreds))]
    texts = [str(each if in_points >> seat & 1 else each // 100) for seat, each in enumerate(raw)]
    read = read_scores(texts, 0, 25000, fills=False)
    assert read.check is not None
    assert read.check.adds_up
