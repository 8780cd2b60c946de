"""What templates need to print numbers, dates and names as a league reads them.

Points come in as integers of 1/1000 pt and placements' counts in twelfths, as they are stored; nothing here calculates
a result. A negative number carries ▲ in Japanese and − in English, and says "minus" to a screen reader.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template.defaultfilters import date as date_format
from django.templatetags.static import static
from django.urls import get_script_prefix
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, pgettext

from league.core.periods import Period
from league.core.placements import TWELFTHS
from league.core.session_phases import SessionPhase
from league.messages import period_title as title_of_period
from league.messages.seats import WIND_MARKS
from league.messages.session_phases import LOUDNESS, PHASES
from league.messages.sources import source_words
from league.models import Session

register = template.Library()
register.filter(source_words)

POINT = 1000
"""Stored units of one point."""

NOTHING = "—"


@register.filter
def points(value: int | None, least: int = 1) -> SafeString | str:
    """Return points with their sign: +21.7, ▲4.5, 0.0. `least` is the fewest decimals shown; more appear if needed."""
    return NOTHING if value is None else _signed(value, _decimal(value, least), plus="+")


@register.filter
def points_text(value: int | None, least: int = 1) -> str:
    """Return the same as plain text, for titles, labels and pictures."""
    return NOTHING if value is None else _sign_text(value, _decimal(value, least), plus="+")


@register.filter
def raw_score(value: int | None) -> SafeString | str:
    """Return what the sticks show as pages write it: 31,700 or ▲1,500."""
    return NOTHING if value is None else _signed(value, f"{abs(value):,}", plus="", kind="raw")


@register.filter
def raw_score_text(value: int | None) -> str:
    """Return a raw score as plain text."""
    return NOTHING if value is None else _sign_text(value, f"{abs(value):,}", plus="")


@register.filter
def signed(value: int | None) -> SafeString | str:
    """Return a whole number with its sign, such as chips: +3, ▲1, 0."""
    return NOTHING if value is None else _signed(value, str(abs(value)), plus="+")


@register.filter
def gap(value: int | None) -> str:
    """Return a distance in points, without a sign: 34.4."""
    return NOTHING if value is None else _decimal(value, 1)


@register.filter
def mean_points(total: int | None, hanchan: int | None) -> SafeString | str:
    """Return points per hanchan with one decimal, half away from zero: +6.9."""
    if total is None or not hanchan:
        return NOTHING
    tenths = _half_up(abs(total), hanchan * POINT // 10)
    return points(tenths * (POINT // 10) * (-1 if total < 0 else 1))


@register.filter
def mean_placement(halves: int | None, hanchan: int | None) -> str:
    """Return the average placement with two decimals from twice the sum of placements: 2.32."""
    return NOTHING if halves is None or not hanchan else _ratio(halves, 2 * hanchan, decimals=2)


@register.filter
def mean(total: int | None, count: int | None) -> str:
    """Return a plain average with two decimals: 2.32."""
    return NOTHING if total is None or not count else _ratio(total, count, decimals=2)


@register.filter
def percent(count: int | None, total: int | None) -> str:
    """Return a share as 31.7%."""
    return NOTHING if count is None or not total else _ratio(100 * count, total, decimals=1) + "%"


@register.filter
def times(twelfths: int | None) -> str:
    """Return how often a placement was taken, from twelfths: 19, or 3.5 where it was shared."""
    return NOTHING if twelfths is None else _ratio(twelfths, TWELFTHS, decimals=2).rstrip("0").rstrip(".")


@register.filter
def rate(twelfths: int | None, hanchan: int | None) -> str:
    """Return how often a placement was taken as a share of all hanchan, from twelfths: 31.7%."""
    return NOTHING if not hanchan else percent(twelfths, hanchan * TWELFTHS)


@register.filter
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


@register.filter
def rank_label(value: int | None) -> str:
    """Return a place in a ranking in words: 1位, #1; a dash for those outside the ranking."""
    return NOTHING if value is None else pgettext("rank", "#%(rank)s") % {"rank": value}


@register.filter
def table_mark(number: int) -> SafeString:
    """Return a table of a session as short as can be, 2卓 or T2; a screen reader says the word."""
    short = pgettext("table of a session, in short", "T%(number)s") % {"number": number}
    whole = gettext("table %(table)s") % {"table": number}
    return format_html('<span aria-hidden="true">{}</span><span class="sr">{}</span>', short, whole)


@register.filter
def day(value: date) -> str:
    """Return a date: 2025/11/21(金), Fri 21 Nov 2025."""
    return _day_in(get_language(), value.year, value.month, value.day)


@lru_cache(maxsize=4096)
def _day_in(_language: str | None, year: int, month: int, day_of_month: int) -> str:
    return date_format(date(year, month, day_of_month), pgettext("date format", "D j M Y"))


@register.filter
def when(session: Session) -> str:
    """Return the day of a session, with its start by the league's clock where one is set: 2025/11/21(金) 19:00."""
    return day(session.date) + (f" {session.start_time:%H:%M}" if session.start_time is not None else "")


@register.filter
def phase_tag(phases: Mapping[int, SessionPhase], session: Session) -> SafeString | str:
    """Return how far a session is, as a mark: 予定, today, under way; nothing for one that is not among the phases."""
    phase = phases.get(session.pk)
    if phase is None:
        return ""
    return format_html('<span class="tag {}" data-phase="{}">{}</span>', LOUDNESS.get(phase, ""), phase, PHASES[phase])


@register.filter
def month_name(value: date) -> str:
    """Return a month: 2025年11月, November 2025."""
    return date_format(value, pgettext("date format", "F Y"))


@register.filter
def clock(value: datetime) -> str:
    """Return the time of day in the current time zone: 21:34."""
    return f"{timezone.localtime(value):%H:%M}"


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    """Return date and time in the current time zone as a `<time>` element."""
    if value is None:
        return NOTHING
    local = timezone.localtime(value)
    return format_html('<time datetime="{}">{} {}</time>', local.isoformat("T", "seconds"), day(local), clock(local))


@register.filter
def local_name(thing: object) -> SafeString | str:
    """Return a league's or player's name for the page's language; a name in the other script is marked as Japanese."""
    name = str(getattr(thing, "name", thing))
    if get_language() == "ja":
        return name
    latin = getattr(thing, "romanised", "") or getattr(thing, "name_en", "")
    if latin or name.isascii():
        return str(latin or name)
    return format_html('<span lang="ja">{}</span>', name)


@register.filter
def wind_mark(seat: int) -> str:
    """Return the wind of a seat in one letter: 東, E."""
    return str(WIND_MARKS[seat])


@register.filter
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


@register.filter
def recent(value: int | str | Sequence[int] | None) -> SafeString | str:
    """Return the last placements, oldest first, from 11324 or a sequence."""
    digits = tuple(int(place) for place in (str(value) if isinstance(value, int) else value or ()) if int(place))
    return _recent_in(get_language(), digits) if digits else NOTHING


@lru_cache(maxsize=4096)
def _recent_in(_language: str | None, digits: tuple[int, ...]) -> SafeString:
    shown = format_html_join("", '<i class="p{}">{}</i>', ((place, place) for place in digits))
    said = " ".join(placement(place) for place in digits)
    return format_html(
        '<span class="recent"><span aria-hidden="true">{}</span><span class="sr">{}</span></span>', shown, said
    )


@register.filter
def rank_move(now: int | None, before: int | None) -> SafeString | str:
    """Return how a rank moved against the one before: ↑2, →, ↓2; nothing if either is missing."""
    if now is None or before is None:
        return ""
    steps = before - now
    if steps == 0:
        return _move("", "→", gettext("same rank as before"))
    if steps > 0:
        return _move("up", f"↑{steps}", gettext("up %(steps)s from rank %(rank)s") % {"steps": steps, "rank": before})
    return _move("down", f"↓{-steps}", gettext("down %(steps)s from rank %(rank)s") % {"steps": -steps, "rank": before})


@register.filter
def period_title(period: Period) -> str:
    """Return what people call a period: 2026年4月, 2026年, 通算."""
    return title_of_period(period)


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an icon of static/icons/sprite.svg; decoration, so the word beside it carries the meaning."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>', static("icons/sprite.svg"), name
    )


@register.simple_tag
def sparkline(
    values: Iterable[int], label: str = "", low: int | None = None, high: int | None = None
) -> SafeString | str:
    """Return a small curve of cumulative points (1/1000 pt), oldest left, as inline SVG; empty without values.

    `low` and `high` fix the scale so that every curve of a page shares it. `label` is what a screen reader says.
    """
    curve = list(values)
    if not curve:
        return ""
    bottom, top = min(0, *curve, *_given(low)), max(0, *curve, *_given(high))
    dots = [(x, _height(value, bottom, top)) for x, value in zip(_spread(len(curve)), curve, strict=True)]
    return format_html(
        '<svg class="spark" viewBox="0 0 {w} {h}" role="img" aria-label="{label}">'
        '<line class="zero" x1="0" x2="{w}" y1="{zero}" y2="{zero}"/><polyline points="{line}"/>'
        '<circle cx="{x}" cy="{y}" r="28"/></svg>',
        w=SPARK_WIDTH,
        h=SPARK_HEIGHT,
        zero=_height(0, bottom, top),
        line=" ".join(f"{x},{y}" for x, y in dots),
        x=dots[-1][0],
        y=dots[-1][1],
        label=label or points_text(curve[-1]),
    )


@register.simple_tag
def placement_bar(*twelfths: int) -> SafeString | str:
    """Return one bar divided by how often each place was taken, first place left, as inline SVG with the counts in it."""
    total = sum(twelfths)
    if not total:
        return ""
    parts, start = [], 0
    for place, count in enumerate(twelfths, 1):
        if count:
            parts.append(_share(place, start, count, total))
        start += count
    said = ", ".join(f"{placement(place)} {times(count)}" for place, count in enumerate(twelfths, 1))
    return format_html(
        '<svg class="shares" role="img" aria-label="{}">{}</svg>',
        said,
        format_html_join("", "{}", ((p,) for p in parts)),
    )


@register.simple_tag(takes_context=True)
def lang_switch(context: template.Context, language: str) -> str:
    """Return the address of the current page in the other language, path and query kept."""
    request: HttpRequest | None = context.get("request")
    root = get_script_prefix()
    parts = urlsplit(request.get_full_path()) if request else urlsplit(root)
    inside = parts.path.removeprefix(root).removeprefix("/")
    for code, _name in settings.LANGUAGES:
        if inside == code or inside.startswith(f"{code}/"):
            inside = inside[len(code) + 1 :]
            break
    prefix = "" if language == settings.LANGUAGE_CODE else f"{language}/"
    return parts._replace(scheme="", netloc="", path=f"{root}{prefix}{inside}").geturl()


@register.simple_tag
def this_month(league: object) -> str:
    """Return the key of the league's current month, such as 2025-11."""
    today = league.day_of(timezone.now())  # type: ignore[attr-defined]
    return str(league.periods_of(today)[0].key)  # type: ignore[attr-defined]


@register.simple_tag(takes_context=True)
def may(context: template.Context, permission: str, thing: object = None) -> bool:
    """Return whether the reader of the page has a permission: `{% may "league.manage" league as can_manage %}`."""
    user = context.get("user")
    return bool(user and thing and user.has_perm(permission, thing))


SPARK_WIDTH, SPARK_HEIGHT, SPARK_EDGE = 960, 280, 32
"""Tenths of a CSS pixel, so that whole numbers are fine enough."""


def _spread(count: int) -> list[int]:
    width = SPARK_WIDTH - 2 * SPARK_EDGE
    return [SPARK_EDGE + width * i // max(count - 1, 1) for i in range(count)]


def _height(value: int, bottom: int, top: int) -> int:
    room = SPARK_HEIGHT - 2 * SPARK_EDGE
    return SPARK_EDGE + room * (top - value) // max(top - bottom, 1)


def _given(value: int | None) -> tuple[int, ...]:
    return () if value is None else (value,)


def _share(place: int, start: int, count: int, total: int) -> SafeString:
    left, width = (_ratio(100 * part, total, decimals=2) for part in (start, count))
    middle = _ratio(200 * start + 100 * count, 2 * total, decimals=2)
    return format_html(
        '<rect class="s{place}" x="{left}%" width="{width}%" height="100%"/>'
        '<line x1="{left}%" x2="{left}%" y1="0" y2="100%"/>'
        '<text class="t{place}" x="{middle}%" y="50%">{count}</text>',
        place=place, left=left, width=width, middle=middle, count=times(count) if count * 20 >= total else "",
    )  # fmt: skip


def _move(direction: str, shown: str, said: str) -> SafeString:
    return format_html(
        '<span class="move {}"><span aria-hidden="true">{}</span><span class="sr">{}</span></span>',
        direction,
        shown,
        said,
    )


def _decimal(value: int, least: int) -> str:
    """Return the size of a number of 1/1000 as an exact decimal with at least so many decimals."""
    whole, rest = divmod(abs(value), POINT)
    fraction = f"{rest:03}".rstrip("0").ljust(least, "0")
    return f"{whole}.{fraction}" if fraction else str(whole)


def _half_up(dividend: int, divisor: int) -> int:
    return (2 * dividend + divisor) // (2 * divisor)


def _ratio(dividend: int, divisor: int, *, decimals: int) -> str:
    scale = 10**decimals
    whole, rest = divmod(_half_up(dividend * scale, divisor), scale)
    return f"{whole}.{rest:0{decimals}}"


def _sign_text(value: int, size: str, *, plus: str) -> str:
    if value < 0:
        return pgettext("negative sign", "−") + size
    return f"{plus}{size}" if value else size


def _signed(value: int, size: str, *, plus: str, kind: str = "pt") -> SafeString:
    return _signed_in(get_language(), value, size, plus, kind)


@lru_cache(maxsize=8192)
def _signed_in(_language: str | None, value: int, size: str, plus: str, kind: str) -> SafeString:
    """Return a number with its sign as HTML; a page of many results says the same numbers again and again."""
    shown = _sign_text(value, size, plus=plus)
    if value >= 0:
        return format_html('<span class="{}">{}</span>', kind, shown)
    said = pgettext("spoken negative number", "minus %(number)s") % {"number": size}
    return format_html(
        '<span class="{} neg"><span aria-hidden="true">{}</span><span class="sr">{}</span></span>', kind, shown, said
    )
