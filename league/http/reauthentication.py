"""Dangerous acts ask whoever has been logged in for a while to show once more that it is they.

A phone that somebody left on a table may enter results all evening; it may not give the league away. What was typed is not
lost: it is kept in the session while the password or the passkey is asked for, and done afterwards. Whoever has neither
is asked to log in anew.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.reauthentication import STATE_SESSION_KEY
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from league.models import Membership

FRESH = 15 * 60
"""Seconds for which a log-in counts as fresh. What is shown later counts for as long as allauth says."""

LOGGED_IN_AT = "logged-in-at"

LEADING = frozenset({Membership.Role.OWNER.value, Membership.Role.ORGANISER.value})
"""The roles by which somebody leads a league."""

P = ParamSpec("P")
Subject = TypeVar("Subject")
View = Callable[Concatenate[HttpRequest, Subject, P], HttpResponse]
When = Callable[[HttpRequest], bool]


def note_log_in(request: HttpRequest | None, user: User, **_signal: object) -> None:
    if request is not None and user.is_authenticated:
        request.session[LOGGED_IN_AT] = time.time()


def is_stale(request: HttpRequest) -> bool:
    at: float = request.session.get(LOGGED_IN_AT, 0)
    return not 0 <= time.time() - at < FRESH


def must_log_in_anew(request: HttpRequest) -> bool:
    """Return whether somebody's log-in is no fresh one, and they have nothing to show but another: no password, no passkey."""
    return request.user.is_authenticated and is_stale(request) and not can_show(request)


def can_show(request: HttpRequest) -> bool:
    return bool(get_adapter(request).get_reauthentication_methods(request.user))


def log_in_anew(request: HttpRequest) -> HttpResponse:
    return render(request, "registration/log_in_anew.html", status=403)


def always(_request: HttpRequest) -> bool:
    return True


def when_sent(request: HttpRequest) -> bool:
    """Return whether a request does something; the page alone shows no secret."""
    return request.method == "POST"


def gives_power(request: HttpRequest) -> bool:
    return request.POST.get("role") in LEADING


def makes_secret(request: HttpRequest) -> bool:
    """Return whether a new secret address is asked for; one is taken back by whoever is there."""
    return request.POST.get("do") != "revoke"


def freshly_logged_in(when: When = always) -> Callable[[View[Subject, P]], View[Subject, P]]:
    """Return a decorator for views behind the guard that knows who asks: `when` it is dangerous, a fresh log-in is needed.

    Whoever's was longer ago is led to the page that asks for it, and from there on with what they had sent.
    """

    def decorate(view: View[Subject, P]) -> View[Subject, P]:
        asking = reauthentication_required(view)

        @wraps(view)
        def guarded(request: HttpRequest, subject: Subject, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            is_asked = when(request) and is_stale(request)
            if is_asked and not can_show(request):
                return log_in_anew(request)
            if is_asked:
                # Who opens a page does not mean what somebody sent to it before.
                request.session.pop(STATE_SESSION_KEY, None)
            answer: HttpResponse = (asking if is_asked else view)(request, subject, *args, **kwargs)
            return answer

        return guarded

    return decorate
