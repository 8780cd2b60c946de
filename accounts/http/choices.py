"""Personal settings that apply to every page: minus sign, colours, language.

They are read at log-in and on personal pages, and kept in the session, so other pages need no query. Cached pages have
a variant per minus sign; colours are passed in a cookie to the script that sets them before the first paint.
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
    """Copy preferences into the session if they differ."""
    chosen = {"sign": SIGNS.get(preferences.sign, ""), "theme": preferences.theme}
    if request.session.get(KEPT_AS) != chosen:
        request.session[KEPT_AS] = chosen


def welcome(request: HttpRequest | None = None, user: User | None = None, **_signal: Any) -> None:
    """Signal receiver: copy preferences into the session and redirect in the user's language. One query."""
    if request is None or user is None:
        return
    preferences = preferences_of(user)
    keep_choices(request, preferences)
    setattr(request, "language_of_reader", preferences.language)  # noqa: B010 - a request has no such field


class ChoicesMiddleware:
    """Applies the user's settings to pages. Reads the session only if the response depends on them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with written_with(lambda: _kept(request).get("sign", "")):
            response = self.get_response(request)
        language, target = getattr(request, "language_of_reader", ""), response.headers.get("Location", "")
        if language and target and url_has_allowed_host_and_scheme(target, allowed_hosts=None):
            response.headers["Location"] = translate_url(target, language)
        if request.session.accessed and response.status_code < FAILED:
            _tell_colours(request, response)
        return response


def _kept(request: HttpRequest) -> dict[str, str]:
    found = request.session.get(KEPT_AS) if settings.SESSION_COOKIE_NAME in request.COOKIES else None
    return found if isinstance(found, dict) else {}


def _tell_colours(request: HttpRequest, response: HttpResponse) -> None:
    kept = request.session.get(KEPT_AS)
    theme = kept.get("theme", "") if isinstance(kept, dict) else ""
    if theme == request.COOKIES.get(THEME_COOKIE, ""):
        return
    if theme:
        response.set_cookie(THEME_COOKIE, theme, max_age=A_YEAR, secure=settings.SESSION_COOKIE_SECURE, samesite="Lax")
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
