"""Days, moments and periods, and how far a session is."""

from collections.abc import Mapping
from datetime import date, datetime

from django.template.defaultfilters import date as date_format
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import pgettext

from league.core.periods import Period
from league.core.session_phases import SessionPhase
from league.messages import period_title as title_of_period
from league.messages.days import day_text
from league.messages.session_phases import LOUDNESS, PHASES
from league.models import Session
from league.templatetags.tenbo.numbers import NOTHING


def day(value: date) -> str:
    """Return a date: 2025/11/21(金), Fri 21 Nov 2025."""
    return day_text(value)


def when(session: Session) -> str:
    """Return the day of a session, with its start by the league's clock where one is set: 2025/11/21(金) 19:00."""
    return day(session.date) + (f" {session.start_time:%H:%M}" if session.start_time is not None else "")


def phase_tag(phases: Mapping[int, SessionPhase], session: Session) -> SafeString | str:
    """Return how far a session is, as a mark: 予定, today, under way; nothing for one that is not among the phases."""
    phase = phases.get(session.pk)
    if phase is None:
        return ""
    return format_html('<span class="tag {}" data-phase="{}">{}</span>', LOUDNESS.get(phase, ""), phase, PHASES[phase])


def month_name(value: date) -> str:
    """Return a month: 2025年11月, November 2025."""
    return date_format(value, pgettext("date format", "F Y"))


def clock(value: datetime) -> str:
    """Return the time of day in the current time zone: 21:34."""
    return f"{timezone.localtime(value):%H:%M}"


def moment(value: datetime | None) -> SafeString | str:
    """Return date and time in the current time zone as a `<time>` element."""
    if value is None:
        return NOTHING
    local = timezone.localtime(value)
    return format_html('<time datetime="{}">{} {}</time>', local.isoformat("T", "seconds"), day(local), clock(local))


def period_title(period: Period) -> str:
    """Return what people call a period: 2026年4月, 2026年, 通算."""
    return title_of_period(period)


def this_month(league: object) -> str:
    """Return the key of the league's current month, such as 2025-11."""
    today = league.day_of(timezone.now())  # type: ignore[attr-defined]
    return str(league.periods_of(today)[0].key)  # type: ignore[attr-defined]
