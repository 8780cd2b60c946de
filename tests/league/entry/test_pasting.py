import pytest

from league.core.entry import mistaken_unit
from league.core.pasting import PastedBlock, PastedRow, from_row, read_block
from league.core.spreadsheets.cells import sits_out


@pytest.mark.parametrize("text", ["", " ", "抜け", "—", "－", "OUT"])
def test_words_for_sitting_out_are_recognised(text: str) -> None:
    assert sits_out(text)


def test_block_with_names_labels_and_sums_is_read() -> None:
    text = (
        "\t青木\t石田\t上野\t江口\t小川\t計\n"
        "1回戦\t42,300\t28,100\t19,600\t10,000\t抜け\t100,000\n"
        "2回戦\t２２１００\t12300\t\t30200\t35,400\t100000\n"
        "3\t52,500\t▲1,500\t41,000\t\t8,000\t\n"
        "小計\t1\t2\t3\t4\t5\t\n"
    )
    assert read_block(text, 25000, 4) == PastedBlock(
        ("青木", "石田", "上野", "江口", "小川"),
        (
            PastedRow(2, ("423", "281", "196", "100", ""), 1),
            PastedRow(3, ("221", "123", "", "302", "354"), 2),
            PastedRow(4, ("525", "-15", "410", "", "80"), 3),
        ),
        header=1,
    )


@pytest.mark.parametrize(
    ("raw", "unit"),
    [
        pytest.param((21700, 1300, -4500, -18500), "points", id="points"),
        pytest.param((21700, 1300, -4500, -17500), "points", id="points with a chombo"),
        pytest.param((4, 3, 2, 1), "units", id="nearly nothing"),
        pytest.param((31700, 31300, 25500, 1150000), "units", id="one too large"),
        pytest.param((31700, 31300, 25500, 10500), "", id="a stick"),
        pytest.param((71700, 31300, -2500, -10500), "", id="busts"),
    ],
)
def test_wrong_sum_suggests_the_mistaken_unit(raw: tuple[int, ...], unit: str) -> None:
    assert mistaken_unit(raw, 100_000) == unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("317\t313\t255\t115", ["317 313 255 115"], id="hundreds"),
        pytest.param("31700\t31300\t25500\t11500", ["317 313 255 115"], id="points"),
        pytest.param("31.7\t31.3\t25.5\t11.5", ["317 313 255 115"], id="thousands"),
        pytest.param("95000\t3000\t1500\t500", ["950 30 15 5"], id="small scores in points"),
        pytest.param("400\t300\t200\t100\n31.7\t31.3\t25.5\t11.5", ["400 300 200 100", "317 313 255 115"], id="mixed"),
        pytest.param("31700.5\t31300\t25500\t11500", ["31700.5 313 255 115"], id="fraction of a point"),
        pytest.param("317,313,255,115", ["317 313 255 115"], id="commas"),
        pytest.param("青木\t石田\t上野\tゲスト\n317\t313\t255\t115", ["317 313 255 115"], id="a guest"),
        pytest.param("317\tabc1\t255\t11.57", ["317 abc1 255 11.57"], id="unreadable"),
        pytest.param("31700\t31300\t25500\t11550", ["317 313 255 11550"], id="not hundreds"),
        pytest.param("99300\t150\t300\t250", ["993 150 3 250"], id="units that do not add up"),
        pytest.param("317\t313\t255\t115\n500\t500", ["317 313 255 115", "500 500 - -"], id="short row"),
        pytest.param("60000\t25000\t16000\t-1000 東", ["600 250 160 -10_東"], id="bust"),
    ],
)
def test_scores_of_a_block_are_read(text: str, expected: list[str]) -> None:
    rows = read_block(text, 25000, 4).rows
    assert [" ".join(cell.replace(" ", "_") or "-" for cell in row.cells) for row in rows] == expected


@pytest.mark.parametrize("scores", ["450\t350\t\t250", "45000\t35,000\t\t25000", "45.0\t35.0\t抜け\t25.0"])
def test_scores_of_three_players_are_read(scores: str) -> None:
    assert read_block(scores, 35000, 3).rows == (PastedRow(1, ("450", "350", "", "250")),)


def test_labels_seats_and_sticks_are_read_beside_the_scores() -> None:
    (first, second) = read_block("1回戦\t317\t313\t255\t115\nおまけ\t250\t250\t250\t250", 25000, 4).rows
    assert (first.round, first.cells) == (1, ("317", "313", "255", "115"))
    assert second.round is None
    (row,) = read_block("Aoki\tIshida\tUeno\tEguchi\tSticks\n317 E\t313 N\t255 S\t105 W\t1", 25000, 4).rows
    assert row == PastedRow(2, ("317 東", "313 北", "255 南", "105 西"), None, "1")


@pytest.mark.parametrize("text", ["", "\n\n", "合計\t\t\t", "青木\t石田\t上野\t江口"])
def test_block_without_a_hanchan_has_no_rows(text: str) -> None:
    assert read_block(text, 25000, 4).rows == ()


@pytest.mark.parametrize("names", ["", "May\n\t青木\t石田\t上野\t江口\n"], ids=["no names", "names"])
def test_rows_that_did_not_fit_can_be_pasted_again(names: str) -> None:
    text = names + "1回戦\t317\t313\t255\t115\r\n2回戦\t250\t250\t250\t250\r\n"
    block = read_block(text, 25000, 4)
    again = read_block(from_row(text, block, block.rows[1]), 25000, 4)
    assert again.names == block.names
    assert [(row.round, row.cells) for row in again.rows] == [(2, ("250", "250", "250", "250"))]


MATRIX = (
    "回戦\t卓\t青木\t石田\t上野\t江口\t小川\t久保\t西田\t林\n"
    "1\t1\t317\t313\t255\t115\t\t\t\t\n"
    "1\t2\t\t\t\t\t400\t300\t200\t100\n"
)
BY_SEAT = (
    "回戦\t卓\t東\t点\t南\t点\t西\t点\t北\t点\n"
    "1\t1\t青木\t31700\t石田\t31300\t上野\t25500\t江口\t11500\n"
    "1\t2\t小川\t40000\t久保\t30000\t西田\t20000\t林\t10000\n"
)
BY_LINE = (
    "回戦\t卓\t名前\t素点\n"
    "1\t1\t青木\t31700\n\t\t石田\t31300\n\t\t上野\t25500\n\t\t江口\t11500\n"
    "1\t2\t小川\t40000\n\t\t久保\t30000\n\t\t西田\t20000\n\t\t林\t10000\n"
)
IN_ONE_CELL = (
    "回戦\t卓\t東\t南\t西\t北\n"
    "1\t1\t青木 317\t石田 313\t上野 255\t江口 115\n"
    "1\t2\t小川 400\t久保 300\t西田 200\t林 100\n"
)


@pytest.mark.parametrize("text", [MATRIX, BY_SEAT, BY_LINE, IN_ONE_CELL], ids=["matrix", "seats", "lines", "one cell"])
def test_block_with_rounds_and_tables_names_its_rows(text: str) -> None:
    block = read_block(text, 25000, 4)
    assert block.names == ("青木", "石田", "上野", "江口", "小川", "久保", "西田", "林")
    assert [(row.round, row.table) for row in block.rows] == [(1, 1), (1, 2)]
    plain = [tuple(cell.split()[0] if cell else "" for cell in row.cells) for row in block.rows]
    assert plain == [("317", "313", "255", "115", "", "", "", ""), ("", "", "", "", "400", "300", "200", "100")]


def test_scores_under_winds_need_no_names() -> None:
    block = read_block("回戦\t卓\t東\t南\t西\t北\n2\t3\t317\t313\t255\t115", 25000, 4)
    assert block.names == ("東", "南", "西", "北")
    assert block.rows == (PastedRow(2, ("317", "313", "255", "115"), 2, "", 3),)


def test_block_with_a_line_per_player_keeps_sticks_and_seats() -> None:
    text = "回戦\t席\t名前\t素点\t供託\n1\t北\t青木\t117\t1\n1\t西\t石田\t255\n1\t南\t上野\t313\n1\t東\t江口\t305\n2\t\t青木\t400"
    block = read_block(text, 25000, 4)
    assert block.rows[0].sticks == "1"
    assert block.rows[0].cells == ("117 北", "255 西", "313 南", "305 東")
    assert [row.round for row in block.rows] == [1, 2]


def test_seat_column_belongs_to_the_player_not_the_bust() -> None:
    text = "回戦\t席\t名前\t素点\n1\t北\t青木\t-15 東\n1\t東\t石田\t615\n1\t南\t上野\t300\n1\t西\t江口\t100"
    assert read_block(text, 25000, 4).rows[0].cells == ("-15 北 東", "615 東", "300 南", "100 西")


def test_stray_name_under_winds_is_not_a_heading() -> None:
    lines = ["東\t南\t西\t北", "317\t313\t255\t115", "400\t300\t抜け 0\t100", "▲ 15\t500\t315\t200"]
    block = read_block("\n".join(lines), 25000, 4)
    assert block.names == ("東", "南", "西", "北")
    assert len(block.rows) == 3


def test_lines_without_name_or_score_are_skipped() -> None:
    head = "回戦\t卓\t名前\t素点\n"
    assert read_block(head + "1\t1\t\t31700\n1\t1\t青木\t", 25000, 4).rows == ()
    (row,) = read_block(head + "1\t1\t青木\t31700\n1\t1\t\t\n1\t1\t石田\t31300", 25000, 4).rows
    assert row.cells == ("317", "313")
