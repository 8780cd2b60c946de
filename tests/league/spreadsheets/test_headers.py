import pytest

from league.core.spreadsheets import headers
from league.core.spreadsheets.columns import COLUMNS, READ, RowShape, long_columns, wide_columns
from league.core.spreadsheets.tables import FileRow
from tests.conftest import ROOT


def rows(*lines: str) -> list[FileRow]:
    return [FileRow(number, tuple(line.split(","))) for number, line in enumerate(lines, start=1)]


@pytest.mark.parametrize("column", READ, ids=lambda column: column.key)
def test_every_name_of_a_column_means_that_column(column: object) -> None:
    assert {headers.target_of(name) for name in (column.ja, column.key, *column.aliases)} == {column.key}  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_headers_of_our_own_files_are_understood(language: str) -> None:
    for columns in (long_columns(exact=True), wide_columns(4, exact=True)):
        assert [headers.target_of(column.header(language, number)) for column, number in columns] == [
            "" if column.unread else column.key if number is None else f"{column.key}{number}"
            for column, number in columns
        ]


def test_targets_are_distinguished_from_seats() -> None:
    assert headers.split_target("raw2") == ("raw", 1)
    assert headers.split_target("date") == ("date", None)
    assert headers.split_target("") == ("", None)
    assert {headers.split_target(target)[0] for target in headers.TARGETS} == {column.key for column in READ}


def test_names_and_keys_in_two_rows_are_one_header() -> None:
    layout = headers.suggest_layout(rows("日付,選手,素点", "date,player,raw", "11/21,青木,31700"))
    assert (layout.header_row, layout.header_rows, layout.columns) == (0, 2, ("date", "player", "raw"))


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(["日付,選手,素点,選手,素点,選手,素点,選手,素点"], id="repeated"),
        pytest.param(["日付,東家,,南家,,西家,,北家,"], id="scores without a header"),
        pytest.param(["date,player1,raw1,player2,raw2,player3,raw3,player4,raw4"], id="numbered"),
        pytest.param(["日付,東家,,南家,,西家,,北家,", ",名前,素点,名前,素点,名前,素点,名前,素点"], id="two rows"),
    ],
)
def test_wide_forms(header: list[str]) -> None:
    layout = headers.suggest_layout(rows(*header, "11/21,青木,317,石田,313,上野,255,江口,115"))
    assert (layout.header_rows, headers.form_of(layout.columns)) == (len(header), RowShape.WIDE)
    assert layout.columns == ("date", *(f"{key}{seat}" for seat in range(1, 5) for key in ("player", "raw")))


def test_duplicate_target_is_used_once() -> None:
    assert headers.columns_of(rows("日付,選手,選手,素点,")) == ("date", "player", "", "raw", "")
    assert headers.columns_of(rows("選手,選手,選手,選手,選手,素点")) == ("player", "", "", "", "", "raw")
    assert headers.columns_of(rows("選手,素点,選手,素点,選手,素点,素点,素点,素点"))[6:] == ("raw4", "", "")
    assert headers.columns_of(rows("選手,,素点")) == ("player", "", "raw")


def test_no_row_looks_like_a_header() -> None:
    assert headers.columns_of(rows("日付", ",選手,素点")) == ("date", "player", "raw"), "rows of different widths"
    assert headers.columns_of([]) == ()
    layout = headers.suggest_layout(rows("a,b", "c,d"))
    assert (layout.header_row, layout.columns) == (0, ("", ""))
    assert headers.suggest_layout([]).columns == ()


def test_repeated_headers_and_totals_are_known() -> None:
    columns = ("date", "player", "raw")
    assert headers.is_header(("日付", "名前", "得点"), columns)
    assert headers.is_header(("日付", "選手1", "素点1"), ("date", "player1", "raw1"))
    assert not headers.is_header(("2025/11/21", "青木", "31700"), columns)
    assert not headers.is_header(("日付",), columns)
    assert headers.is_total(("", "合計", "100000"))
    assert headers.is_total(("Grand Total",))
    assert not headers.is_total(("青木", "合計"))
    assert not headers.is_total(("",))


@pytest.mark.parametrize(
    ("header", "target"),
    [
        *(("E Player", "player1"), ("East Player", "player1"), ("East points", "points1"), ("N score", "raw4")),
        *(("Score [South]", "raw2"), ("選手（西）", "player3"), ("素点【北家】", "raw4"), ("Player (2)", "player2")),
        *(("素点（点）", "raw"), ("Date (East)", "date"), ("メモ(3)", "memo")),
        *(("Who sat East?", "player1"), ("Who was West", "player3"), ("What was North's final score?", "raw4")),
        *(("Score of player 2", "raw2"), ("1st place: final points", "points1"), ("East seat", "player1")),
        *(("What is your name?", ""), ("scores known", ""), ("Player name", "player"), ("Player's final score", "raw")),
        *(("When did you play?", "date"), ("How many riichi sticks were left?", "sticks")),
        *(("Any comments?", "memo"), ("Did East or West win?", ""), ("Table 2", ""), ("Who won?", "")),
        *(("東家の選手", "player1"), ("南家は誰ですか？", "player2"), ("対局日はいつですか", "date")),
        *(("西家の最終持ち点を入力してください", "raw3"), ("起家の素点", "raw1")),
        *(("1着", "player1"), ("4着ポイント", "points4"), ("タイムスタンプ", "stamp"), ("Timestamp", "stamp")),
        *(("起家", "dealer"), ("日時", "date"), ("供託点", "sticks"), ("得点", "raw"), ("点", "raw"), ("a " * 80, "")),
        *(("日" * 200, ""), ("順位", "placement"), ("東家の着順", "placement1")),
    ],
)
def test_heads_of_forms_are_understood(header: str, target: str) -> None:
    assert headers.target_of(header) == target


PAIRS = ("player1", "raw1", "player2", "raw2", "player3", "raw3", "player4", "raw4")
NAMES = PAIRS[::2]


@pytest.mark.parametrize(
    ("header", "found"),
    [
        pytest.param("名前,点,名前,点,名前,点,名前,点", PAIRS, id="one after the other"),
        pytest.param("名前,名前,名前,名前,点,点,点,点", (*NAMES, *PAIRS[1::2]), id="names first"),
        pytest.param("東,点,南,点,西,点,北,点", PAIRS, id="names under the winds"),
        pytest.param("北,点,西,点,南,点,東,点", (*PAIRS[6:], *PAIRS[4:6], *PAIRS[2:4], *PAIRS[:2]), id="turned round"),
        pytest.param("東,南,西,北,東,南,西,北", (*NAMES, *PAIRS[1::2]), id="winds twice"),
        pytest.param("起家,南家,西家,北家,点,点,点,点", (*NAMES, *PAIRS[1::2]), id="first dealer for east"),
        pytest.param("E,点,S,点,W,点,N,点", PAIRS, id="letters"),
        pytest.param("起家,名前,点,名前,点,名前,点,名前,点", ("dealer", *PAIRS), id="first dealer beside the names"),
        pytest.param("名前,点,名前,点,名前,点", PAIRS[:6], id="three players"),
        pytest.param("E,点", ("", "raw"), id="a letter alone"),
    ],
)
def test_repeated_heads_belong_to_the_players_in_their_order(header: str, found: tuple[str, ...]) -> None:
    assert headers.columns_of(rows(header)) == found


def test_columns_by_placement_name_no_seats() -> None:
    assert headers.names_places(["日付", "1位", "1位素点"])
    assert headers.names_places(["1st", "2nd"])
    assert not headers.names_places(["日付", "選手1", "順位"])
    assert not headers.names_places(["東家", "南家"])


def test_every_column_is_documented_with_its_japanese_header() -> None:
    told = (ROOT / "docs" / "spreadsheets.md").read_text("utf-8")
    _forms, _, columns = told.partition("\n## Columns\n")
    listed = " ".join(columns.split())
    shown = {"date", "session", "table", "game", "seat", "player", "raw"}
    assert [
        each.key for each in COLUMNS if each.key not in shown and f"`{each.header('en')}` {each.ja}" not in listed
    ] == []
    assert [each.ja for each in COLUMNS if each.key in shown and f"| {each.ja} |" not in told] == []
