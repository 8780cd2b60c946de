"""Matching of search queries with names, titles and dates.

All words must match. Width, case, kana, kanji variants and romanisation are ignored.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from league.core.name_order import guessed_reading
from league.core.readings import folded, romaji_of, usual_letters

MAX_SEARCH_LENGTH = 60
MAX_WORDS = 8
"""Limits of a query in characters and words; the rest is ignored."""

SHORTEST_INSIDE = 3
"""Minimum number of Latin letters to match inside a word."""

_BETWEEN_WORDS = re.compile(r"[\s・=＝]+")


@dataclass(frozen=True, slots=True)
class SearchKeys:
    """The searchable keys of an object: each word and the whole text, each between newlines.

    `written`: folded as written. `latin`: romanised.
    """

    written: str
    latin: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> "SearchKeys":
        """Build the keys from names, readings or titles."""
        keys = [_keys_of(text) for text in texts if text]
        return cls("".join(key.written for key in keys), "".join(key.latin for key in keys))

    def numbered(self, number: int) -> "SearchKeys":
        return SearchKeys(self.written.replace("0", str(number)), self.latin.replace("0", str(number)))


@lru_cache(maxsize=65536)
def _keys_of(text: str) -> SearchKeys:
    words = _folded_words(text)
    if len(words) > 1:
        words.append("".join(words))
    guess = guessed_reading(text)
    read = [*words, *_folded_words(guess.kana.replace(" ", ""))] if guess else words
    return SearchKeys(_lines(map(usual_letters, words)), _lines(map(romaji_of, read)))


def _folded_words(text: str) -> list[str]:
    return [word for word in folded("|".join(_BETWEEN_WORDS.split(text))).split("|") if word]


def _lines(keys: Iterable[str]) -> str:
    """Join the keys, each with a newline before and after it."""
    return "".join(f"\n{key}\n" for key in keys if key)


@dataclass(frozen=True, slots=True)
class SoughtWord:
    """A search word, folded and romanised ("" if that is impossible)."""

    written: str
    latin: str

    def rank_in(self, keys: SearchKeys) -> int | None:
        """Return the quality of the match, 0 being the best; None without a match."""
        ranks = (
            (f"\n{self.written}\n", keys.written),
            (f"\n{self.written}", keys.written),
            (f"\n{self.latin}\n" if self.latin else None, keys.latin),
            (f"\n{self.latin}" if self.latin else None, keys.latin),
            (self.written, keys.written),
            (self.latin if len(self.latin) >= SHORTEST_INSIDE else None, keys.latin),
        )
        return next((rank for rank, (part, lines) in enumerate(ranks) if part and part in lines), None)

    def is_in_title(self, keys: SearchKeys) -> bool:
        """Return whether a title contains the word. Numbers only match whole: 3 does not match 第13節."""
        if self.rank_in(keys) is None:
            return False
        if not (self.written[0].isdigit() or self.written[-1].isdigit()):
            return True
        before = r"(?<!\d)" if self.written[0].isdigit() else ""
        return re.search(rf"{before}{re.escape(self.written)}(?!\d)", keys.written) is not None


@dataclass(frozen=True, slots=True)
class SoughtDay:
    """A day, month or year in a query."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def is_on(self, day: date) -> bool:
        return self.year in {None, day.year} and self.month in {None, day.month} and self.day in {None, day.day}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A parsed query. `day`: the whole query as a date; `days`: each word as a date."""

    text: str
    words: tuple[SoughtWord, ...]
    days: tuple[SoughtDay | None, ...]
    day: SoughtDay | None

    @classmethod
    def of(cls, typed: str) -> "Wanted":
        text = "".join(char for char in typed[:MAX_SEARCH_LENGTH] if char.isprintable() or char.isspace()).strip()
        words = _folded_words(text)[:MAX_WORDS]
        sought = tuple(SoughtWord(usual_letters(word), romaji_of(word)) for word in words)
        return cls(text, sought, tuple(map(day_of, words)), day_of(text))

    def rank_of(self, keys: SearchKeys) -> int | None:
        """Return the quality of the worst match of a word, 0 being the best; None if a word does not match."""
        worst = -1
        for word in self.words:
            rank = word.rank_in(keys)
            if rank is None:
                return None
            worst = max(worst, rank)
        return worst if worst >= 0 else None

    def is_title(self, keys: SearchKeys, played: date | None = None) -> bool:
        if played is not None and self.day is not None and self.day.is_on(played):
            return True
        found = (
            (day is not None and played is not None and day.is_on(played)) or word.is_in_title(keys)
            for word, day in zip(self.words, self.days, strict=True)
        )
        return bool(self.words) and all(found)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_WORD = rf"(?P<word>{'|'.join(_MONTHS)})[a-z]*\.?"
_WEEKDAY = re.compile(
    r"\(.{1,3}\)|[月火水木金土日]曜日?|\b(?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?,?\b", re.IGNORECASE
)
_DAYS = tuple(
    re.compile(pattern, re.ASCII | re.IGNORECASE)
    for pattern in (
        r"(?P<year>(?:19|20)\d{2})[-/.年]\s*(?P<month>\d{1,2})(?:[-/.月]\s*(?P<day>\d{1,2})日?|月)?",
        r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})",
        r"(?P<month>\d{1,2})[-/.月]\s*(?P<day>\d{1,2})日?",
        r"(?P<month>\d{1,2})月",
        r"(?P<year>(?:19|20)\d{2})年?",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s*{_MONTH_WORD},?\s*(?P<year>\d{{4}})?",
        rf"{_MONTH_WORD}\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{{4}}))?",
        rf"{_MONTH_WORD}\s*(?P<year>\d{{4}})?",
    )
)
_MONTHS_OF_YEAR = 12


def day_of(text: str) -> SoughtDay | None:
    """Parse a day, month or year: 2026-11-21, 11/21, 11月21日, 21 Nov 2026; None for any other text."""
    plain = _WEEKDAY.sub("", unicodedata.normalize("NFKC", text)).strip()
    found = next(filter(None, (pattern.fullmatch(plain) for pattern in _DAYS)), None)
    if found is None:
        return None
    said = found.groupdict()
    year, month, day = (int(said[part]) if said.get(part) else None for part in ("year", "month", "day"))
    if said.get("word"):
        month = _MONTHS.index(said["word"].lower()) + 1
    if year is None and month is not None and day is not None and month > _MONTHS_OF_YEAR:
        month, day = day, month
    return SoughtDay(year, month, day)
