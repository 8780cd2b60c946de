"""Answers that cost nothing while nothing changed: 304 for a page the browser has, stored HTML for one the site has."""

from collections.abc import Callable
from functools import cache as cache_result
from hashlib import blake2b
from pathlib import Path

from django.conf import settings
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

ROOTS = ("templates", "locale", "static")
DRAWN_WITH = {".html", ".mo", ".css", ".js", ".svg"}
"""Files that a page is drawn with."""

KEEP_HTML = 24 * 60 * 60
"""Seconds for which a rendered part is kept; its key changes with its contents, so age does no harm."""


def page_tag(request: HttpRequest, *parts: object) -> str | None:
    """Return the ETag of a page made of these parts, or None when it must be shown anew.

    A page differs by language and by reader. It also carries the token of its forms, and messages that are shown once.
    """
    if len(get_messages(request)):
        return None
    user = request.user
    reader = (user.pk, user.last_login) if user.is_authenticated else ()
    return plain_tag(get_language(), reader, request.META.get("CSRF_COOKIE", ""), appearance(), *parts)


def plain_tag(*parts: object) -> str:
    """Return the ETag of an answer that is alike for everybody."""
    return f'"{_digest(*parts)}"'


def _digest(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def unchanged(request: HttpRequest, tag: str | None) -> HttpResponse | None:
    """Return a 304 when the browser already has the page with this ETag."""
    answer = get_conditional_response(request, etag=tag) if tag else None
    return with_tag(answer, tag) if answer is not None else None


def with_tag(response: HttpResponse, tag: str | None) -> HttpResponse:
    """Return the response with its ETag, to be asked about each time and kept by nobody but the browser."""
    if tag:
        response["ETag"] = tag
    patch_cache_control(response, private=True, no_cache=True)
    return response


def cached(key: tuple[object, ...], render: Callable[[], str]) -> SafeString:
    """Return rendered HTML from the cache, rendering it when it is not there."""
    name = f"html:{_digest(appearance(), *key)}"
    found = cache.get(name)
    if found is None:
        found = render()
        cache.set(name, found, KEEP_HTML)
    html: SafeString = mark_safe(found)  # noqa: S308 - a rendered template
    return html


def appearance() -> str:
    """Return a text that changes when templates, styles or translations do; made anew only while developing."""
    return _fingerprint() if settings.DEBUG else _fingerprint_once()


def _fingerprint() -> str:
    files = [
        path for root in ROOTS for path in sorted(Path(settings.BASE_DIR, root).rglob("*")) if path.suffix in DRAWN_WITH
    ]
    return _digest([(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files])


_fingerprint_once = cache_result(_fingerprint)
