import pytest

from league.core.masking import mask_of, masked, spellings, without_player

NAMES = ("青木 ひなた", "あおき ひなた", "Hinata Aoki", "ひなたん", "林")
OTHERS = ("小林", "青木 ひなたろう", "石田", "青木　ひなた", "")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param("青木 ひなたが親番で倍満", "#が親番で倍満", id="in a sentence"),
        pytest.param("青木ひなた、青木　ひなた", "#、#", id="with another space or none"),
        pytest.param("あおき ひなた", "#", id="read"),
        pytest.param("HINATA AOKI, hinata  aoki.", "#, #.", id="in letters"),
        pytest.param("Hinata Aokita", "Hinata Aokita", id="letters that go on"),
        pytest.param("ひなたん会", "#会", id="another name"),
        pytest.param("青木 ひなたろうが来た", "青木 ひなたろうが来た", id="a longer name of somebody else"),
        pytest.param("小林と林", "小林と林", id="one letter after another"),
        pytest.param("林 が来た", "# が来た", id="one letter alone"),
        pytest.param("石田", "石田", id="somebody else"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_name_is_masked_as_a_whole_word(text: str, left: str) -> None:
    assert mask_of(NAMES, OTHERS, "#")(text) == left


def test_empty_names_mask_nothing() -> None:
    assert mask_of(["", "\u200b"], OTHERS, "#")("青木") == "青木"


def test_spellings_of_a_name_differ_by_their_space() -> None:
    assert spellings(["青木 ひなた", "", "林"]) == ("青木 ひなた", "青木\u3000ひなた", "青木ひなた", "林")


def test_texts_and_keys_at_any_depth_are_masked() -> None:
    mask = mask_of(["青木"], [], "#")
    assert masked({"青木": ["青木", 1, None, ("青木 x",)], "ok": True}, mask) == {
        "#": ["#", 1, None, ["# x"]],
        "ok": True,
    }


def test_namesake_keeps_their_name() -> None:
    mask = mask_of(["青木"], [], "#1")
    seats = [{"player": 1, "name": "青木"}, {"player": 2, "name": "青木"}, {"player": 1, "name": None}]
    assert without_player({"seats": seats, "note": "青木", "list": ("青木",), "raw": 100}, {1: "#1"}, mask) == {
        "seats": [{"player": 1, "name": "#1"}, {"player": 2, "name": "青木"}, {"player": 1, "name": None}],
        "note": "#1",
        "list": ["#1"],
        "raw": 100,
    }
