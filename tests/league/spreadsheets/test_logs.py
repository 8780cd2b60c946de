import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets.logs import read_log

FOUR = ("A", "+45.0", "B", "+9.0", "C", "-20.0", "D", "-34.0")


def rows(text: str) -> list[tuple[str, ...]]:
    log = read_log(text)
    assert log is not None
    return [tuple(cells) for _line, cells in list(log.rows())[1:]]


@pytest.mark.parametrize(
    "line",
    [
        "A(+45.0) B(+9.0) C(-20.0) D(-34.0)",
        "Ａ（＋４５．０）　Ｂ（＋９．０）　Ｃ（▲２０．０）　Ｄ（△３４．０）",
        "A (+45.0), B (+9.0), C (−20.0), D (–34.0)",
        "A(+45.0pt)/B(+9.0pt)/C(-20.0pt)/D(-34.0pt)",
        "L1000 | 23:45 | 四般南喰赤－ | A(+45.0) B(+9.0) C(-20.0) D(-34.0)",
        "[22:14] A(+45.0) B(+9.0) C(-20.0) D(-34.0)",
        "1. A (+45.0) 2. B (+9.0) 3. C (-20.0) 4. D (-34.0)",
        "1) A(+45.0), 2) B(+9.0), 3) C(-20.0), 4) D(-34.0)",
        "12. 1. A (+45.0) 2. B (+9.0) 3. C (-20.0) 4. D (-34.0)",
        "#12 A(+45.0) B(+9.0) C(-20.0) D(-34.0)",
        "第3回戦：A(+45.0) B(+9.0) C(-20.0) D(-34.0)",
        "1位 A +45.0 2位 B +9.0 3位 C -20.0 4位 D -34.0",
        "1着:A(+45.0) 2着:B(+9.0) 3着:C(-20.0) 4着:D(-34.0)",
        "1st A +45.0 2nd B +9.0 3rd C -20.0 4th D -34.0",
        "1位 A +45.0\n2位 B +9.0\n3位 C -20.0\n4位 D -34.0",
    ],
)
def test_line_of_a_log_is_a_row(line: str) -> None:
    assert rows(line) == [("", *FOUR)]


def test_lines_with_a_date_tell_the_day_of_those_below() -> None:
    game = "A(+45.0) B(+9.0) C(-20.0) D(-34.0)"
    text = f"{game}\n\n■2026年6月13日（土）\n{game}\n{game}\n6/20 {game}\n令和8年6月27日 第3節\n{game}\n"
    log = read_log(text)
    assert log is not None
    table = list(log.rows())
    assert [cells[:2] for _line, cells in table] == [
        ("date", "session"),
        ("", ""),
        ("2026年6月13日", ""),
        ("2026年6月13日", ""),
        ("6/20", ""),
        ("令和8年6月27日", "第3節"),
    ]
    assert ([line for line, _cells in table], log.passed_over) == ([0, 1, 4, 5, 6, 8], 0)


@pytest.mark.parametrize(
    "stamp", ["[2023/11/21 22:14]", "[2023/11/21] 22:14", "［2023/11/21 22:14］", "【2023/11/21】", "[2023/11/21]"]
)
def test_brackets_round_the_time_belong_to_no_name(stamp: str) -> None:
    ((day, *cells),) = rows(f"{stamp} A(+45.0) B(+9.0) C(-20.0) D(-34.0)")
    assert day.startswith("2023/11/21")
    assert tuple(cells) == FOUR


def test_number_in_one_name_is_part_of_it() -> None:
    assert rows("A(+45.0) 2. B(+9.0) C(-20.0) D(-34.0)")[0][1:5] == ("A", "+45.0", "2. B", "+9.0")
    assert rows("A(+45.0) 2. B(+9.0) 3. C(-20.0) 4. D(-34.0)")[0][1:5] == ("A", "+45.0", "2. B", "+9.0")


@pytest.mark.parametrize(
    ("text", "is_in_places"),
    [("A(+45.0) B(+9.0) C(-54.0)\nC(+45.0) B(+9.0) A(-54.0)", True), ("A(-45.0) B(+9.0) C(+20.0) D(+16.0)", False)],
)
def test_lines_in_order_of_points_say_nothing_of_seats(text: str, is_in_places: bool) -> None:
    log = read_log(text)
    assert log is not None
    assert log.is_in_places == is_in_places


def test_logs_may_have_chips_and_raw_scores() -> None:
    log = read_log("青木(+45.0,+2枚) 石田(+9.0) 上野(-20.0) 江口(-34.0,-2枚)")
    assert log is not None
    head, game = (cells for _line, cells in log.rows())
    assert head[1:4] == ("player1", "raw1", "chips1")
    assert game[1:7] == ("青木", "+45.0", "+2", "石田", "+9.0", "")
    assert rows("A(45,2) B(8,9) C(-20,0) D(-34,1)")[0][1:5] == ("A", "45,2", "B", "8,9")
    assert rows("A(45,2枚) B(9,0枚) C(-20,0枚) D(-34,-2枚)")[0][1:4] == ("A", "45", "2")
    assert rows("A(45,000点) B(30,000点) C(15,000点) D(10,000点)")[0][1:5] == ("A", "45,000", "B", "30,000")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\nc,d",
        "日付,選手,素点\n2025-11-21,青木(1),31700",
        "青木,31700(+21.7),石田,31300(+11.3),上野,25500(-14.5),江口,11500(-38.5)",
        "A(+45.0) B(+9.0)",
        "A(+45.0) B(+9.0) C(-20.0) D(-34.0) and so on",
        "A(+45.0) B(+9.0) C(east) D(-34.0)",
        "(+45.0) (+9.0) (-20.0) (-34.0)",
        "1位 A +45.0\n2位 B +9.0",
        "1位 A 2位 B 3位 C 4位 D",
        "A(+45.0) B(+9.0) C(-20.0) D(-34.0)" + "x" * 400,
    ],
)
def test_other_texts_stay_tables(text: str) -> None:
    assert read_log(text) is None


def test_a_new_first_place_begins_a_new_game() -> None:
    three = "1位 A +45.0\n2位 B +9.0\n3位 C -54.0\n"
    assert len(rows(three + three + "1位 A +45.0\n1位 A +45.0\n" + three)) == 3


def test_talk_between_the_games_is_passed_over_and_counted() -> None:
    game = "A(+45.0) B(+9.0) C(-20.0) D(-34.0)"
    log = read_log(f"{game}\nwell played\n{game}\n1位 A +45.0\n3位 C\n{game}")
    assert log is not None
    assert (len(log.games), log.passed_over) == (3, 3)


@given(st.text(alphabet="A1位(+45.0) \n|,▲年/-", max_size=80))
def test_no_text_does_more_than_be_no_log(text: str) -> None:
    log = read_log(text)
    assert log is None or log.games
