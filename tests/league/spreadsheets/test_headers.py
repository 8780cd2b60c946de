"""Which row is the header, and what its columns mean."""

import pytest

from league.core.spreadsheets.columns import COLUMNS, RowShape, long_columns, wide_columns
from league.core.spreadsheets.headers import (
    all_targets,
    columns_of,
    is_header,
    is_total,
    split_target,
    suggest_layout,
    target_of,
)
from league.core.spreadsheets.tables import FileRow


def rows(*lines: str) -> list[FileRow]:
    return [FileRow(number, tuple(line.split(","))) for number, line in enumerate(lines, start=1)]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.key)
def test_every_name_of_a_column_means_that_column(column: object) -> None:
    assert {target_of(name) for name in (column.ja, column.en, column.key, *column.aliases)} == {column.key}  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_headers_of_our_own_files_are_understood(language: str) -> None:
    for columns in (long_columns(exact=True), wide_columns(4, exact=True)):
        written = [column.header(language, number) for column, number in columns]
        assert [target_of(header) for header in written] == [
            column.key if number is None else f"{column.key}{number}" for column, number in columns
        ]


@pytest.mark.parametrize(
    ("header", "target"),
    [
        *(
            ("素点（点）", "raw"),
            ("Player Name", "player"),
            ("選手１", "player1"),
            ("player_2", "player2"),
            ("東家", "player1"),
        ),
        *(
            ("南家素点", "raw2"),
            ("西家の得点", "raw3"),
            ("1位", "player1"),
            ("2人目の素点", "raw2"),
            ("North", "player4"),
        ),
        *(("東", "player1"), ("席", "seat"), ("席1", ""), ("日付1", ""), ("天気", ""), ("", ""), ("選手5", "")),
    ],
)
def test_people_write_headers_in_other_ways(header: str, target: str) -> None:
    assert target_of(header) == target


def test_targets_are_told_apart_from_seats() -> None:
    assert split_target("raw2") == ("raw", 1)
    assert split_target("played_at") == ("played_at", None)
    assert split_target("") == ("", None)
    assert {split_target(target)[0] for form in RowShape for target in all_targets(form)} == {
        column.key for column in COLUMNS
    }


def test_header_is_found_below_a_title() -> None:
    layout = suggest_layout(rows("2025年度 カマラードリーグ", "日付,名前,得点", "11/21,青木,31700"))
    assert (layout.header_row, layout.header_rows, layout.columns) == (1, 1, ("date", "player", "raw"))


def test_names_and_keys_in_two_rows_are_one_header() -> None:
    layout = suggest_layout(rows("日付,選手,素点", "date,player,raw", "11/21,青木,31700"))
    assert (layout.header_row, layout.header_rows, layout.columns) == (0, 2, ("date", "player", "raw"))


def test_two_rows_are_read_together() -> None:
    layout = suggest_layout(rows("日付,東家,,南家,,西家,,北家,", ",名前,素点,名前,素点,名前,素点,名前,素点"))
    assert (layout.header_rows, layout.form) == (2, RowShape.WIDE)
    assert layout.columns == ("date", *(f"{key}{seat}" for seat in range(1, 5) for key in ("player", "raw")))


@pytest.mark.parametrize(
    "header",
    [
        pytest.param("日付,選手,素点,選手,素点,選手,素点,選手,素点", id="repeated"),
        pytest.param("日付,東家,,南家,,西家,,北家,", id="scores without a header"),
        pytest.param("date,player1,raw1,player2,raw2,player3,raw3,player4,raw4", id="numbered"),
    ],
)
def test_wide_forms(header: str) -> None:
    layout = suggest_layout(rows(header, "11/21,青木,317,石田,313,上野,255,江口,115"))
    assert layout.form is RowShape.WIDE
    assert layout.columns == ("date", *(f"{key}{seat}" for seat in range(1, 5) for key in ("player", "raw")))


def test_what_is_there_twice_is_taken_once() -> None:
    assert columns_of(rows("日付,選手,選手,素点,")) == ("date", "player", "", "raw", "")
    assert columns_of(rows("選手,選手,選手,選手,選手,素点")) == ("player", "", "", "", "", "raw")
    assert columns_of(rows("選手,素点,選手,素点,選手,素点,素点,素点,素点"))[6:] == ("raw4", "", "")
    assert columns_of(rows("選手,,素点")) == ("player", "", "raw")


def test_header_rows_of_different_widths() -> None:
    assert columns_of(rows("日付", ",選手,素点")) == ("date", "player", "raw")
    assert columns_of([]) == ()


def test_nothing_looks_like_a_header() -> None:
    layout = suggest_layout(rows("a,b", "c,d"))
    assert (layout.header_row, layout.columns) == (0, ("", ""))
    assert suggest_layout([]).columns == ()


def test_repeated_headers_and_totals_are_known() -> None:
    columns = ("date", "player", "raw")
    assert is_header(("日付", "名前", "得点"), columns)
    assert is_header(("日付", "選手1", "素点1"), ("date", "player1", "raw1"))
    assert not is_header(("2025/11/21", "青木", "31700"), columns)
    assert not is_header(("日付",), columns)
    assert is_total(("", "合計", "100000"))
    assert is_total(("Grand Total",))
    assert not is_total(("青木", "合計"))
    assert not is_total(("",))
