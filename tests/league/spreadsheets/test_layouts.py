import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from league.core.spreadsheets import layouts
from league.core.spreadsheets.dates import day_alone
from league.core.spreadsheets.tables import ImportFileError, decode, read_table


def sheet(text: str, name: str = "") -> layouts.FileSheet:
    return layouts.FileSheet(name, read_table(text).rows)


def recognised(*sheets: layouts.FileSheet, wanted: str = "") -> layouts.Recognised:
    found = layouts.recognise(sheets, 4, wanted)
    assert found is not None
    return found


def games_in(found: layouts.Recognised) -> list[str]:
    seats = [[seat.texts[key] for seat in game.seats for key in ("player", "raw")] for game in found.games]
    return [
        ",".join([*(game.texts[key] for key in ("date", "table", "game") if key in game.texts), *texts])
        for game, texts in zip(found.games, seats, strict=True)
    ]


@pytest.mark.parametrize(
    ("layout", "text", "games"),
    [
        pytest.param(
            layouts.MATRIX,
            "成績表,,,,,,\n回,日付,青木,石田,上野,江口,岡本\n第1回,5/1,42000,28000,18000,12000,\n2,5/1,35300,抜け,15200,19500,30000\n"
            ",,77300,28000,33200,31500,30000\n合計,,1,2,3,4,5\n※雨天\n",
            ["5/1,1,青木,42000,石田,28000,上野,18000,江口,12000", "5/1,2,青木,35300,上野,15200,江口,19500,岡本,30000"],
            id="a column per person",
        ),
        pytest.param(
            layouts.SIGNED,
            "回,青木,,石田,,上野,,江口,\n,＋,－,＋,－,＋,－,＋,－\n1,62,,8,,,22,,48\n2,5,10,?,3,欠,,5,\n",
            ["1,青木,62,石田,8,上野,-22,江口,-48", "2,青木,-5,石田,3,江口,5"],
            id="plus and minus columns",
        ),
        pytest.param(
            layouts.PLAYERS,
            "名前,H1,H2,計\nA,1,2,3\nB,-1,,-1\nC,0,-2,-2\nD,,0,0\n計,0,0,0\n",
            ["1,A,1,B,-1,C,0", "2,A,2,C,-2,D,0"],
            id="a row per person",
        ),
        pytest.param(
            layouts.ROUNDS,
            "卓,第1回戦,,第2回戦,\n,名前,点,名前,点\n1,A,40,B,40\n,B,30,A,30\n,C,20,C,20\n,D,10,,\n2,E,40,E,40\n,F,30,F,欠\n計,,100,,\n",
            ["1,1,A,40,B,30,C,20,D,10", "2,1,E,40,F,30", "1,2,B,40,A,30,C,20", "2,2,E,40"],
            id="rounds side by side",
        ),
    ],
)
def test_layout_is_recognised(layout: str, text: str, games: list[str]) -> None:
    found = recognised(sheet(text))
    assert (found.layout, games_in(found)) == (layout, games)


def test_players_by_hanchan_have_penalties_and_proved_totals() -> None:
    text = "Place,Name,H1,H2,Penalty,Total\n1,A,40,10,0,50\n2,B,10,-20,-10,-20\n3,C,-20,30,,11\n4,D,-30,-20,,\n"
    found = recognised(sheet(text))
    assert found.totals == [layouts.Total(3, "B", Decimal(-10))]
    assert [(each.name, each.said == each.summed) for each in found.said] == [("A", True), ("B", True), ("C", False)]


def test_rows_of_totals_are_compared_with_the_scores_above_them() -> None:
    text = "回,A,B,C,D\n1,4,3,2,1\n小計,4,3,2,1\n2,5,3,2,1\n小計,5,3,2,9\n合計,9,6,4,\n平均,4.5,3,2,1\n"
    found = recognised(sheet(text)).said
    assert [(each.name, str(each.summed), each.games) for each in found if each.said != each.summed] == [
        ("D", "2", [0, 1])
    ]
    assert len(found) == 11


def test_more_people_than_a_table_have_sums() -> None:
    people = "\n".join(f"P{number},{number},1" for number in range(5))
    found = recognised(sheet(f"Name,H1,H2\n{people}\n"))
    assert [(each.points, each.hanchan) for each in found.totals] == [(Decimal(number + 1), 2) for number in range(5)]
    raw = "\n".join(f"P{number},25000,31000" for number in range(5))
    assert recognised(sheet(f"Name,H1,H2\n{raw}\n", "May")).crowded == ["May H1", "May H2"]
    days = recognised(sheet(f"Name,4/5,4/12\n{people}\n"))
    assert [(each.date, each.hanchan) for each in days.totals][:2] == [("4/5", 1), ("4/12", 1)]
    few = recognised(sheet("Name,4/5,4/12\nA,1,\nB,-1,\nC,0,\n"))
    assert (games_in(few), few.totals) == (["4/5,A,1,B,-1,C,0"], [])


def test_names_of_sheets_are_days_and_sessions() -> None:
    matrix = "A,B,C,D\n4,3,2,1\n"
    found = recognised(sheet(matrix, "第1節 2026-05-01"), sheet(matrix, "5月8日"), sheet("x\ny\n", "メモ"))
    assert [game.texts for game in found.games] == [{"date": "2026-05-01", "session": "第1節"}, {"date": "5月8日"}]
    assert [(each.name, layouts.holds_numbers(each)) for each in found.left_out] == [("メモ", False)]
    assert [layouts.named_day(name) for name in ("20260501", "5.1", "5-1_夜", "集計")] == ["20260501", "5.1", "5-1", ""]


def test_days_and_headers_may_stand_between_games() -> None:
    found = recognised(sheet("2026/5/1,,,\nA,B,C,D\n4,3,2,1\n第2節,,,\n4,3,2,1\n計,,,\nE,F,G,H\n4,3,2,1\n一言,,,\n"))
    assert [(game.texts, game.seats[0].texts["player"]) for game in found.games] == [
        ({"date": "2026/5/1"}, "A"),
        ({"date": "2026/5/1", "session": "第2節"}, "A"),
        ({"date": "2026/5/1", "session": "第2節"}, "E"),
    ]
    assert [row.cells[0] for row in found.passed_over] == ["計", "一言"]


def test_plain_tables_of_dated_sheets_get_a_date_column() -> None:
    plain = "選手,素点\nA,1\n"
    rows, used, is_dated = layouts.plain_rows(
        [sheet(plain, "5/1"), sheet("x\n", "メモ"), sheet(f"メモ\n{plain}", "5/8")]
    )
    assert is_dated
    assert [each.name for each in used] == ["5/1", "5/8"]
    assert [row.cells for row in rows] == [
        ("date", "選手", "素点"), ("5/1", "A", "1"), ("", "メモ"), ("date", "選手", "素点"), ("5/8", "A", "1"),
    ]  # fmt: skip
    dated = "日付,選手,素点\n5/1,A,1\n"
    rows = layouts.plain_rows([sheet(dated, "5/1"), sheet(dated, "5/8")])[0]
    assert rows[1].cells == ("5/1", "A", "1")
    assert layouts.plain_rows([sheet("x\n"), sheet("y\n")])[1] == [sheet("x\n")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("日付,選手,素点\n5/1,A,317\n", id="a plain table"),
        pytest.param("J1,P1,J2,P2,J3,P3\nA,1,B,2,C,3\n", id="unknown headings over names"),
        pytest.param("A,B,C,D,E\n5,4,3,2,1\n", id="more scores than seats"),
        pytest.param("A,B\n1,2\n", id="two people"),
        pytest.param("x,y\n+,-\n1,2\n", id="signs of one person"),
        pytest.param("A,,B,,C,\n+,-,+,-,+,-\n,,,,,\n合計,,,,,\n", id="signs without games"),
        pytest.param("第1回戦,,第2回戦,\n名前,点,名前,点\n計,,,\n", id="rounds without games"),
        pytest.param("Name,Base,Bonus\nA,5,9\nB,-5,1\nC,0,-8\nD,0,-2\n", id="points under unknown headings"),
        pytest.param("日付,名前,Early,Late\n5/1,A,42,28\n,B,28,42\n,C,18,12\n,D,12,18\n", id="a row per player"),
    ],
)
def test_other_tables_are_not_recognised(text: str) -> None:
    assert layouts.recognise([sheet(text)], 4) is None


def test_a_side_block_without_names_has_no_games() -> None:
    assert len(recognised(sheet("1回戦,,,2回戦\n名前,点,名前,点\nA,1,B,1\nC,1,,\n")).games) == 1


def test_a_day_alone_is_told_from_a_footnote() -> None:
    assert [day_alone(text) for text in ["2026/5/1 (金)", "第3節", "※5/1は1卓のみ"]] == ["2026/5/1 (金)", "第3節", ""]


FOUR_BY_FOUR = (
    "A,42000,28000,18000,12000\nB,28000,42000,12000,18000\nC,18000,12000,42000,28000\nD,12000,18000,28000,42000\n"
)
BY_TABLES = "A,42,28,,\nB,28,42,,\nC,18,12,,\nD,12,18,,\nE,,,12,18\nF,,,28,30\nG,,,18,30\nH,,,42,22\n"


@pytest.mark.parametrize("row", ["Check,100000,100000,100000,100000", "Kontrolle,100000,100000,100000,99000"])
def test_a_row_of_sums_is_no_person_whatever_it_is_called(row: str) -> None:
    found = recognised(sheet(f"Name,H1,H2,H3,H4\n{FOUR_BY_FOUR}{row}\nC chombo in H3\n"))
    assert ([len(game.seats) for game in found.games], found.crowded) == ([4] * 4, [])
    assert [" ".join(each.cells) for each in found.passed_over] == [row.replace(",", " "), "C chombo in H3"]
    points = recognised(sheet("Name,H1,H2\nA,42,30\nB,-42,-30\nC,0,8\nD,0,-8\nKontrolle,0,0\n"))
    assert [len(game.seats) for game in points.games] == [4, 4]


def test_a_column_of_sums_is_no_person_whatever_it_is_called() -> None:
    text = "回,A,B,C,D,E,Kontrolle\n1,42000,28000,18000,12000,,100000\n2,42000,28000,18000,,12000,100000\n"
    found = recognised(sheet(f"{text}Summe,84000,56000,36000,12000,12000,200000\n"))
    assert games_in(found) == ["1,A,42000,B,28000,C,18000,D,12000", "2,A,42000,B,28000,C,18000,E,12000"]
    assert [row.cells[0] for row in found.passed_over] == ["Summe"]


def test_a_column_with_too_many_scores_is_a_hanchan_that_is_wrong() -> None:
    found = recognised(sheet(f"Name,H1,H2,H3,H4\n{FOUR_BY_FOUR}E,,,25000,\n"))
    assert ([len(game.seats) for game in found.games], found.totals) == ([4, 4, 5, 4], [])


@pytest.mark.parametrize(
    ("heads", "body", "places"),
    [
        pytest.param("Name,A1,A2,B1,B2", BY_TABLES, ["1,1", "1,2", "2,1", "2,2"], id="table and round"),
        pytest.param(",1A,2A,1B,2B", BY_TABLES, ["1,1", "1,2", "2,1", "2,2"], id="people without a heading"),
        pytest.param("Name,H1,H2,B卓1回戦,Late", BY_TABLES, ["1", "2", "2,1", ""], id="a round and others"),
        pytest.param("Name,A1,A2", "A,5,9\nB,-5,1\nC,0,-8\nD,0,-1\n", ["1,1", "1,2"], id="one that is wrong"),
        pytest.param("Name,H1,H2,Net", "A,5,9,14\nB,-5,1,-4\nC,0,-8,-8\nD,0,-2,-2\n", ["1", "2"], id="sums of points"),
        pytest.param(
            "Name,Early,Late 4/5,Age,Both", "A,42,28,30,70\nB,28,42,30,70\nC,18,12,25,30\nD,12,17,25,29\n",
            ["", "4/5"], id="columns of other numbers",
        ),
    ],
)  # fmt: skip
def test_columns_whose_scores_add_up_are_hanchan_under_any_name(heads: str, body: str, places: list[str]) -> None:
    found = recognised(sheet(f"{heads}\n{body}"))
    keys = ("date", "table", "game")
    assert [",".join(game.texts[key] for key in keys if key in game.texts) for game in found.games] == places
    assert {len(game.seats) for game in found.games} == {4}


@settings(max_examples=20)
@given(
    st.lists(
        st.lists(st.sampled_from(["", "A", "B", "C", "1", "?", "+", "-", "H1", "名前", "5/1", "計"]), max_size=6),
        max_size=6,
    )
)
def test_any_table_is_recognised_or_not(cells: list[list[str]]) -> None:
    found = layouts.recognise([sheet(json.dumps("") + "\n".join(map(",".join, cells)))], 4)
    assert found is None or found.layout


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"name":["A"],"log":[]}', "record_json"),
        (b'[{"type":"start_game"}]', "record_json"),
        (b"\xef\xbb\xbf<mjloggm ver>", "record_mjlog"),
        (b"\x1f\x8b\x08broken", "binary"),
    ],
)
def test_game_records_are_named(data: bytes, code: str) -> None:
    with pytest.raises(ImportFileError, match=code):
        decode(data)
