"""Sessions as iCalendar (RFC 5545), for calendar apps."""

from collections.abc import Sequence
from datetime import UTC, timedelta
from urllib.parse import urljoin

from django.urls import reverse
from django.utils.translation import gettext as _
from icalendar import Calendar, Event

from accounts.messages.evenings import league_words, one_line, seat_words
from accounts.selectors.calendar_evenings import Evening

MEDIA_TYPE = "text/calendar; charset=utf-8"

REFRESH = timedelta(hours=6)
"""Refresh interval suggested to calendar apps; not all follow it."""

MARGIN = timedelta(days=366)
"""Time zone data extends this far beyond the sessions, because the latest change may be half a year back."""


def calendar_text(evenings: Sequence[Evening], title: str, origin: str) -> bytes:
    """Return an iCalendar file. `origin`: site URL such as "https://league.example/", part of the event UIDs."""
    calendar = Calendar()
    calendar.add("prodid", "-//Tenbo//Tenbo//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", title)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", "PT6H")
    for evening in evenings:
        calendar.add_component(_event(evening, origin))
    if any(evening.starts for evening in evenings):
        days = [evening.session.date for evening in evenings]
        calendar.add_missing_timezones(min(days) - MARGIN, max(days) + MARGIN)
    return bytes(calendar.to_ical())


def _event(evening: Evening, origin: str) -> Event:
    session, event = evening.session, Event()
    address = urljoin(origin, reverse("league:session", args=[evening.league.slug, session.pk]))
    event.add(
        "uid",
        f"session-{session.pk}@{origin.rsplit('://', maxsplit=1)[-1].split('/', maxsplit=1)[0].split(':', maxsplit=1)[0]}",
    )
    event.add("sequence", evening.changes)
    event.add("dtstamp", evening.changed_at.astimezone(UTC))
    event.add("last-modified", evening.changed_at.astimezone(UTC))
    event.add("dtstart", evening.starts or session.date)
    event.add("summary", one_line(f"{league_words(evening.league)}: {session}"))
    if session.venue:
        event.add("location", one_line(session.venue))
    seats = [(seat.round, seat.table, seat.seat) for seat in evening.seats]
    place = _("My seat: %(place)s") % {"place": seat_words(seats)} if seats else ""
    event.add("description", "\n".join(filter(None, (place, address))))
    event.add("url", address)
    event.add("status", "CANCELLED" if evening.is_off else "CONFIRMED")
    return event
