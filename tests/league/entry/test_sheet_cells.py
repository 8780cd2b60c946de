import pytest

from league.core.sheet_cells import TypedText, in_english, read_cell, seated, write_cell
from scoring.core import Bust


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("317", TypedText("317")),
        ("E317", TypedText("317", 0, behind="東")),
        ("w 255", TypedText("255", 2, behind="西")),
        ("３１７南", TypedText("317", 1, is_open=True, behind="南")),
        ("-15 東", TypedText("-15", 0, is_open=True, behind="東")),
        ("▲15 北 東", TypedText("▲15", 3, cause="win", who=(0,), behind="北 東")),
        ("N▲15 東", TypedText("▲15", 3, cause="win", who=(0,), behind="北 東")),
        ("N▲15東", TypedText("N▲15東")),
        ("-15 東南", TypedText("-15", cause="win", who=(0, 1), behind="東南")),
        ("-15 東+南", TypedText("-15", cause="win", who=(0, 1), behind="東南")),
        ("-15 トビ 東", TypedText("-15", cause="win", who=(0,), behind="トビ 東")),
        ("-15 win:E", TypedText("-15", cause="win", who=(0,), behind="トビ 東")),
        ("-15 流局 東南", TypedText("-15", cause="draw", who=(0, 1), behind="流局 東南")),
        ("-15 流局 東 南", TypedText("-15", cause="draw", who=(0, 1), behind="流局 東南")),
        ("-15 draw:E+W", TypedText("-15", cause="draw", who=(0, 2), behind="流局 東西")),
        ("-15 北 流局 東", TypedText("-15", 3, cause="draw", who=(0,), behind="北 流局 東")),
        ("-15 リーチ", TypedText("-15", cause="riichi", behind="リーチ")),
        ("-15 other", TypedText("-15", cause="other", behind="その他")),
        ("255 チョンボ", TypedText("255", chombo=1, behind="チョンボ")),
        ("255 南 c2", TypedText("255", 1, is_open=True, chombo=2, behind="南 チョンボ2")),
        ("255 chombo0", TypedText("255", chombo=0, behind="チョンボ0")),
        ("", TypedText("")),
        ("東", TypedText("", 0, behind="東")),
        ("abc", TypedText("abc")),
        ("=SUM(A1) 東", TypedText("=SUM(A1)", 0, is_open=True, behind="東")),
        ("-15 流局 リーチ", TypedText("-15 流局 リーチ")),
        ("東317東", TypedText("東317東")),
        pytest.param("1" + " " * 20_000 + "!東1", TypedText("1 !東1"), id="a long run of blanks"),
    ],
)
def test_cell_is_read_as_score_seat_and_bust(text: str, cell: TypedText) -> None:
    assert read_cell(text) == cell


def test_single_wind_can_be_the_winner_who_caused_a_bust() -> None:
    assert read_cell("-15 東").as_bust() == TypedText("-15", cause="win", who=(0,), behind="東")
    assert read_cell("-15 北 東").as_bust() == read_cell("-15 北 東")
    assert read_cell("317").as_bust() == TypedText("317")


@pytest.mark.parametrize(
    ("seat", "bust", "chombo", "text"),
    [
        (None, None, 0, "▲15"),
        (3, None, 0, "▲15 北"),
        (3, Bust(3, "win", winners=(0,)), 0, "▲15 北 東"),
        (None, Bust(3, "win", winners=(0,)), 0, "▲15 トビ 東"),
        (3, Bust(3, "win", winners=(0, 1)), 2, "▲15 北 東南 チョンボ2"),
        (3, Bust(3, "draw", tenpai=(0, 1)), 0, "▲15 北 流局 東南"),
        (3, Bust(3, "riichi"), 0, "▲15 北 リーチ"),
        (3, Bust(3, "other"), 1, "▲15 北 その他 チョンボ"),
    ],
)
def test_exported_cell_is_read_back(seat: int | None, bust: Bust | None, chombo: int, text: str) -> None:
    assert write_cell("▲15", seat, bust, chombo) == text
    cell = read_cell(text)
    assert cell == read_cell(in_english(text))
    assert (cell.score, cell.bust_of(3), cell.chombo or 0) == ("▲15", bust, chombo)
    assert cell.seat == seat


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("317", "317 北"),
        ("-15 東", "-15 北 東"),
        ("-15 北", "-15 北"),
        ("-15 流局 東南", "-15 北 流局 東南"),
        ("255 チョンボ", "255 北 チョンボ"),
        ("E317", "E317"),
        ("-15 東 南", "-15 東 南"),
    ],
)
def test_known_seat_is_written_before_the_bust(text: str, told: str) -> None:
    assert seated(text, 3) == told
