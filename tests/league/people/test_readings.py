import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.readings import alike, folded, index_row, romaji


@pytest.mark.parametrize("written", ["あおき", "アオキ", "ｱｵｷ", " アオ キ "])
def test_spellings_of_a_reading_fold_to_hiragana(written: str) -> None:
    assert folded(written) == "あおき"


@pytest.mark.parametrize(
    ("reading", "row"),
    [
        ("あおき", "あ"),
        ("がもう", "か"),
        ("ぱく", "は"),
        ("ッキ", "た"),
        ("ゃ", "や"),
        ("ん", "わ"),
        ("を", "わ"),
        ("Wilson", "W"),
        ("ｗilson", "W"),
        ("青木", "#"),
        ("7", "#"),
        ("", "#"),
    ],
)
def test_reading_belongs_to_an_index_row(reading: str, row: str) -> None:
    assert index_row(reading) == row


@pytest.mark.parametrize(
    "spellings",
    [
        pytest.param(
            ("おおの", "オオノ", "ｵｵﾉ", "oono", "ono", "ohno", "Ōno", "ôno", "OHNO", "ＯＮＯ"), id="long vowels"
        ),
        pytest.param(("さとう", "satou", "sato", "satoh", "Satō", "satoo"), id="long at the end"),
        pytest.param(("ゆうき", "yuuki", "yuki", "yūki"), id="long u"),
        pytest.param(("しんいち", "shinichi", "sinniti", "shin'ichi", "Shin-ichi"), id="n before a vowel"),
        pytest.param(("ほんま", "honma", "homma"), id="n before m"),
        pytest.param(("まっち", "matchi", "macchi", "matti"), id="doubled ch"),
        pytest.param(("いっしょう", "issho", "isshou", "issyou"), id="doubled sh"),
        pytest.param(("じょうじ", "joji", "zyozi", "jouji", "jyoji"), id="j"),
        pytest.param(("つづき", "tsuzuki", "tuduki", "tsuduki", "tuzuki"), id="づ"),
        pytest.param(("ちぢむ", "chijimu", "tidimu", "chidimu"), id="ぢ"),
        pytest.param(("ふじ", "fuji", "huzi"), id="f"),
        pytest.param(("ファン", "fan"), id="small a"),
        pytest.param(("シェン", "shen", "syen"), id="small e after i"),
        pytest.param(("ウィル", "wiru", "wilu"), id="small i after u"),
        pytest.param(("ヴァン", "van"), id="v"),
        pytest.param(("アァ", "aa"), id="small vowel after a vowel"),
        pytest.param(("たかはし", "takahashi", "takahasi"), id="h before a vowel stays"),
    ],
)
def test_romanised_spellings_of_a_name_are_equal(spellings: tuple[str, ...]) -> None:
    assert {romaji(spelling) for spelling in spellings} == {romaji(spellings[0])}
    assert romaji(spellings[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("あおき", "おおき", id="a and o"),
        pytest.param("はら", "ばら", id="voiced"),
        pytest.param("おはら", "おあら", id="h between vowels"),
        pytest.param("きよ", "きょ", id="small y"),
        pytest.param("かた", "かった", id="doubled"),
    ],
)
def test_romanised_spellings_of_other_names_differ(one: str, other: str) -> None:
    assert romaji(one) != romaji(other)


@pytest.mark.parametrize("text", ["", "青木", "あお木", "😀", "Ао́ки", "ー", "a b@"])
def test_names_in_other_scripts_have_no_romaji(text: str) -> None:
    assert romaji(text) == ""


@given(st.text(max_size=30))
def test_romaji_of_any_text_is_alphanumeric_ascii(text: str) -> None:
    read = romaji(text)
    assert read == "" or (read.isascii() and read.isalnum())


@given(
    st.text(
        alphabet="あいうえおかがきぎくけこさしじすせそたちつてとなにのはひふへほばぴまみむめもやゆよらりるれろわん",
        max_size=8,
    )
)
def test_katakana_is_romanised_like_hiragana(kana: str) -> None:
    assert romaji(kana) == romaji("".join(chr(ord(char) + 0x60) for char in kana))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("高田", "髙田"),
        ("山崎", "山﨑"),
        ("吉野", "𠮷野"),
        ("渡辺", "渡邊"),
        ("渡辺", "渡邉"),
        ("斉藤", "齋藤"),
        ("浜田", "濵田"),
    ],
)
def test_variant_characters_are_alike_but_not_equal(one: str, other: str) -> None:
    assert alike(one) == alike(other) != alike("高井")
    assert folded(one) != folded(other)
