"""Placements, ranks, seats and tables."""

from collections.abc import Sequence
from functools import lru_cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, pgettext

from league.messages.seats import WIND_MARKS
from league.templatetags.tenbo.numbers import NOTHING


def placement(value: int) -> str:
    """Return a place at the table in words: 1着, 1st."""
    return _placement_in(get_language(), value)


@lru_cache(maxsize=16)
def _placement_in(_language: str | None, value: int) -> str:
    words = {
        1: pgettext("placement", "1st"),
        2: pgettext("placement", "2nd"),
        3: pgettext("placement", "3rd"),
        4: pgettext("placement", "4th"),
    }
    return words[value]


def rank_label(value: int | None) -> str:
    """Return a place in a ranking in words: 1位, #1; a dash for those outside the ranking."""
    return NOTHING if value is None else pgettext("rank", "#%(rank)s") % {"rank": value}


def table_mark(number: int) -> SafeString:
    """Return a table of a session as short as can be, 2卓 or T2; a screen reader says the word."""
    return _table_mark_in(get_language(), number)


@lru_cache(maxsize=1024)
def _table_mark_in(_language: str | None, number: int) -> SafeString:
    short = pgettext("table of a session, in short", "T%(number)s") % {"number": number}
    whole = gettext("table %(table)s") % {"table": number}
    return format_html('<span aria-hidden="true">{}</span><span class="sr">{}</span>', short, whole)


def wind_mark(seat: int) -> str:
    """Return the wind of a seat in one letter: 東, E."""
    return str(WIND_MARKS[seat])


def place_chip(value: int | None) -> SafeString | str:
    """Return the chip of a placement: the digit in a shape of its own."""
    return NOTHING if value is None else _place_chip_in(get_language(), value)


@lru_cache(maxsize=64)
def _place_chip_in(_language: str | None, value: int) -> SafeString:
    label = placement(value)
    return format_html(
        '<span class="place place-{}"><span aria-hidden="true">{}</span><span class="sr">{}</span></span>',
        value, value, label,
    )  # fmt: skip


def recent(value: int | str | Sequence[int] | None) -> SafeString | str:
    """Return the last placements, oldest first, from 11324 or a sequence."""
    return _recent_in(get_language(), str(value) if isinstance(value, int) else "".join(map(str, value or ())))


@lru_cache(maxsize=4096)
def _recent_in(_language: str | None, digits: str) -> SafeString | str:
    places = [int(digit) for digit in digits if digit != "0"]
    if not places:
        return NOTHING
    shown = format_html_join("", '<i class="p{}">{}</i>', ((place, place) for place in places))
    said = " ".join(placement(place) for place in places)
    return format_html(
        '<span class="recent"><span aria-hidden="true">{}</span><span class="sr">{}</span></span>', shown, said
    )


def rank_move(now: int | None, before: int | None) -> SafeString | str:
    """Return how a rank moved against the one before: ↑2, →, ↓2; nothing if either is missing."""
    return "" if now is None or before is None else _move_in(get_language(), now, before)


@lru_cache(maxsize=4096)
def _move_in(_language: str | None, now: int, before: int) -> SafeString:
    steps = before - now
    if steps == 0:
        return _move("", "→", gettext("same rank as before"))
    if steps > 0:
        return _move("up", f"↑{steps}", gettext("up %(steps)s from rank %(rank)s") % {"steps": steps, "rank": before})
    return _move("down", f"↓{-steps}", gettext("down %(steps)s from rank %(rank)s") % {"steps": -steps, "rank": before})


def _move(direction: str, shown: str, said: str) -> SafeString:
    return format_html(
        '<span class="move {}"><span aria-hidden="true">{}</span><span class="sr">{}</span></span>',
        direction,
        shown,
        said,
    )
