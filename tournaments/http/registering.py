"""The ways to a registration: by a secret address, without an account, or as a reader of the league."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from league.http.access import league_over
from league.http.entry_context import LINK_HEADERS
from league.http.idempotent import answer_again
from league.http.rate_limits import Limit, address_of
from league.permissions import is_shown
from league.services.attempts import TryLimit
from league.services.history import Actor
from tournaments.models import Registration, RegistrationTerms
from tournaments.services.registration_terms import registration_for, terms_for

GUESSES = TryLimit("registration-guesses", tries=30, seconds=600)
"""Wrong codes from one address; right ones are never refused for them."""

NEWCOMERS = TryLimit("registrations", tries=60, seconds=3600)
"""People who come into the list of a league from one address: a whole club behind one access point."""

POSTS = Limit("registration-posts", tries=120, seconds=60)
"""What is sent to one secret address; at the door a whole queue sends to one."""

BY_LINK = Actor(None, "registration")

CODE = "tournaments.code"
"""A kind of permission: whoever has the code."""

Thing = TypeVar("Thing", Registration, RegistrationTerms)
View = Callable[[HttpRequest, Any], HttpResponse]
TokenView = Callable[[HttpRequest, str], HttpResponse]


def _opened(find: Callable[[str], Any], view: View) -> TokenView:
    """Return a view that opens by a code alone: its forms need no token of their own, and no cookie.

    Wrong, renewed and of a league that was taken down, or has come to its end, have one answer.
    """

    @csrf_exempt
    @wraps(view)
    def guarded(request: HttpRequest, token: str) -> HttpResponse:
        setattr(request, "is_private", True)  # noqa: B010 - no such field
        thing = find(token)
        league = thing.tournament.league if thing is not None else None
        if league is None or not is_shown(request.user, league):
            answer = _ended(request) if GUESSES.use(address_of(request)) else busy(request)
        elif request.method == "POST" and not league.is_active:
            answer = league_over(request, league)
        elif request.method == "POST" and not POSTS.use(token):
            answer = busy(request)
        else:
            with timezone.override(league.time_zone):
                answer = answer_again(request, lambda: view(request, thing))
        for name, value in LINK_HEADERS.items():
            answer.headers[name] = value
        return answer

    guarded.permission = CODE  # type: ignore[attr-defined]
    return cast("TokenView", guarded)


def by_public_code(view: Callable[[HttpRequest, RegistrationTerms], HttpResponse]) -> TokenView:
    return _opened(lambda code: terms_for(code, door=False), view)


def by_door_code(view: Callable[[HttpRequest, RegistrationTerms], HttpResponse]) -> TokenView:
    return _opened(lambda code: terms_for(code, door=True), view)


def by_own_code(view: Callable[[HttpRequest, Registration], HttpResponse]) -> TokenView:
    return _opened(registration_for, view)


def _ended(request: HttpRequest) -> HttpResponse:
    text = _("This address opens no registration. Use the newest one, or ask the organiser.")
    return _said(request, _("No registration here"), text, 404)


def busy(request: HttpRequest) -> HttpResponse:
    text = _("Too many requests came from here. Please try again in a few minutes.")
    answer = _said(request, _("Please wait a moment"), text, 429)
    answer.headers["Retry-After"] = "60"
    return answer


def _said(request: HttpRequest, title: str, text: str, status: int) -> HttpResponse:
    return render(request, "tournaments/registration/ended.html", {"title": title, "text": text}, status=status)
