"""Headers as forms and clubs write them."""

import pytest

from league.core.spreadsheets.columns import RowShape, long_columns, wide_columns
from league.core.spreadsheets.headers import columns_of, names_places, suggest_layout, target_of
from league.core.spreadsheets.tables import FileRow


def columns(*lines: str) -> tuple[str, ...]:
    return columns_of([FileRow(number, tuple(line.split(","))) for number, line in enumerate(lines, start=1)])


@pytest.mark.parametrize(
    ("header", "target"),
    [
        *(("E Player", "player1"), ("East Player", "player1"), ("East points", "points1"), ("N score", "raw4")),
        *(("Score [South]", "raw2"), ("選手（西）", "player3"), ("素点【北家】", "raw4"), ("Player (2)", "player2")),
        *(("素点（点）", "raw"), ("Date (East)", "date"), ("メモ(3)", "memo")),
        *(("Who sat East?", "player1"), ("Who was West", "player3"), ("What was North's final score?", "raw4")),
        *(("Score of player 2", "raw2"), ("1st place: final points", "points1"), ("East seat", "player1")),
        *(("What is your name?", ""), ("Player name", "player"), ("Player's final score", "raw")),
        *(
            ("When did you play?", "date"),
            ("Date of the game", "date"),
            ("How many riichi sticks were left?", "sticks"),
        ),
        *(("Any comments?", "memo"), ("Did East or West win?", ""), ("Table 2", ""), ("Who won?", "")),
        *(
            ("東家の選手", "player1"),
            ("東家の点数", "raw1"),
            ("南家は誰ですか？", "player2"),
            ("対局日はいつですか", "date"),
        ),
        *(
            ("西家の最終持ち点を入力してください", "raw3"),
            ("北家の選手を選んでください。", "player4"),
            ("起家の素点", "raw1"),
        ),
        *(("1着", "player1"), ("4着ポイント", "points4"), ("タイムスタンプ", "stamp"), ("Timestamp", "stamp")),
        *(("起家", "dealer"), ("日時", "date"), ("供託点", "sticks"), ("得点", "raw"), ("点", "raw"), ("a " * 80, "")),
        *(("日" * 200, ""), ("順位", "placement"), ("東家の着順", "placement1")),
    ],
)
def test_heads_of_forms_are_understood(header: str, target: str) -> None:
    assert target_of(header) == target


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
    assert columns(header) == found


def test_heads_in_two_rows() -> None:
    assert columns("日付,起家,,南家,,西家,,北家,", ",名前,点,名前,点,名前,点,名前,点") == ("date", *PAIRS)
    assert columns(",東家,東家,南家,南家,西家,西家,北家,北家", "日付,選手,点数,選手,点数,選手,点数,選手,点数") == (
        "date",
        *PAIRS,
    )


def test_columns_by_placement_name_no_seats() -> None:
    assert names_places(["日付", "1位", "1位素点"])
    assert names_places(["1st", "2nd"])
    assert not names_places(["日付", "選手1", "順位"])
    assert not names_places(["東家", "南家"])


def test_our_own_files_have_no_columns_of_others() -> None:
    for written in (long_columns(exact=True), wide_columns(4, exact=True)):
        assert not {"dealer", "stamp"} & {column.key for column, _number in written}


def test_form_is_a_row_per_game() -> None:
    header = "Timestamp,E Player,East points,S Player,South points,W Player,West points,N Player,North points"
    layout = suggest_layout([FileRow(1, tuple(header.split(",")))])
    assert (layout.form, layout.columns[0], layout.columns[1:3]) == (RowShape.WIDE, "stamp", ("player1", "points1"))
