from collections.abc import Sequence
from datetime import date, time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.imports.games import ImportedGame, game_of, numbers_of, total_of
from league.core.imports.records import GameRecord, Skipped, records_of, settle_commas, with_days
from league.core.imports.scores import columns_by_sums, finished, kind_of, sticks_missing
from league.core.numbers import DECIMAL, THOUSANDS
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.dates import DateReading
from league.core.spreadsheets.headers import columns_of
from league.core.spreadsheets.layouts import Total
from league.core.spreadsheets.numbers import parse_sticks
from league.core.spreadsheets.tables import read_table
from league.services.imports.sessions import Numbering
from scoring.core import Bust
from tests.league.imports.files import FOUR, RAW

TODAY = date(2025, 12, 1)


def records(text: str, players: int = 4, skipped: Skipped | None = None) -> tuple[list[GameRecord], tuple[str, ...]]:
    rows = read_table(text).rows
    columns = columns_of(rows[:1])
    return records_of(rows[1:], columns, players, Skipped(list) if skipped is None else skipped), columns


def games_of(text: str, players: int = 4, skipped: Skipped | None = None) -> list[ImportedGame]:
    return [game_of(record, DateReading(TODAY)) for record in records(text, players, skipped)[0]]


def long(*prefixes: str, header: str = "日付,節,卓,回戦,選手,素点", names: Sequence[str] = FOUR) -> str:
    lines = [f"{prefix},{name},{raw}" for prefix in prefixes for name, raw in zip(names, RAW, strict=False)]
    return "\n".join([header, *lines])


def codes(game: ImportedGame) -> list[str]:
    return [problem.code for problem in game.problems]


@pytest.mark.parametrize(("said", "points"), [("", 1_200), (DECIMAL, 1_200), (THOUSANDS, 1_200_000)])
def test_commas_in_points_are_asked_about(said: str, points: int) -> None:
    found, _ = records("選手;ポイント;日付\n" + "".join(f"{name};1,200;2025-11-21\n" for name in FOUR))
    assert settle_commas(found, said) == "1,200"
    assert game_of(found[0], DateReading(date(2026, 1, 1))).entries[0].points == points


def test_rows_of_one_number_are_one_game() -> None:
    (game,) = games_of(long("2025/11/21,第1節,2,3"))
    assert (game.lines, game.names, game.table, game.round) == ((2, 3, 4, 5), list(FOUR), 2, 3)
    assert [entry.number for entry in game.entries] == list(map(Decimal, RAW))
    assert game.session is not None
    assert game.session == (date(2025, 11, 21), "第1節")
    assert (game.problems, game.seats_known) == ([], False)


@pytest.mark.parametrize(("raw", "sticks"), [((31700, 31300, 25500, 9500), 2), ((-475_000,) * 4, 2000)])
def test_sticks_in_points_are_as_many_as_the_scores_leave(raw: Sequence[int], sticks: int) -> None:
    lines = [f"11/21,1,1,{name},{score},2000" for name, score in zip(FOUR, raw, strict=True)]
    (game,) = games_of("\n".join(["日付,卓,回戦,選手,素点,供託", *lines]))
    assert (game.sticks, codes(game)) == (sticks, [])


@pytest.mark.parametrize("prefix", ["11/21,,1,1", "11/21,,,1", "11/21,,,", "11/21,,2,"])
def test_rows_that_are_copied_whole_are_a_second_game(prefix: str) -> None:
    games = games_of(long(prefix, prefix))
    assert [(game.names, codes(game)) for game in games] == [(list(FOUR), [])] * 2
    assert games[1].lines == (6, 7, 8, 9)


@pytest.mark.parametrize("prefixes", [("11/21,,1,", "11/21,,2,"), ("11/21,第1節,,", "11/21,第2節,,")])
def test_four_rows_are_a_game_where_the_file_does_not_say(prefixes: tuple[str, str]) -> None:
    assert [game.names for game in games_of(long(*prefixes))] == [list(FOUR)] * 2


def test_merged_cells_apply_to_rows_below() -> None:
    skipped = Skipped(list)
    text = "日付,節,回戦,選手,素点\n11/21,第1節,1,青木,1\n,,,石田,1\n,,,上野,1\n,,,江口,1\n,,2,青木,1\n,,,石田,1\n,,,上野,1\n,,,江口,1"
    games = games_of(text, skipped=skipped)
    assert [(game.round, len(game.entries)) for game in games] == [(1, 4), (2, 4)]
    assert {game.session.label for game in games if game.session} == {"第1節"}
    assert len(skipped["dates_carried"]) == 7


def test_rows_with_a_key_belong_together_and_too_many_are_kept() -> None:
    (game,) = games_of("日付,半荘キー,選手,素点\n" + "\n".join(f"11/21,h1,{name},1" for name in (*FOUR, "大野")))
    assert (len(game.entries), game.key) == (5, "h1")
    (game,) = games_of("日付,卓,回戦,選手,素点\n" + "\n".join(f"11/21,1,1,{name},1" for name in (*FOUR, "大野")))
    assert len(game.entries) == 5


def test_totals_headers_and_blank_rows_are_passed_over() -> None:
    skipped = Skipped(list)
    text = (
        long("11/21,,1,1")
        + "\n合計,,,,,100000\n,,,,,\n日付,節,卓,回戦,選手,素点\n,,,,,,註\n2025/11/22,,,,,\n,,2,1,青木,1"
    )
    _first, second = games_of(text, skipped=skipped)
    assert second.session == (date(2025, 11, 22), "")
    assert [[row.line for row in rows] for rows in skipped.values()] == [[6], [8], [9, 10]]


def test_rows_that_disagree_are_named() -> None:
    (game,) = games_of(
        "日付,卓,回戦,メモ,選手,素点\n11/21,1,1,,青木,1\n11/21,1,1,a,石田,1\n11/21,1,1,b,上野,1\n11/21,1,1,c,江口,1"
    )
    assert game.memo == "a"
    assert [(problem.code, problem.values) for problem in game.problems] == [("differs", {"column": "memo", "line": 2})]


def seated(*seats: str) -> ImportedGame:
    lines = [f"11/21,{seat},{name},{raw}" for seat, name, raw in zip(seats, FOUR, RAW, strict=True)]
    (game,) = games_of("\n".join(["日付,席,選手,素点", *lines]))
    return game


def test_seats_put_players_in_order() -> None:
    game = seated("北", "W", "2", "east")
    assert (game.names, game.seats_known, game.problems) == (["江口", "上野", "石田", "青木"], True, [])


@pytest.mark.parametrize(
    ("seats", "code"),
    [
        (("東", "東", "西", "北"), "seat_twice"),
        (("東", "", "西", "北"), "seat_missing"),
        (("東", "中", "西", "北"), "seat_unreadable"),
    ],
)
def test_seats_that_cannot_be(seats: tuple[str, ...], code: str) -> None:
    assert codes(seated(*seats)) == [code]


def test_gap_between_seats_is_named() -> None:
    (game,) = games_of("日付,選手1,素点1,選手2,素点2,選手3,素点3,選手4,素点4\n11/21,青木,1,石田,2,,,江口,3")
    assert codes(game) == ["seat_gap"]


@pytest.mark.parametrize(
    ("column", "cell", "code"),
    [
        ("日付", "", "date_missing"),
        ("日付", "いつか", "date_unreadable"),
        ("日付", "11/12/2025", "date_ambiguous"),
        ("素点", "たくさん", "number_unreadable"),
        ("卓", "0", "out_of_range"),
        ("回戦", "1.5", "number_unreadable"),
        ("着順", "5", "out_of_range"),
        ("チョンボ", "-1", "out_of_range"),
        ("状態", "?", "word_unreadable"),
        ("メモ", "x" * 501, "too_long"),
        ("選手", "x" * 41, "too_long"),
        ("選手", "", "player_missing"),
    ],
)
def test_cell_that_cannot_be_read_is_named(column: str, cell: str, code: str) -> None:
    cells = {"日付": "2025/11/21", "選手": "青木", "素点": "25000", "会場": "x"} | {column: cell}
    (game,) = games_of(",".join(cells) + "\n" + ",".join(cells.values()), 1)
    assert codes(game) == [code]
    assert game.problems[0].values["line"] == 2


def test_game_is_ready_for_scoring() -> None:
    lines = ["11/21,青木,520,3,,,国士", "11/21,石田,310,,1,0,", "11/21,上野,180,,,,", "11/21,江口,▲10,-3,,青木,"]
    (game,) = games_of("\n".join(["日付,選手,素点,チップ,チョンボ,トビ,役満", *lines]))
    found, problems = finished(game, 100)
    assert problems == []
    assert found is not None
    assert (found.raw, found.chips, found.chombo) == ((52000, 31000, 18000, -1000), (3, 0, 0, -3), (0, 1, 0, 0))
    assert found.busts == (Bust(3, "win", winners=(0,)),)
    assert game.entries[0].yakuman == "国士"


def test_unscorable_values_are_named() -> None:
    (game,) = games_of("日付,選手,素点,トビ\n11/21,青木,520.5,\n11/21,石田,,\n11/21,上野,180,誰か\n11/21,江口,x,")
    found, problems = finished(game, 1)
    assert found is None
    assert [(problem.values["line"], problem.code) for problem in problems] == [
        (2, "raw_fraction"),
        (3, "raw_missing"),
        (4, "bust_unreadable"),
    ]
    assert numbers_of(game) is None


def test_game_without_raw_scores_is_known_by_its_points() -> None:
    header = "日付,選手,ポイント,着順,チップ,トビ"
    (game,) = games_of(
        f"{header}\n11/21,青木,45.0,1,2,\n11/21,石田,9,2,,\n11/21,上野,-20,3,,\n11/21,江口,▲34,4,-2,青木"
    )
    found, problems = finished(game, 1)
    assert problems == []
    assert found is not None
    assert (found.raw, found.points, found.placements) == ((), (45_000, 9_000, -20_000, -34_000), (1, 2, 3, 4))
    assert (found.chips, found.busts) == ((2, 0, 0, -2), (Bust(3, "win", winners=(0,)),))


@pytest.mark.parametrize(("last", "code"), [("江口,,,", "points_missing"), ("江口,▲34,,誰か", "bust_unreadable")])
def test_points_that_scoring_cannot_take_are_named(last: str, code: str) -> None:
    header = "日付,選手,ポイント,着順,トビ"
    (game,) = games_of(f"{header}\n11/21,青木,45,1,\n11/21,石田,9,2,\n11/21,上野,-20,3,\n11/21,{last}")
    found, problems = finished(game, 1)
    assert found is None
    assert [(problem.values["line"], problem.code) for problem in problems] == [(5, code)]


def test_games_without_numbers_are_counted_up() -> None:
    numbering = Numbering()
    numbering.take("s", 1, 1)
    assert numbering.place("s", None, None) == (1, 2)
    assert numbering.place("s", 2, None) == (2, 1)
    assert numbering.place("s", None, 1) == (3, 1)
    assert numbering.place("s", 1, 7) == (1, 7)
    assert numbering.place("s", None, None) == (1, 8)
    assert numbering.place("t", None, 1) == (1, 1)
    assert list(map(numbers_of, games_of(long("11/21,,1,1")))) == [list(map(Decimal, RAW))]


@given(st.lists(st.lists(st.text(max_size=8), max_size=8), max_size=12), st.sampled_from(list(RowShape)))
def test_no_rows_do_more_than_have_problems(cells: list[list[str]], form: RowShape) -> None:
    text = "\n".join(
        ",".join(cell.replace(",", "").replace("\n", "").replace('"', "") for cell in row) for row in cells
    )
    columns = ("date", "session", "table", "game", "seat", "player", "raw", "bust")
    if form is RowShape.WIDE:
        columns = ("date", "player1", "raw1", "player2", "raw2", "player3", "bust1", "chips1")
    for record in records_of(read_table(text, ",").rows, columns, 4, Skipped(list)):
        game = game_of(record, DateReading(TODAY))
        finished(game, 100)
        assert game.lines


WIDE = "節,選手1,素点1,選手2,素点2,選手3,素点3,選手4,素点4"
SCORES = "青木,31700,石田,31300,上野,25500,江口,11500"


@pytest.mark.parametrize(
    ("stamp", "takes_stamps", "found"),
    [("2025-11-22 01:30", True, 21), ("2025-11-22 01:30", False, None), ("soon", True, None)],
)
def test_day_of_a_stamp_is_taken_where_that_was_answered(stamp: str, takes_stamps: bool, found: int | None) -> None:
    ((record,), _) = records(f"timestamp,{WIDE}\n{stamp},1,{SCORES}")
    game = game_of(record, DateReading(TODAY, boundary=time(6), takes_stamps=takes_stamps))
    assert (game.session.day.day if game.session else None) == found
    assert codes(game) == ([] if found else ["date_unreadable" if takes_stamps else "date_missing"])


@pytest.mark.parametrize("dealer", ["上野", "上野さん", "３"])
def test_columns_go_round_the_table_from_the_first_dealer(dealer: str) -> None:
    (game,) = games_of(f"日付,起家,{WIDE}\n11/21,{dealer},1,{SCORES}")
    assert (game.names, game.seats_known) == (["上野", "江口", "青木", "石田"], True)
    assert [entry.seat for entry in game.entries] == [0, 1, 2, 3]


@pytest.mark.parametrize("dealer", ["小松", "9"])
def test_first_dealer_is_one_of_the_table(dealer: str) -> None:
    (game,) = games_of(f"日付,起家,{WIDE}\n11/21,{dealer},1,{SCORES}")
    assert codes(game) == ["dealer_unknown"]


@pytest.mark.parametrize(
    ("undated", "days"),
    [
        ("none", [None, 21, None, 28, None]),
        ("above", [None, 21, 21, 28, 28]),
        ("session", [28, 21, None, 28, 28]),
        ("2025-11-01", [1, 21, 1, 28, 1]),
    ],
)
def test_games_without_a_date_have_the_day_that_was_answered(undated: str, days: list[int | None]) -> None:
    lines = [f",2,{SCORES}", f"11/21,1,{SCORES}", f",3,{SCORES}", f"11/28,2,{SCORES}", f",2,{SCORES}"]
    found, _ = records("\n".join([f"日付,{WIDE}", *lines]))
    with_days(found, undated)
    games = [game_of(record, DateReading(TODAY)) for record in found]
    assert [game.session.day.day if game.session else None for game in games] == days


START = (100_000,)


def tables(*written: str) -> list[list[Decimal]]:
    return [[Decimal(number) for number in each.split()] for each in written]


FINAL = "31700 31300 25500 11500"
SETTLED = "45.0 9.0 -20.0 -34.0"


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        pytest.param([FINAL], "raw", id="points at the end"),
        pytest.param(["10000000 -9900000 0 0"], "raw", id="very high"),
        pytest.param(["317 313 255 115"], "raw", id="hundreds"),
        pytest.param(["31.7 31.3 25.5 11.5"], "raw", id="thousands"),
        pytest.param([SETTLED], "points", id="nothing left over"),
        pytest.param(["45.1 9.0 -20.0 -34.0"], "points", id="rounded one by one"),
        pytest.param([FINAL, "24000 31300 25500 11500", FINAL], "raw", id="a slip among them"),
        pytest.param([FINAL, SETTLED], "", id="half and half"),
        pytest.param(["1 2 3 4"], "", id="neither"),
        pytest.param(["0 0 0 0"], "", id="nothing at all"),
        pytest.param([], "", id="no games"),
    ],
)
def test_sums_of_the_file_tell_what_its_numbers_are(written: list[str], kind: str) -> None:
    assert kind_of(tables(*written), START) == kind


HEAD = "東,{0},南,{0},西,{0},北,{0}\n"


@pytest.mark.parametrize(
    ("head", "numbers", "found"),
    [
        ("ポイント", FINAL, "raw"),
        ("得点", SETTLED, "points"),
        ("ポイント", SETTLED, ""),
        ("得点", FINAL, ""),
        ("得点", "x 1 2 3", ""),
        ("得点", "1  2 3", ""),
    ],
)
def test_columns_are_called_what_they_are(head: str, numbers: str, found: str) -> None:
    games, columns = records(HEAD.format(head) + "A,{},B,{},C,{},D,{}\n".format(*numbers.split(" ")))
    settled = columns_by_sums(games, columns, START)
    assert {column[:-1] for column in settled} == {"player", found or ("points" if head == "ポイント" else "raw")}


def test_existing_columns_are_not_renamed() -> None:
    games, columns = records(
        "選手1,素点1,ポイント1,選手2,素点2,ポイント2,選手3,素点3,ポイント3\nA,45.0,1,B,-20,2,C,-25,3\n"
    )
    assert columns_by_sums(games, columns, START) == columns


@pytest.mark.parametrize(
    ("numbers", "unit", "sticks", "missing"),
    [
        pytest.param("30700 31300 25500 11500", 1, 0, 1, id="one stick"),
        pytest.param("29700 31300 25500 11500", 1, 1, 1, id="one more than was written"),
        pytest.param("307 313 255 115", 100, 0, 1, id="in hundreds"),
        pytest.param(FINAL, 1, 0, 0, id="total is right"),
        pytest.param("30700 31300 25500 11500", 1, 1, 0, id="adds up with its stick"),
        pytest.param("30650 31300 25500 11500", 1, 0, 0, id="no whole stick"),
        pytest.param("21700 31300 25500 11500", 1, 0, 0, id="too many sticks"),
        pytest.param("0.0001 31300 25500 11500", 1, 0, 0, id="no score"),
        pytest.param("30700 31300 25500", 1, 0, 0, id="another number of players"),
    ],
)
def test_missing_sticks(numbers: str, unit: int, sticks: int, missing: int) -> None:
    assert sticks_missing(tables(numbers)[0], unit, sticks, START) == missing


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


def test_total_of_a_player_has_its_day_and_problems() -> None:
    calendar = DateReading(TODAY)
    found = total_of(Total(3, "青木", Decimal("-10.5"), 4, "2025-11-21", "第1節"), calendar, "")
    assert (found.points, found.hanchan, found.written.name, found.problems) == (-10_500, 4, "青木", ())
    assert found.session is not None
    assert (found.session.day, found.session.label) == (date(2025, 11, 21), "第1節")
    assert total_of(Total(3, "青木", Decimal(1)), calendar, "2025-11-22").session is not None
    assert [note.code for note in total_of(Total(3, "青木", Decimal(1)), calendar, "none").problems] == ["date_missing"]


def test_namesakes_are_one_table_and_people_without_a_score_sat_out() -> None:
    rows = ("青木,1", "田中,2", "田中,2", "石田,3", "上野,")
    (game,) = games_of("日付,卓,回戦,選手,素点\n" + "\n".join(f"11/21,1,1,{row}" for row in rows))
    assert game.names == ["青木", "田中", "石田", "田中"]


def test_rows_of_three_players_are_games_of_three() -> None:
    text = "日付,選手,素点\n" + "\n".join(f"11/21,{name},1" for _ in range(2) for name in FOUR[:3])
    assert [len(game.entries) for game in games_of(text, 3)] == [3, 3]


def test_incomplete_game_ends_with_its_session() -> None:
    text = long("11/21,,,", names=FOUR[:3]) + "\n" + long("11/22,,,").split("\n", 1)[1]
    assert [len(game.entries) for game in games_of(text)] == [3, 4]
