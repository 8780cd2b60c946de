"""What somebody chose holds on every page and device of theirs: the sign of numbers, the colours, the language.

It is read when they log in and on the pages that are about them, and kept in their session: no other page asks for it.
Pages that are kept for many are kept once more for readers of the other sign; the colours are told to the script that
sets them before the first paint, by a cookie that says nothing else.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import translate_url
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.models import Preferences
from accounts.selectors.preferences import preferences_of
from league.messages import MINUS, TRIANGLE, written_with

KEPT_AS = "choices"
THEME_COOKIE = "tenbo-theme"
A_YEAR = 60 * 60 * 24 * 365
FAILED = 500

SIGNS = {Preferences.Sign.TRIANGLE.value: TRIANGLE, Preferences.Sign.MINUS.value: MINUS}


def keep_choices(request: HttpRequest, preferences: Preferences) -> None:
    """Let what somebody chose hold for the rest of their session; nothing is written where it holds already."""
    chosen = {"sign": SIGNS.get(preferences.sign, ""), "theme": preferences.theme}
    if request.session.get(KEPT_AS) != chosen:
        request.session[KEPT_AS] = chosen


def welcome(request: HttpRequest | None = None, user: User | None = None, **_signal: Any) -> None:
    """Keep what somebody chose who has just logged in, and lead them on in their language. One query."""
    if request is None or user is None:
        return
    preferences = preferences_of(user)
    keep_choices(request, preferences)
    setattr(request, "language_of_reader", preferences.language)  # noqa: B010 - a request has no such field


class ChoicesMiddleware:
    """Has pages written as their reader wants them; asks for the session only where something depends on it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer with the reader's sign in it, their colours beside it, and their language after a log-in."""
        with written_with(lambda: _kept(request).get("sign", "")):
            response = self.get_response(request)
        _lead_on(request, response)
        if request.session.accessed and response.status_code < FAILED:
            _tell_colours(request, response)
        return response


def _kept(request: HttpRequest) -> dict[str, str]:
    found = request.session.get(KEPT_AS) if settings.SESSION_COOKIE_NAME in request.COOKIES else None
    return found if isinstance(found, dict) else {}


def _lead_on(request: HttpRequest, response: HttpResponse) -> None:
    language, target = getattr(request, "language_of_reader", ""), response.headers.get("Location", "")
    if language and target and url_has_allowed_host_and_scheme(target, allowed_hosts=None):
        response.headers["Location"] = translate_url(target, language)


def _tell_colours(request: HttpRequest, response: HttpResponse) -> None:
    kept = request.session.get(KEPT_AS)
    theme = kept.get("theme", "") if isinstance(kept, dict) else ""
    if theme == request.COOKIES.get(THEME_COOKIE, ""):
        return
    if theme:
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(THEME_COOKIE, theme, max_age=A_YEAR, secure=secure, samesite="Lax")
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
