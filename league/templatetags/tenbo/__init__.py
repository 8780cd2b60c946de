"""Template library for numbers, dates and names.

Points are integers in 1/1000 pt and counts of placements are in twelfths, as stored; nothing here calculates results.
"""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template.defaultfilters import date as date_format
from django.urls import get_script_prefix
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext

from league.core.sessions import SessionPhase
from league.core.spelling import shown
from league.messages import full_day_text, negative_sign, period_title
from league.messages.imports import said
from league.messages.sessions import LOUDNESS, PHASES
from league.messages.sources import source_words
from league.models import Session
from league.permissions import may_in_session
from league.templatetags.tenbo import numbers, pictures
from league.templatetags.tenbo.numbers import NOTHING
from scoring.messages import reason_sentence
from scoring.messages.numbers import in_language

register = template.Library()


def day(value: date) -> str:
    """Format a date: 2025/11/21(金), Fri 21 Nov 2025."""
    return full_day_text(value)


def when(session: Session) -> str:
    """Format the day of a session, and its start time if set: 2025/11/21(金) 19:00."""
    return day(session.date) + (f" {session.start_time:%H:%M}" if session.start_time is not None else "")


def phase_tag(phases: Mapping[int, SessionPhase], session: Session) -> SafeString | str:
    """Return a session's phase as a tag: 予定, today, under way; "" if its phase is unknown."""
    phase = phases.get(session.pk)
    if phase is None:
        return ""
    return format_html('<span class="tag {}" data-phase="{}">{}</span>', LOUDNESS.get(phase, ""), phase, PHASES[phase])


def month_name(value: date) -> str:
    """Format a month: 2025年11月, November 2025."""
    return date_format(value, pgettext("date format", "F Y"))


def clock(value: datetime) -> str:
    """Format the time of day in the current time zone: 21:34."""
    return f"{timezone.localtime(value):%H:%M}"


def moment(value: datetime | None) -> SafeString | str:
    """Format date and time in the current time zone as a `<time>` element."""
    if value is None:
        return NOTHING
    local = timezone.localtime(value)
    return format_html('<time datetime="{}">{} {}</time>', local.isoformat("T", "seconds"), day(local), clock(local))


def this_month(league: object) -> str:
    """Return the key of the league's current month, such as 2025-11."""
    return str(league.periods_of(league.day_of(timezone.now()))[0].key)  # type: ignore[attr-defined]


def local_name(thing: object) -> SafeString | str:
    """Return a league's or player's name in the page's language.

    Japanese names on English pages get a `lang` attribute.
    """
    name = shown(str(getattr(thing, "name", thing)))
    if get_language() == "ja":
        return name
    latin = getattr(thing, "romanised", "") or getattr(thing, "name_en", "")
    if latin or name.isascii():
        return shown(str(latin or name))
    return SafeString(f'<span lang="ja">{escape(name)}</span>')


def lang_switch(context: template.Context, language: str) -> str:
    """Return the URL of the current page in the other language, with the same path and query string."""
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


def url_with(shown: Any, **asked: str | int) -> str:
    """Return the URL of a page with another query, from its `url`: `{% url_with entry_context seats="draw" %}`."""
    return str(shown.url(**asked))


def may(context: template.Context, permission: str, thing: object = None) -> bool:
    """Return whether the user has a permission: `{% may "league.manage" league as can_manage %}`.

    For a session, its leaders also have the permissions of organisers.
    """
    user = context.get("user")
    if user and isinstance(thing, Session):
        return may_in_session(user, permission, thing)
    return bool(user and thing and user.has_perm(permission, thing))


FILTERS = (
    source_words,
    numbers.points,
    numbers.points_text,
    numbers.raw_score,
    numbers.raw_score_text,
    numbers.signed,
    numbers.gap,
    numbers.mean_points,
    numbers.mean_placement,
    numbers.mean,
    numbers.percent,
    numbers.times,
    numbers.rate,
    numbers.placement,
    numbers.rank_label,
    numbers.table_mark,
    numbers.wind_mark,
    numbers.place_chip,
    numbers.recent,
    numbers.rank_move,
    day,
    when,
    phase_tag,
    month_name,
    clock,
    moment,
    period_title,
    local_name,
    in_language,
    reason_sentence,
    said,
)
TAGS = (
    negative_sign,
    this_month,
    url_with,
    pictures.icon,
    pictures.sparkline,
    pictures.placement_bar,
    pictures.podium_bar,
)
TAGS_WITH_CONTEXT = (lang_switch, may)

for filter_ in FILTERS:
    register.filter(filter_)
for tag in TAGS:
    register.simple_tag(tag)
for tag_with_context in TAGS_WITH_CONTEXT:
    register.simple_tag(takes_context=True)(tag_with_context)
