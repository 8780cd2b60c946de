import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets import cells
from scoring.core import Bust

NAMES = ["青木", "石田さん", "うえの", "江口"]


@given(st.text())
def test_escaped_text_returns_and_is_not_a_formula(text: str) -> None:
    cell = cells.escaped(text)
    assert cells.unescaped(cell) == text
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"))


def test_lists_are_joined() -> None:
    assert cells.write_list(["a|b", "c\\", ""]) == "a\\|b|c\\\\|\\0"


SEATS = st.sets(st.integers(0, 3), max_size=3).map(lambda seats: tuple(sorted(seats)))
SHARES = st.dictionaries(st.integers(0, 3), st.integers(0, 20_000), max_size=3).map(
    lambda given: tuple(sorted(given.items()))
)
BUSTS = st.one_of(
    st.builds(Bust, st.just(3), st.just("win"), winners=SEATS, shares=SHARES),
    st.builds(Bust, st.just(3), st.just("draw"), tenpai=SEATS, shares=SHARES),
    st.builds(Bust, st.just(3), st.sampled_from(["riichi", "other"]), shares=SHARES),
)


@given(BUSTS, st.booleans())
def test_busts_come_back(bust: Bust, is_japanese: bool) -> None:
    assert cells.read_bust(cells.write_bust(bust, is_japanese=is_japanese), 3, NAMES) == bust
    assert cells.write_bust(None) == ""


def test_busts_are_written_in_words() -> None:
    bust = Bust(3, "draw", tenpai=(0, 2), shares=((0, 5000),))
    assert cells.write_bust(bust) == "draw, tenpai: East, West / East=5"
    assert cells.write_bust(bust, is_japanese=True) == "流局・テンパイ: 東・西 / 東=5"
    assert cells.write_bust(Bust(3, "win", winners=(2,)), is_japanese=True) == "アガリ: 西"


@pytest.mark.parametrize(
    ("text", "bust"),
    [
        pytest.param("win:E", Bust(3, "win", winners=(0,)), id="by codes"),
        pytest.param("青木", Bust(3, "win", winners=(0,)), id="a name won"),
        pytest.param("青木+うえの", Bust(3, "win", winners=(0, 2)), id="two names"),
        pytest.param("ウエノ", Bust(3, "win", winners=(2,)), id="by sound"),
        pytest.param("東", Bust(3, "win", winners=(0,)), id="a wind"),
        pytest.param("流局：東・西", Bust(3, "draw", tenpai=(0, 2)), id="in Japanese"),
        pytest.param("リーチ", Bust(3, "riichi"), id="a cause alone"),
        pytest.param("other/E=5+W=5", Bust(3, "other", shares=((0, 5000), (2, 5000))), id="shares"),
    ],
)
def test_people_write_busts_in_other_ways(text: str, bust: Bust) -> None:
    assert cells.read_bust(text, 3, NAMES) == bust


@pytest.mark.parametrize("text", ["x", "win:x", "win:1", "cause:E", "win:E/S", "win:E/S=x", "a:b:c", "win:E/S=0.00001"])
def test_busts_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(cells.CellError) as refusal:
        cells.read_bust(text, 3, NAMES)
    assert str(refusal.value) == text


@pytest.mark.parametrize(
    ("text", "seat"),
    [("E", 0), ("南", 1), ("西家", 2), ("north", 3), ("起家", 0), ("1", 0), ("４", 3), ("5", None), ("", None)],
)
def test_seats(text: str, seat: int | None) -> None:
    assert cells.read_seat(text) == seat


def test_states_are_codes_or_words() -> None:
    assert {cells.read_state(text) for text in ("voided", "取り消し", "無効", "取消")} == {"voided"}
    with pytest.raises(cells.CellError):
        cells.read_state("???")


def test_flags() -> None:
    assert {cells.read_flag(text) for text in ("1", "はい", "○")} == {True}
    assert {cells.read_flag(text) for text in ("0", "no", "×")} == {False}
    assert cells.read_flag("") is None
    with pytest.raises(cells.CellError):
        cells.read_flag("?")
