"""Pages that are not sent again while they are the same: by the league's edition, the clock and who reads (docs/adr/0074)."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.utils import timezone

from league.core.periods import moment_on
from league.http.freshness import KEEP, appearance, digest, has_messages, page_tag, unchanged, with_tag
from league.models import League
from league.permissions import role_in

P = ParamSpec("P")
LeagueView = Callable[Concatenate[HttpRequest, League, P], HttpResponse]


def published(view: LeagueView[P]) -> LeagueView[P]:
    """Decorate a page of a league, below the decorator that lets only readers through."""

    @wraps(view)
    def shown(request: HttpRequest, league: League, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        edition = (*edition_of(league), role_in(request.user, league))
        return publish(request, edition, lambda: view(request, league, *args, **kwargs))

    shown.is_published = True  # type: ignore[attr-defined]
    return cast("LeagueView[P]", shown)


def publish(request: HttpRequest, edition: tuple[object, ...], render: Callable[[], HttpResponse]) -> HttpResponse:
    """Return a page as unchanged, as it is kept for visitors, or rendered now. `edition`: what changes when the page would.

    A page with messages or a visitor's form is sent each time.
    """
    if request.method not in {"GET", "HEAD"}:
        return render()
    if request.user.is_authenticated and "CSRF_COOKIE" not in request.META:
        # The token is in each of their pages, and so in the tag.
        get_token(request)
    tag = page_tag(request, settings.DEMO, request.build_absolute_uri(), *edition)
    is_told = has_messages(request)
    if not is_told and (answer := unchanged(request, tag)):
        return answer
    # Visitors see the same. What is made up in a query makes no page that is kept.
    is_alike = not (request.user.is_authenticated or is_told or request.META.get("QUERY_STRING"))
    kept: tuple[bytes, str] | None = cache.get(f"page:{tag}") if is_alike else None
    if kept is not None:
        return with_tag(HttpResponse(kept[0], content_type=kept[1]), tag)
    setattr(request, "page_tag", tag)  # noqa: B010 - no such field
    answer = render()
    if is_told or not _may_be_kept(request, answer):
        return with_tag(answer, None)
    if is_alike:
        cache.set(f"page:{tag}", (answer.content, answer["Content-Type"]), KEEP)
    return with_tag(answer, tag)


def by_content(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Return a page of all leagues, which have no edition together: as unchanged where it says the same."""
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
        # A visitor's form has a token that may be gone tomorrow; who is logged in has theirs in the tag.
        and (request.user.is_authenticated or not request.META.get("CSRF_COOKIE_NEEDS_UPDATE"))
    )


def edition_of(league: League) -> tuple[object, ...]:
    """Return what every page of a league is kept by: the league's edition, and what its clock changes."""
    return league.pk, league.edition, clock_of(league, timezone.now())


def version_of(edition: tuple[object, ...]) -> str:
    """Return what an edition is called in the address of a picture: another one whenever a page may show something else."""
    return digest(appearance(), edition)[:16]


def clock_of(league: League, now: datetime) -> tuple[object, ...]:
    """Return what changes in a league by the clock alone: its day, how many sessions of it have begun, and to how many that come it is too late to answer."""
    today = league.day_of(now)
    passed = 0
    for day, clock, until in league.clocked:
        passed += until is not None and until <= now
        if day == today and clock is not None:
            passed += moment_on(day, clock, league.time_zone, league.day_boundary) <= now
    return today, passed
