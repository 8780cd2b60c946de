"""The way in by a link for answers: the code is the permission, for one session, and opening it changes nothing."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import cast

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from league.http.access import SlugView
from league.http.entry_context import LINK_HEADERS
from league.http.idempotent import answer_again
from league.http.rate_limits import Limit, address_of
from league.models import AttendanceLink, Session
from league.permissions import is_shown
from league.selectors.attendance import end_of
from league.services.attempts import TryLimit
from league.services.secret_links import opened_by

ATTENDANCE = "league.attendance_link"
"""What a page asks for that opens by a link for answers."""

GUESSES = TryLimit("attendance-link-guesses", tries=30, seconds=600)
"""Wrong codes from one address; right ones are never refused for them."""

REQUESTS = Limit("attendance-link-requests", tries=600, seconds=60)
"""What a whole group asks for when the link has just arrived, many times over."""


def by_attendance_link(view: Callable[[HttpRequest, AttendanceLink], HttpResponse]) -> SlugView[[]]:
    """Return a view that opens by the code of a link for answers: no log-in, and no token of forms.

    Codes that open nothing, whose time is over and that were taken back have one answer.
    """

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, token: str) -> HttpResponse:
        setattr(request, "is_private", True)  # noqa: B010 - no such field
        request.user = AnonymousUser()
        links = AttendanceLink.objects.select_related("player", "session__league", "session__ruleset_version__ruleset")
        link = opened_by(token, links)
        answer = _refusal(request, link)
        if link is not None and answer is None:
            found = link
            with timezone.override(link.session.league.time_zone):
                answer = answer_again(request, lambda: view(request, found))
        assert answer is not None
        for name, value in LINK_HEADERS.items():
            answer.headers.setdefault(name, value)
        return answer

    guarded.permission = ATTENDANCE  # type: ignore[attr-defined]
    return cast("SlugView[[]]", guarded)


def _opens(link: AttendanceLink, now: datetime) -> bool:
    """Return whether a link opens its page: until the day of its session is over, unless it was taken back."""
    is_standing = link.revoked_at is None and link.session.state != Session.State.WITHDRAWN
    is_somebody = link.player is None or link.player.merged_into_id is None
    return is_standing and is_somebody and now < end_of(link.session)


def _refusal(request: HttpRequest, link: AttendanceLink | None) -> HttpResponse | None:
    """Return what to say to somebody whom the code does not let in; None if it does."""
    if link is None or not (_opens(link, timezone.now()) and is_shown(request.user, link.session.league)):
        return _ended(request) if GUESSES.use(address_of(request)) else _busy(request)
    return None if REQUESTS.use(str(link.pk)) else _busy(request)


def _ended(request: HttpRequest) -> HttpResponse:
    text = _("This link opens nothing, or nothing any more. Please ask the organiser for the one of the next session.")
    return render(request, "league/attendance/ended.html", {"text": text}, status=404)


def _busy(request: HttpRequest) -> HttpResponse:
    text = _("Too many requests came from here. Please try again in a few minutes.")
    answer = render(request, "league/attendance/ended.html", {"text": text}, status=429)
    answer.headers["Retry-After"] = "60"
    return answer
