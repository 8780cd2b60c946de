from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.searching import MAX_SEARCH_LENGTH, MAX_WORDS, SearchKeys, SoughtDay, Wanted, day_of

SPELLINGS = ("大野", "大野太郎", "大野　太郎", "太郎 大野", "おおの", "オオノ", "ｵｵﾉ")
ROMANISED = ("oono", "Ohno", "ŌNO", "taro ono", "onotaro", "ＯＮＯ")
OTHERS = ("小野田", "のおお", "ono jiro", "大野 次郎", "", " ", "\0", "😀")


@pytest.mark.parametrize(
    ("names", "found", "missed"),
    [
        pytest.param(("大野 太郎", "おおの たろう"), (*SPELLINGS, *ROMANISED), OTHERS, id="any spelling"),
        pytest.param(("高崎",), ("髙﨑",), (), id="variant kanji"),
        pytest.param(("髙﨑",), ("高崎",), (), id="variant kanji in the name"),
        pytest.param(("青木太郎",), ("aoki",), ("ishida",), id="the usual reading of a name without one"),
        pytest.param(("Aoki",), ("あおき",), (), id="a Latin name by kana"),
        pytest.param(("あおき",), ("oki",), ("ki",), id="two Latin letters only at the start"),
    ],
)
def test_player_is_found_by_spelling(names: tuple[str, ...], found: tuple[str, ...], missed: tuple[str, ...]) -> None:
    keys = SearchKeys.of(names)
    assert [typed for typed in (*found, *missed) if Wanted.of(typed).rank_of(keys) is not None] == [*found]


def test_exact_matches_rank_before_prefixes_and_substrings() -> None:
    ranks = [Wanted.of("おの").rank_of(SearchKeys.of(each)) for each in (("おの",), ("おのだ",), ("こおの",))]
    assert all(rank is not None for rank in ranks)
    assert ranks == sorted(ranks, key=lambda rank: rank or 0)
    assert len(set(ranks)) == 3


@pytest.mark.parametrize(
    ("typed", "title", "is_meant"),
    [
        ("第3節", "第3節", True),
        ("第３節", "第3節", True),
        ("3", "第3節", True),
        ("3", "第13節", False),
        ("3", "第30節", False),
        ("第3", "第30節", False),
        ("Session 3", "Session 3", True),
        ("節3", "第3節", False),
        ("荻窪", "荻窪 雀荘", True),
        ("ogikubo", "おぎくぼ", True),
        ("round3", "round33", False),
    ],
)
def test_number_in_a_title_matches_only_as_a_whole(typed: str, title: str, is_meant: bool) -> None:
    assert Wanted.of(typed).is_title(SearchKeys.of((title,))) is is_meant


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-21", SoughtDay(2026, 11, 21)),
        ("2026/11/21(土)", SoughtDay(2026, 11, 21)),
        ("２０２６年１１月２１日", SoughtDay(2026, 11, 21)),
        ("20261121", SoughtDay(2026, 11, 21)),
        ("11/21", SoughtDay(None, 11, 21)),
        ("21.11", SoughtDay(None, 11, 21)),
        ("11月21日", SoughtDay(None, 11, 21)),
        ("11月21日土曜日", SoughtDay(None, 11, 21)),
        ("2026-11", SoughtDay(2026, 11)),
        ("2026年11月", SoughtDay(2026, 11)),
        ("11月", SoughtDay(None, 11)),
        ("2026", SoughtDay(2026)),
        ("Sat 21 Nov 2026", SoughtDay(2026, 11, 21)),
        ("November 21st, 2026", SoughtDay(2026, 11, 21)),
        ("21 nov", SoughtDay(None, 11, 21)),
        ("Nov 2026", SoughtDay(2026, 11)),
        ("21", None),
        ("青木", None),
        ("", None),
    ],
)
def test_days_are_parsed_in_many_formats(text: str, day: SoughtDay | None) -> None:
    assert day_of(text) == day


def test_session_is_found_by_day_and_venue_together() -> None:
    keys, played = SearchKeys.of(("第3節", "荻窪")), date(2026, 11, 21)
    assert Wanted.of("荻窪 11/21").is_title(keys, played)
    assert Wanted.of("21 Nov 2026").is_title(keys, played)
    assert not Wanted.of("荻窪 11/22").is_title(keys, played)
    assert not Wanted.of("中野 11/21").is_title(keys, played)


def test_search_input_is_limited() -> None:
    wanted = Wanted.of("あ い う え お か き く け こ" + "さ" * 10_000)
    assert len(wanted.text) == MAX_SEARCH_LENGTH
    assert len(wanted.words) == MAX_WORDS


@given(st.text(max_size=80), st.text(min_size=1, max_size=40))
def test_any_search_input_is_accepted(typed: str, name: str) -> None:
    wanted = Wanted.of(typed)
    keys = SearchKeys.of((name,))
    assert wanted.is_title(keys, date(2026, 11, 21)) in {True, False}
    assert bool(wanted.words) or wanted.rank_of(keys) is None


def test_numbered_title_is_found_by_its_number() -> None:
    titles = SearchKeys.of(("第0節",))
    assert Wanted.of("第12節").is_title(titles.numbered(12))
    assert not Wanted.of("第12節").is_title(titles.numbered(2))
