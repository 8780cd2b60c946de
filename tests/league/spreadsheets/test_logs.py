import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets.layouts import Recognised
from league.core.spreadsheets.logs import read_log

FOUR = ("A", "+45.0", "B", "+9.0", "C", "-20.0", "D", "-34.0")


def log_of(text: str) -> Recognised:
    log = read_log(text)
    assert log is not None
    return log


def rows(text: str) -> list[tuple[str, ...]]:
    return [tuple(text for seat in game.seats for text in seat.texts.values()) for game in log_of(text).games]


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
    assert rows(line) == [FOUR]


def test_lines_with_a_date_tell_the_day_of_those_below() -> None:
    game = "A(+45.0) B(+9.0) C(-20.0) D(-34.0)"
    log = log_of(f"{game}\n\n■2026年6月13日（土）\n{game}\n{game}\n6/20 {game}\n令和8年6月27日 第3節\n{game}\n")
    last = {"date": "令和8年6月27日", "session": "第3節"}
    days = [{}, {"date": "2026年6月13日"}, {"date": "2026年6月13日"}, {"date": "6/20"}, last]
    assert [game.texts for game in log.games] == days
    assert ([game.lines[0] for game in log.games], log.passed_over) == ([1, 4, 5, 6, 8], [])


@pytest.mark.parametrize(
    "stamp", ["[2023/11/21 22:14]", "[2023/11/21] 22:14", "［2023/11/21 22:14］", "【2023/11/21】", "[2023/11/21]"]
)
def test_brackets_round_the_time_belong_to_no_name(stamp: str) -> None:
    log = log_of(line := f"{stamp} A(+45.0) B(+9.0) C(-20.0) D(-34.0)")
    assert next(iter(log.games[0].texts.values())).startswith("2023/11/21")
    assert rows(line) == [FOUR]


def test_number_in_one_name_is_part_of_it() -> None:
    assert rows("A(+45.0) 2. B(+9.0) C(-20.0) D(-34.0)")[0][:4] == ("A", "+45.0", "2. B", "+9.0")
    assert rows("A(+45.0) 2. B(+9.0) 3. C(-20.0) 4. D(-34.0)")[0][:4] == ("A", "+45.0", "2. B", "+9.0")


@pytest.mark.parametrize(
    ("text", "is_in_places"),
    [("A(+45.0) B(+9.0) C(-54.0)\nC(+45.0) B(+9.0) A(-54.0)", True), ("A(-45.0) B(+9.0) C(+20.0) D(+16.0)", False)],
)
def test_lines_in_order_of_points_say_nothing_of_seats(text: str, is_in_places: bool) -> None:
    assert [seat.place for seat in log_of(text).games[0].seats][1] == (None if is_in_places else 1)


def test_logs_may_have_chips_and_raw_scores() -> None:
    assert rows("青木(+45.0,+2枚) 石田(+9.0) 上野(-20.0) 江口(-34.0,-2枚)")[0][:5] == (
        "青木",
        "+45.0",
        "+2",
        "石田",
        "+9.0",
    )
    assert rows("A(45,2) B(8,9) C(-20,0) D(-34,1)")[0][:4] == ("A", "45,2", "B", "8,9")
    assert rows("A(45,2枚) B(9,0枚) C(-20,0枚) D(-34,-2枚)")[0][:3] == ("A", "45", "2")
    assert rows("A(45,000点) B(30,000点) C(15,000点) D(10,000点)")[0][:4] == ("A", "45,000", "B", "30,000")


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
        "x\n" * 200 + "A(+45.0) B(+9.0) C(-20.0) D(-34.0)\n" * 200,
    ],
)
def test_other_texts_stay_tables(text: str) -> None:
    assert read_log(text) is None


def test_a_new_first_place_begins_a_new_game() -> None:
    three = "1位 A +45.0\n2位 B +9.0\n3位 C -54.0\n"
    assert len(rows(three + three + "1位 A +45.0\n1位 A +45.0\n" + three)) == 3


def test_talk_between_the_games_is_passed_over_and_counted() -> None:
    game = "A(+45.0) B(+9.0) C(-20.0) D(-34.0)"
    log = log_of(f"{game}\nwell played\n{game}\n1位 A +45.0\n3位 C\n{game}")
    assert (len(log.games), [row.line for row in log.passed_over]) == (3, [2, 4, 5])


@given(st.text(alphabet="A1位(+45.0) \n|,▲年/-", max_size=80))
def test_no_text_does_more_than_be_no_log(text: str) -> None:
    log = read_log(text)
    assert log is None or log.games
