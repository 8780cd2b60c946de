"""Formats points, raw scores, averages, rates, placements and ranks.

Negative numbers have ▲ in Japanese and − in English unless the reader chose the other; screen readers hear "minus".
"""

from collections.abc import Sequence
from functools import lru_cache

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, pgettext

from league.core.board_lines import TWELFTHS
from league.core.numbers import divided
from league.messages import chosen_sign
from league.messages.sessions import WIND_MARKS

POINT = 1000
"""Stored units per point."""

NOTHING = "—"


def points(value: int | None, least: int = 1) -> SafeString | str:
    """Format points with their sign: +21.7, ▲4.5, 0.0. `least`: minimum number of decimals."""
    return NOTHING if value is None else _points_in(get_language(), chosen_sign(), value, least)


def points_text(value: int | None, least: int = 1) -> str:
    """Format points as plain text, for titles, labels and SVG."""
    return (
        NOTHING if value is None else _sign_text(get_language(), chosen_sign(), value, _decimal(value, least), plus="+")
    )


def raw_score(value: int | None) -> SafeString | str:
    """Format a raw score: 31,700 or ▲1,500."""
    return NOTHING if value is None else _signed_in(get_language(), chosen_sign(), value, f"{abs(value):,}", "", "raw")


def raw_score_text(value: int | None) -> str:
    return NOTHING if value is None else _sign_text(get_language(), chosen_sign(), value, f"{abs(value):,}", plus="")


def signed(value: int | None) -> SafeString | str:
    """Format an integer with its sign, such as chips: +3, ▲1, 0."""
    return NOTHING if value is None else _signed_in(get_language(), chosen_sign(), value, str(abs(value)), "+", "pt")


def gap(value: int | None) -> str:
    """Format a difference of points, without a sign: 34.4."""
    return NOTHING if value is None else _decimal(abs(value), 1)


def mean_points(total: int | None, hanchan: int | None) -> SafeString | str:
    """Format points per hanchan with one decimal, rounded half away from zero: +6.9."""
    return points(_mean(total, hanchan))


def mean_points_text(total: int | None, hanchan: int | None) -> str:
    return points_text(_mean(total, hanchan))


def _mean(total: int | None, hanchan: int | None) -> int | None:
    if total is None or not hanchan:
        return None
    tenths = divided(abs(total), hanchan * POINT // 10)
    return tenths * (POINT // 10) * (-1 if total < 0 else 1)


def mean_placement(halves: int | None, hanchan: int | None) -> str:
    """Format the average placement, from twice the sum of placements: 2.32."""
    return NOTHING if halves is None or not hanchan else ratio(halves, 2 * hanchan, decimals=2)


def mean(total: int | None, count: int | None) -> str:
    return NOTHING if total is None or not count else ratio(total, count, decimals=2)


def percent(count: int | None, total: int | None) -> str:
    return NOTHING if count is None or not total else ratio(100 * count, total, decimals=1) + "%"


def times(twelfths: int | None) -> str:
    """Format a count of twelfths: 19, or 3.5 if shared."""
    return NOTHING if twelfths is None else ratio(twelfths, TWELFTHS, decimals=2).rstrip("0").rstrip(".")


def rate(twelfths: int | None, hanchan: int | None) -> str:
    """Format a rate from a count of twelfths: 31.7%."""
    return NOTHING if not hanchan else percent(twelfths, hanchan * TWELFTHS)


def _decimal(value: int, least: int) -> str:
    """Return the absolute value in points with at least `least` decimals."""
    whole, rest = divmod(abs(value), POINT)
    fraction = f"{rest:03}".rstrip("0").ljust(least, "0")
    return f"{whole}.{fraction}" if fraction else str(whole)


def ratio(dividend: int, divisor: int, *, decimals: int) -> str:
    """Return a quotient rounded half up, as text."""
    scale = 10**decimals
    whole, rest = divmod(divided(dividend * scale, divisor), scale)
    return f"{whole}.{rest:0{decimals}}"


def _sign_text(language: str | None, chosen: str, value: int, size: str, *, plus: str) -> str:
    if value < 0:
        return _minus_in(language, chosen)[0] + size
    return f"{plus}{size}" if value else size


@lru_cache(maxsize=16384)
def _points_in(language: str | None, chosen: str, value: int, least: int) -> SafeString:
    """Return points as HTML, cached because pages repeat the same numbers."""
    return _signed_in(language, chosen, value, _decimal(value, least), "+", "pt")


def _signed_in(language: str | None, chosen: str, value: int, size: str, plus: str, kind: str) -> SafeString:
    """Return a number with its sign as HTML. Digits and signs need no escaping."""
    if value >= 0:
        return SafeString(f'<span class="{kind}">{plus if value else ""}{size}</span>')
    sign, said = _minus_in(language, chosen)
    return SafeString(
        f'<span class="{kind} neg"><span aria-hidden="true">{sign}{size}</span>'
        f'<span class="sr">{said % {"number": size}}</span></span>'
    )


@lru_cache(maxsize=16)
def _minus_in(_language: str | None, chosen: str) -> tuple[str, str]:
    return escape(chosen or pgettext("negative sign", "−")), escape(
        pgettext("spoken negative number", "minus %(number)s")
    )


def placement(value: int) -> str:
    """Format a placement: 1着, 1st."""
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
    """Format a rank in the standings: 1位, #1; a dash if not ranked."""
    return NOTHING if value is None else pgettext("rank", "#%(rank)s") % {"rank": value}


def table_mark(number: int) -> SafeString:
    """Return the short name of a table, 2卓 or T2, with the full word for screen readers."""
    return _table_mark_in(get_language(), number)


@lru_cache(maxsize=1024)
def _table_mark_in(_language: str | None, number: int) -> SafeString:
    short = pgettext("table of a session, in short", "T%(number)s") % {"number": number}
    whole = gettext("table %(table)s") % {"table": number}
    return format_html('<span aria-hidden="true">{}</span><span class="sr">{}</span>', short, whole)


def wind_mark(seat: int) -> str:
    """Return the wind of a seat as one letter: 東, E."""
    return str(WIND_MARKS[seat])


def place_chip(value: int | None) -> SafeString | str:
    """Return a placement as a chip: the digit in a shape that differs by placement."""
    return NOTHING if value is None else _place_chip_in(get_language(), value)


@lru_cache(maxsize=64)
def _place_chip_in(_language: str | None, value: int) -> SafeString:
    return format_html(
        '<span class="place place-{}"><span aria-hidden="true">{}</span><span class="sr">{}</span></span>',
        value, value, placement(value),
    )  # fmt: skip


def recent(value: int | str | Sequence[int] | None) -> SafeString | str:
    """Return the latest placements, oldest first, from digits (11324) or a sequence."""
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
    """Return the change of a rank: ↑2, →, ↓2; "" if either rank is missing."""
    return "" if now is None or before is None else _move_in(get_language(), now, before)


@lru_cache(maxsize=4096)
def _move_in(_language: str | None, now: int, before: int) -> SafeString:
    steps = before - now
    if steps == 0:
        return _move("", "→", gettext("same rank"))
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
