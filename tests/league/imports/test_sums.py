"""What the sums of a file tell: raw scores or points, sticks that were left."""

from decimal import Decimal

import pytest

from league.core.imports.records import GameRecord, SkippedRows, records_of
from league.core.imports.scores import ScoresFound, adds_up, columns_by_sums, kind_of, sticks_missing
from league.core.spreadsheets.headers import columns_of, form_of
from league.core.spreadsheets.numbers import NumberError, parse_sticks
from league.core.spreadsheets.tables import read_table

START = (100_000,)


def tables(*written: str) -> list[list[Decimal]]:
    return [[Decimal(number) for number in each.split()] for each in written]


RAW = "31700 31300 25500 11500"
POINTS = "45.0 9.0 -20.0 -34.0"


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        pytest.param([RAW], "raw", id="points at the end"),
        pytest.param(["10000000 -9900000 0 0"], "raw", id="very high"),
        pytest.param(["317 313 255 115"], "raw", id="hundreds"),
        pytest.param(["31.7 31.3 25.5 11.5"], "raw", id="thousands"),
        pytest.param([POINTS], "points", id="nothing left over"),
        pytest.param(["45.1 9.0 -20.0 -34.0"], "points", id="rounded one by one"),
        pytest.param([RAW, "24000 31300 25500 11500", RAW], "raw", id="a slip among them"),
        pytest.param([RAW, POINTS], "", id="half and half"),
        pytest.param(["1 2 3 4"], "", id="neither"),
        pytest.param(["0 0 0 0"], "", id="nothing at all"),
        pytest.param([], "", id="no games"),
    ],
)
def test_sums_of_the_file_tell_what_its_numbers_are(written: list[str], kind: str) -> None:
    assert kind_of(tables(*written), START).kind == kind


def test_how_many_games_show_it_is_told() -> None:
    assert kind_of(tables(RAW, RAW, "1 2 3 4"), START) == ScoresFound("raw", 2, 3)


def records(text: str) -> tuple[list[GameRecord], tuple[str, ...]]:
    rows = read_table(text, ",").rows
    columns = columns_of(rows[:1])
    return records_of(rows[1:], columns, form_of(columns), {"": 4}, SkippedRows()), columns


HEAD = "東,{0},南,{0},西,{0},北,{0}\n"
FOUR = "A,{},B,{},C,{},D,{}\n"


@pytest.mark.parametrize(
    ("head", "numbers", "found"),
    [
        ("ポイント", RAW, "raw"),
        ("得点", POINTS, "points"),
        ("ポイント", POINTS, ""),
        ("得点", RAW, ""),
        ("得点", "x 1 2 3", ""),
        ("得点", "1  2 3", ""),
    ],
)
def test_columns_are_called_what_they_are(head: str, numbers: str, found: str) -> None:
    games, columns = records(HEAD.format(head) + FOUR.format(*numbers.split(" ")))
    settled, scores = columns_by_sums(games, columns, START)
    assert scores.kind == found
    assert {column[:-1] for column in settled} == {"player", found or ("points" if head == "ポイント" else "raw")}


def test_nothing_is_renamed_where_both_are_there() -> None:
    games, columns = records(
        "選手1,素点1,ポイント1,選手2,素点2,ポイント2,選手3,素点3,ポイント3\nA,45.0,1,B,-20,2,C,-25,3\n"
    )
    assert columns_by_sums(games, columns, START) == (columns, ScoresFound())


@pytest.mark.parametrize(
    ("numbers", "unit", "sticks", "missing"),
    [
        pytest.param("30700 31300 25500 11500", 1, 0, 1, id="one stick"),
        pytest.param("29700 31300 25500 11500", 1, 1, 1, id="one more than was written"),
        pytest.param("307 313 255 115", 100, 0, 1, id="in hundreds"),
        pytest.param(RAW, 1, 0, 0, id="adds up"),
        pytest.param("30700 31300 25500 11500", 1, 1, 0, id="adds up with its stick"),
        pytest.param("30650 31300 25500 11500", 1, 0, 0, id="no whole stick"),
        pytest.param("21700 31300 25500 11500", 1, 0, 0, id="too many sticks"),
        pytest.param("0.0001 31300 25500 11500", 1, 0, 0, id="no score"),
        pytest.param("30700 31300 25500", 1, 0, 0, id="another number of players"),
    ],
)
def test_missing_sticks(numbers: str, unit: int, sticks: int, missing: int) -> None:
    assert sticks_missing(tables(numbers)[0], unit, sticks, START) == missing


def test_sums_in_any_unit() -> None:
    assert adds_up(tables("31.7 31.3 25.5 11.5")[0], 0, START)
    assert not adds_up(tables("31.7 31.3 25.5 12.5")[0], 0, START)


@pytest.mark.parametrize(
    ("text", "sticks"),
    [
        ("", None),
        ("2", 2),
        ("2本", 2),
        ("1000", 1),
        ("2,000点", 2),
        ("供託１０００", 1),
        ("リーチ棒2本", 2),
        ("1 stick", 1),
        ("1500", 1500),
        ("-1", -1),
    ],
)
def test_sticks_are_written_as_their_number_or_their_points(text: str, sticks: int | None) -> None:
    assert parse_sticks(text) == sticks


def test_words_are_no_sticks() -> None:
    with pytest.raises(NumberError):
        parse_sticks("many")
