"""HTTP caching of pages: keyed by the league's edition, the clock and the reader (docs/adr/0074)."""

from collections.abc import Callable
from datetime import datetime
from functools import cache as cache_result
from functools import wraps
from hashlib import blake2b
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

from django import get_version
from django.conf import settings
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from league.core.periods import moment_on
from league.messages import other_sign
from league.models import League
from league.permissions import role_in

T = TypeVar("T")

ROOTS = ("templates", "locale", "static", "config", "tournaments", "stats", "accounts", "league", "scoring")
DRAWN_WITH = {".html", ".mo", ".css", ".js", ".svg", ".py", ".toml", ".txt"}
"""Suffixes of files that affect rendered pages, code and its tables included."""

KEEP = 60 * 60
"""Seconds until a cache entry expires. Keys change with the content, so this only limits storage."""

KEEP_PAGE = KEEP


def page_tag(request: HttpRequest, *parts: object) -> str:
    return plain_tag(get_language(), reader_of(request), appearance(), *parts)


def has_messages(request: HttpRequest) -> bool:
    """Return whether one-time messages are waiting; such pages are not cached."""
    return len(get_messages(request)) > 0


def reader_of(request: HttpRequest) -> tuple[object, ...]:
    """Return the reader's part of cache keys: user, user name, log-in and CSRF token; () if anonymous."""
    user = request.user
    if not user.is_authenticated:
        return ()
    return user.pk, user.get_username(), user.is_superuser, user.last_login, request.META.get("CSRF_COOKIE", "")


def plain_tag(*parts: object) -> str:
    """Return an ETag that ignores the reader, except for their sign of negative numbers."""
    return f'"{digest(*parts, *other_sign())}"'


def digest(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


def unchanged(request: HttpRequest, tag: str | None) -> HttpResponse | None:
    answer = get_conditional_response(request, etag=tag) if tag else None
    return with_tag(answer, tag) if answer is not None else None


def with_tag(response: HttpResponse, tag: str | None) -> HttpResponse:
    """Set the ETag and Cache-Control headers: browsers may store the response but must revalidate it.

    Responses for anonymous visitors may also be cached by an edge (config/edge.py).
    """
    if tag:
        response["ETag"] = tag
    setattr(response, "is_everybodys", True)  # noqa: B010 - no such field
    patch_cache_control(response, private=True, no_cache=True)
    return response


def cached(key: tuple[object, ...], render: Callable[[], str]) -> SafeString:
    html: SafeString = mark_safe(remembered(("html", *key, *other_sign()), render))  # noqa: S308 - a rendered template
    return html


def remembered(key: tuple[object, ...], make: Callable[[], T]) -> T:
    """Return the cached value, calling `make` if there is none. The key must change with the value."""
    name = f"kept:{digest(appearance(), *key)}"
    found: T | None = cache.get(name)
    if found is None:
        found = make()
        cache.set(name, found, KEEP)
    return found


def appearance() -> str:
    """Return a digest of templates, styles, translations and code; computed once unless in development."""
    return _fingerprint() if settings.DEBUG else _fingerprint_once()


def _fingerprint() -> str:
    found = (path for root in ROOTS for path in sorted(Path(settings.BASE_DIR, root).rglob("*")))
    files = [path for path in found if path.suffix in DRAWN_WITH]
    # Cached model instances depend on Django's version; pages depend on STATIC_URL and the edge.
    site = (get_version(), settings.STATIC_URL, settings.EDGE)
    return digest(site, [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files])


_fingerprint_once = cache_result(_fingerprint)


P = ParamSpec("P")
LeagueView = Callable[Concatenate[HttpRequest, League, P], HttpResponse]


def published(view: LeagueView[P]) -> LeagueView[P]:
    """Decorate a league page with HTTP caching. Goes below the access decorator."""

    @wraps(view)
    def shown(request: HttpRequest, league: League, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        edition = (*edition_of(league), role_in(request.user, league))
        return publish(request, edition, lambda: view(request, league, *args, **kwargs))

    shown.is_published = True  # type: ignore[attr-defined]
    return cast("LeagueView[P]", shown)


def publish(request: HttpRequest, edition: tuple[object, ...], render: Callable[[], HttpResponse]) -> HttpResponse:
    """Return 304, the cached page, or a newly rendered one.

    `edition`: values that change whenever the page does. Pages with messages or a visitor's CSRF token are never
    cached.
    """
    if request.method not in {"GET", "HEAD"}:
        return render()
    if request.user.is_authenticated and "CSRF_COOKIE" not in request.META:
        # The CSRF token is in every page of a logged-in user, and so part of the ETag.
        get_token(request)
    tag = page_tag(request, settings.DEMO, request.build_absolute_uri(), *edition)
    is_told = has_messages(request)
    if not is_told and (answer := unchanged(request, tag)):
        return answer
    # Same page for all visitors, and without query parameters.
    is_alike = not (request.user.is_authenticated or is_told or request.META.get("QUERY_STRING"))
    kept: tuple[bytes, str] | None = cache.get(f"page:{tag}") if is_alike else None
    if kept is not None:
        return with_tag(HttpResponse(kept[0], content_type=kept[1]), tag)
    setattr(request, "page_tag", tag)  # noqa: B010 - no such field
    answer = render()
    if is_told or not _may_be_kept(request, answer):
        return with_tag(answer, None)
    if is_alike:
        cache.set(f"page:{tag}", (answer.content, answer["Content-Type"]), KEEP_PAGE)
    return with_tag(answer, tag)


def by_content(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Set an ETag from the content, for pages across leagues, which have no common edition."""
    if has_messages(request) or not _may_be_kept(request, answer):
        return with_tag(answer, None)
    tag = page_tag(request, answer.content)
    return unchanged(request, tag) or with_tag(answer, tag)


OK = 200


def _may_be_kept(request: HttpRequest, answer: HttpResponse) -> bool:
    return (
        answer.status_code == OK
        and not answer.streaming
        and not answer.cookies
        # A visitor's CSRF token may expire; a user's token is part of the ETag.
        and (request.user.is_authenticated or not request.META.get("CSRF_COOKIE_NEEDS_UPDATE"))
    )


def edition_of(league: League) -> tuple[object, ...]:
    """Return the part of cache keys for a league's pages: the league's edition and `clock_of`."""
    return league.pk, league.edition, clock_of(league, timezone.now())


def version_of(edition: tuple[object, ...]) -> str:
    """Return a short digest of an edition, for the URLs of images."""
    return digest(appearance(), edition)[:16]


def clock_of(league: League, now: datetime) -> tuple[object, ...]:
    """Return the part of a league's cache keys that changes with time alone.

    It consists of the league day, and the number of sessions that have begun or no longer accept answers.
    """
    today = league.day_of(now)
    passed = 0
    for day, clock, until in league.clocked:
        passed += until is not None and until <= now
        if day == today and clock is not None:
            passed += moment_on(day, clock, league.time_zone, league.day_boundary) <= now
    return today, passed
