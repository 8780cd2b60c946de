"""Sensitive actions require a recent log-in.

With a phone left on a table one can enter results, but not give the league away. The submitted form is kept in the
session while the user confirms their password or passkey, and is processed afterwards. Users with neither have to log
in again.
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
"""Seconds for which a log-in counts as recent. For later confirmations, allauth's setting applies."""

LOGGED_IN_AT = "logged-in-at"

LEADING = frozenset({Membership.Role.OWNER.value, Membership.Role.ORGANISER.value})
"""Roles that can manage a league."""

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
    """Return whether the user has to log in again, because they have neither password nor passkey."""
    return request.user.is_authenticated and is_stale(request) and not can_show(request)


def can_show(request: HttpRequest) -> bool:
    return bool(get_adapter(request).get_reauthentication_methods(request.user))


def log_in_anew(request: HttpRequest) -> HttpResponse:
    return render(request, "registration/log_in_anew.html", status=403)


def always(_request: HttpRequest) -> bool:
    return True


def when_sent(request: HttpRequest) -> bool:
    """Return whether the request submits a form; the page alone shows no secret."""
    return request.method == "POST"


def gives_power(request: HttpRequest) -> bool:
    return request.POST.get("role") in LEADING


def makes_secret(request: HttpRequest) -> bool:
    """Return whether the form creates a secret URL; revoking one is not sensitive."""
    return request.POST.get("do") != "revoke"


def freshly_logged_in(when: When = always) -> Callable[[View[Subject, P]], View[Subject, P]]:
    """Return a decorator that requires a recent log-in if `when` returns true.

    Otherwise the user is redirected to confirm, and the submitted form is processed afterwards.
    """

    def decorate(view: View[Subject, P]) -> View[Subject, P]:
        asking = reauthentication_required(view)

        @wraps(view)
        def guarded(request: HttpRequest, subject: Subject, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            is_asked = when(request) and is_stale(request)
            if is_asked and not can_show(request):
                return log_in_anew(request)
            if is_asked:
                # A newly opened confirmation discards an earlier submission.
                request.session.pop(STATE_SESSION_KEY, None)
            answer: HttpResponse = (asking if is_asked else view)(request, subject, *args, **kwargs)
            return answer

        return guarded

    return decorate
