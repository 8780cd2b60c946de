"""Answers that cost nothing while nothing changed: 304 for a page the browser has, stored HTML for one the site has."""

from collections.abc import Callable
from functools import cache as cache_result
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from django import get_version
from django.conf import settings
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from league.messages import other_sign

T = TypeVar("T")

ROOTS = ("templates", "locale", "static", "config", "tournaments", "stats", "accounts", "league", "scoring")
DRAWN_WITH = {".html", ".mo", ".css", ".js", ".svg", ".py", ".toml"}
"""Files that a page is drawn with, the code among them: what is kept is read by the code that made it."""

KEEP = 60 * 60
"""Seconds for which anything is kept; its key changes with what it says, so this bounds how much lies about, no more."""


def page_tag(request: HttpRequest, *parts: object) -> str:
    """Return the ETag of a page made of these parts, which differs by language and by reader."""
    return plain_tag(get_language(), reader_of(request), appearance(), *parts)


def has_messages(request: HttpRequest) -> bool:
    """Return whether something is told on the page that is told once: such a page is shown as it is, and not kept."""
    return len(get_messages(request)) > 0


def reader_of(request: HttpRequest) -> tuple[object, ...]:
    """Return what tells a page of one reader from that of another: who they are, by which name, and their token."""
    user = request.user
    if not user.is_authenticated:
        return ()
    return user.pk, user.get_username(), user.is_superuser, user.last_login, request.META.get("CSRF_COOKIE", "")


def plain_tag(*parts: object) -> str:
    """Return the ETag of an answer that is alike for everybody, but for the sign of negative numbers."""
    return f'"{digest(*parts, *other_sign())}"'


def digest(*parts: object) -> str:
    """Return a short text that differs where the parts do."""
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def unchanged(request: HttpRequest, tag: str | None) -> HttpResponse | None:
    answer = get_conditional_response(request, etag=tag) if tag else None
    return with_tag(answer, tag) if answer is not None else None


def with_tag(response: HttpResponse, tag: str | None) -> HttpResponse:
    """Return the response with its ETag, to be asked about each time and kept by nobody but the browser.

    To whoever brings nothing of their own it is everybody's: an edge may hand it to others (config/edge.py).
    """
    if tag:
        response["ETag"] = tag
    setattr(response, "is_everybodys", True)  # noqa: B010 - no such field
    patch_cache_control(response, private=True, no_cache=True)
    return response


def cached(key: tuple[object, ...], render: Callable[[], str]) -> SafeString:
    """Return rendered HTML from the cache, rendering it when it is not there."""
    html: SafeString = mark_safe(remembered(("html", *key, *other_sign()), render))  # noqa: S308 - a rendered template
    return html


def remembered(key: tuple[object, ...], make: Callable[[], T]) -> T:
    """Return a value from the cache, making it when it is not there; the key changes with what it says."""
    name = f"kept:{digest(appearance(), *key)}"
    found: T | None = cache.get(name)
    if found is None:
        found = make()
        cache.set(name, found, KEEP)
    return found


def appearance() -> str:
    """Return a text that changes when templates, styles, translations or code do; made anew only while developing."""
    return _fingerprint() if settings.DEBUG else _fingerprint_once()


def _fingerprint() -> str:
    files = [
        path for root in ROOTS for path in sorted(Path(settings.BASE_DIR, root).rglob("*")) if path.suffix in DRAWN_WITH
    ]
    # Rows of models are among what is kept, and only the same Django reads them; pages name the site's files, and whom to ask.
    site = (get_version(), settings.STATIC_URL, settings.EDGE)
    return digest(site, [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files])


_fingerprint_once = cache_result(_fingerprint)
