from importlib import resources

import pytest

from league.core.name_order import (
    FAMILY_NAMES,
    MAX_ORDER_LENGTH,
    GuessedReading,
    guessed_reading,
    listed_reading,
    name_order,
)
from league.core.readings import folded, usual_letters


def test_names_are_in_japanese_dictionary_order() -> None:
    listed = [
        ("青木", "あおき", ""),
        ("赤木", "", ""),
        ("アントン", "", ""),
        ("加藤", "かとう", ""),
        ("賀藤", "ガトウ", ""),
        ("加藤木", "かとうぎ", ""),
        ("キーラ", "", ""),
        ("岸ゆうか", "きしゆうか", ""),
        ("岸ゆか", "きしゆか", ""),
        ("気仙", "キセン", ""),
        ("佐藤あおい", "", ""),
        ("佐藤 葵", "", ""),
        ("髙橋", "", ""),
        ("渡邊", "", ""),
        ("Anna", "", ""),
        ("Émile", "", ""),
        ("Иван", "", "Ivan"),
        ("zoe", "", ""),
        ("鶫", "", ""),
    ]
    keys = [name_order(*names) for names in listed]
    assert keys == sorted(keys)


def test_sort_key_is_lower_case_hexadecimal() -> None:
    keys = [name_order("𠮷" * 40, "が" * 60, ""), name_order("佐", "", ""), name_order("", "", "")]
    assert all(set(key) <= set("0123456789abcdef") for key in keys)
    assert all(len(key) <= MAX_ORDER_LENGTH for key in keys)
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("name", "guess"),
    [
        pytest.param("佐藤", GuessedReading("さとう"), id="a family name alone"),
        pytest.param("佐藤 健", GuessedReading("さとう", "健"), id="with a given name in kanji"),
        pytest.param("佐藤健", GuessedReading("さとう", "健"), id="written in one"),
        pytest.param("佐藤　ケン", GuessedReading("さとう けん"), id="with a given name in kana"),
        pytest.param("高木ブー", GuessedReading("たかぎ ぶー"), id="kana without a space"),
        pytest.param("齋藤", GuessedReading("さいとう"), id="a variant of a kanji"),
        pytest.param("東海林", GuessedReading("しょうじ"), id="the longest name that fits"),
        pytest.param("林 ひろ", GuessedReading("はやし ひろ"), id="one kanji before a space"),
        pytest.param("林檎", None, id="one kanji inside a word"),
        pytest.param("鶫", None, id="an unusual name"),
        pytest.param("さくら", None, id="a name that can be read"),
        pytest.param("Aoki", None, id="a name in Latin letters"),
    ],
)
def test_reading_is_guessed_from_the_family_name(name: str, guess: GuessedReading | None) -> None:
    assert guessed_reading(name) == guess


@pytest.mark.parametrize(
    ("name", "kana", "romanised", "listed"),
    [
        pytest.param("青木", "せいぼく", "Aoki", "せいぼく", id="a reading beats a guess"),
        pytest.param("青木 実", "", "Aoki Minoru", "あおき実", id="a guess beats the Latin form"),
        pytest.param("鶫", "", "Tsugumi", "Tsugumi", id="the Latin form where there is no guess"),
        pytest.param("鶫", "", "", "鶫", id="nothing else"),
        pytest.param("池崎 亮", "", "", "い池崎 亮", id="family names with the same first kanji"),
        pytest.param("Иван", "", "Ivan", "Ivan", id="letters that are not Latin"),
        pytest.param("Ōno", "", "Oono", "Ōno", id="Latin letters"),
        pytest.param("佐藤一", "", "", "さとう一", id="a family name and the rest in one"),
    ],
)
def test_name_is_listed_by_its_reading_guess_or_latin_form(name: str, kana: str, romanised: str, listed: str) -> None:
    assert listed_reading(name, kana, romanised) == listed


def test_family_names_are_normalised_and_unique() -> None:
    assert all(usual_letters(name) == name for name in FAMILY_NAMES)
    assert all(folded(reading) == reading for reading in FAMILY_NAMES.values())
    lines = (resources.files("league.core") / "family_names.txt").read_text("utf-8").splitlines()
    assert sum(len(line.split()) - 1 for line in lines) == len(FAMILY_NAMES)
