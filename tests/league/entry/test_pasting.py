"""Rectangles as people copy them out of Excel and Google Sheets."""

import pytest

from league.core.pasting import PastedBlock, PastedRow, from_row, mistaken_unit, read_block, sits_out, split_cell


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("317", ("317", None)),
        ("317 東", ("317", 0)),
        ("N▲15", ("▲15", 3)),
        ("３１７南", ("317", 1)),
        ("w 255", ("255", 2)),
        ("東317東", ("東317東", None)),
        ("abc", ("abc", None)),
        ("=SUM(A1) 東", ("=SUM(A1)", 0)),
        ("=SUM(A1)東", ("=SUM(A1)東", None)),
        ("", ("", None)),
        pytest.param("1" + " " * 20_000 + "!東1", ("1 !東1", None), id="a long run of blanks"),
    ],
)
def test_a_cell_holds_a_score_and_perhaps_a_seat(text: str, split: tuple[str, int | None]) -> None:
    assert split_cell(text) == split


@pytest.mark.parametrize("text", ["", " ", "抜け", "—", "－", "OUT"])
def test_words_for_sitting_out(text: str) -> None:
    assert sits_out(text)


def test_a_sheet_with_everything_on_it() -> None:
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
        (5,),
        header=1,
    )


@pytest.mark.parametrize("scores", ["317\t313\t255\t115", "31700\t31300\t25500\t11500", "31.7\t31.3\t25.5\t11.5"])
def test_the_unit_is_what_adds_up(scores: str) -> None:
    assert read_block(scores, 25000, 4).rows == (PastedRow(1, ("317", "313", "255", "115")),)


def test_a_row_in_another_unit_than_the_rest_is_read_in_its_own() -> None:
    text = "42300\t28100\t19600\t10000\n400\t300\t200\t100\n31.7\t31.3\t25.5\t11.5\n400\t300\t200\t90"
    rows = read_block(text, 25000, 4).rows
    assert [row.cells for row in rows[:3]] == [
        ("423", "281", "196", "100"),
        ("400", "300", "200", "100"),
        ("317", "313", "255", "115"),
    ]


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
def test_what_a_row_that_does_not_add_up_looks_like(raw: tuple[int, ...], unit: str) -> None:
    assert mistaken_unit(raw, 100_000) == unit


def test_small_scores_in_points_are_not_taken_for_hundreds() -> None:
    (row,) = read_block("95000\t3000\t1500\t500", 25000, 4).rows
    assert row.cells == ("950", "30", "15", "5")


def test_a_column_of_sticks_and_seats_beside_scores() -> None:
    text = "Aoki\tIshida\tUeno\tEguchi\tSticks\n317 E\t313 N\t255 S\t105 W\t1"
    (row,) = read_block(text, 25000, 4).rows
    assert row == PastedRow(2, ("317 東", "313 北", "255 南", "105 西"), None, "1")


def test_what_cannot_be_read_stays_as_it_is() -> None:
    (row,) = read_block("317\tabc1\t255\t11.57", 25000, 4).rows
    assert row.cells[1] == "abc1"
    (row,) = read_block("31700\t31300\t25500\t11550", 25000, 4).rows
    assert row.cells[3] == "11550"
    (row,) = read_block("99300\t150\t300\t250", 25000, 4).rows
    assert row.cells[1:] == ("150", "3", "250")


def test_fractions_of_a_point_stay_as_they_are() -> None:
    (first, second) = read_block("31700\t31300\t25500\t11500\n31700.5\t31300\t25500\t11500", 25000, 4).rows
    assert first.cells[0] == "317"
    assert second.cells[0] == "31700.5"


def test_labels_without_a_header() -> None:
    (first, second) = read_block("1回戦\t317\t313\t255\t115\nおまけ\t250\t250\t250\t250", 25000, 4).rows
    assert (first.round, first.cells) == (1, ("317", "313", "255", "115"))
    assert second.round is None


def test_a_short_row_misses_its_last_cells() -> None:
    rows = read_block("317\t313\t255\t115\n500\t500", 25000, 4).rows
    assert rows[1].cells == ("500", "500", "", "")


@pytest.mark.parametrize("text", ["", "\n\n", "合計\t\t\t", "青木\t石田\t上野\t江口"])
def test_blocks_without_a_hanchan(text: str) -> None:
    assert read_block(text, 25000, 4).rows == ()


def test_commas_divide_where_there_are_no_tabs() -> None:
    (row,) = read_block("317,313,255,115", 25000, 4).rows
    assert row.cells == ("317", "313", "255", "115")


@pytest.mark.parametrize("names", ["", "May\n\t青木\t石田\t上野\t江口\n"], ids=["no names", "names"])
def test_the_rows_that_found_no_place_can_be_pasted_once_more(names: str) -> None:
    text = names + "1回戦\t317\t313\t255\t115\r\n2回戦\t250\t250\t250\t250\r\n"
    block = read_block(text, 25000, 4)
    again = read_block(from_row(text, block, block.rows[1]), 25000, 4)
    assert again.names == block.names
    assert [(row.round, row.cells) for row in again.rows] == [(2, ("250", "250", "250", "250"))]
