"""Access control for league pages: finds the league, checks the permission, and names the actor."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.csrf import csrf_failure

from league.core.periods import ALL_TIME, Period, PeriodError, parse_period
from league.http.idempotent import answer_again, answer_once
from league.models import League, Session
from league.permissions import CHANGES, MANAGE, OWN, RECORD, SHUT, VIEW, Person, is_private, led_sessions
from league.selectors.addresses import former_league_at, league_at
from league.services.history import Actor
from league.services.locking import hold

P = ParamSpec("P")
Row = TypeVar("Row", bound=Model)
LeagueView = Callable[Concatenate[HttpRequest, League, P], HttpResponse]
SlugView = Callable[Concatenate[HttpRequest, str, P], HttpResponse]

Instead = Callable[[Person, League, Mapping[str, object]], bool]

MAX_DEVICE_LENGTH = 40

ORGANISERS_ALONE = gettext_lazy("Only organisers can do this. Ask an owner of the league to make you one.")

REFUSALS = {
    RECORD: gettext_lazy(
        "Only scorers can enter results here. Ask an owner of the league to make you one, or scan the code "
        "at your table."
    ),
    MANAGE: ORGANISERS_ALONE,
    SHUT: ORGANISERS_ALONE,
    OWN: gettext_lazy("Only owners of the league can do this. Ask one of them."),
}
"""Error messages by permission: they say who may do this and whom to ask."""


def nobody_else(_user: Person, _league: League, _given: Mapping[str, object]) -> bool:
    return False


def session_led(user: Person, league: League, given: Mapping[str, object]) -> bool:
    return given["pk"] in led_sessions(user, league)


def hanchan_led(user: Person, league: League, given: Mapping[str, object]) -> bool:
    """Return whether the user leads the session of the hanchan in the URL. One query, two if they lead any session."""
    led = led_sessions(user, league)
    return bool(led) and league.hanchan.filter(pk=int(str(given["pk"])), session__in=led).exists()


def photo_led(user: Person, league: League, given: Mapping[str, object]) -> bool:
    led = led_sessions(user, league)
    return bool(led) and league.hanchan.filter(photos=int(str(given["pk"])), session__in=led).exists()


def in_league(
    permission: str = VIEW, *, has_own_key: bool = False, instead: Instead = nobody_else
) -> Callable[[LeagueView[P]], SlugView[P]]:
    """Return a decorator that passes the league to the view if the user has the permission.

    Leagues that the user may not read look like missing ones; anonymous users are redirected to the log-in page. The
    league's time zone is activated. Forms are idempotent unless `has_own_key`. `instead` can grant access to the
    object in the URL to users without the permission.
    """

    def decorate(view: LeagueView[P]) -> SlugView[P]:
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            return answer_again(request, lambda: opened(request, slug, *args, **kwargs))

        def opened(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            league = league_at(slug)
            setattr(request, "is_private", league is None or is_private(league))  # noqa: B010 - no such field
            answer = _kept_out(request, league, slug, permission, lambda found: instead(request.user, found, kwargs))
            if answer is not None:
                return answer
            assert league is not None
            with timezone.override(league.time_zone):
                if has_own_key or request.method != "POST":
                    return view(request, league, *args, **kwargs)
                return answer_once(request, lambda: view(request, league, *args, **kwargs))

        guarded.permission = permission  # type: ignore[attr-defined]
        return cast("SlugView[P]", guarded)

    return decorate


def _kept_out(
    request: HttpRequest, league: League | None, slug: str, permission: str, instead: Callable[[League], bool]
) -> HttpResponse | None:
    """Return a refusal or redirect, or None if the view may run."""
    if league is None:
        # Ask the same queries as for a league that the user may not read.
        for asked in (permission, VIEW):
            request.user.has_perm(asked, NOBODYS_LEAGUE)
        return _unread(request)
    # An administrator may do anything, but changes no league that is over.
    is_over = permission in CHANGES - {SHUT} and not league.is_active
    if is_over or (not request.user.has_perm(permission, league) and not (league.is_active and instead(league))):
        return _refusal(request, league, permission, slug)
    return None if league.slug == slug else _moved(request, slug, league)


def _refusal(request: HttpRequest, league: League, permission: str, slug: str) -> HttpResponse:
    """Return the response for a user without the permission.

    Raise Http404 if they may not read the league, else PermissionDenied with a message.
    """
    if not request.user.has_perm(VIEW, league):
        if league.slug == slug:
            # Do the same work as for an unknown URL, so that timing does not reveal the league.
            former_league_at(slug)
        return _unread(request)
    if permission in CHANGES and not league.is_active:
        return league_over(request, league)
    if wants_json(request) and request.method == "POST":
        return log_in_again()
    if not request.user.is_authenticated:
        return login_first(request)
    raise PermissionDenied(REFUSALS.get(permission, ""))


NOBODYS_LEAGUE = League(pk=0, is_public=False)
"""Stands in for a missing league, so that both cases run the same permission queries."""


def _unread(request: HttpRequest) -> HttpResponse:
    """Return the response for pages that are missing or not readable; raise Http404 for logged-in users."""
    if wants_json(request) and request.method == "POST":
        return log_in_again()
    if not request.user.is_authenticated:
        setattr(request, "is_refused", True)  # noqa: B010 - no such field
        return login_first(request)
    raise Http404


def _moved(request: HttpRequest, slug: str, league: League) -> HttpResponse:
    """Redirect to the league's current slug and keep the request's method and body.

    The redirect is temporary because a league can return to a former slug.
    """
    target = request.get_full_path().replace(f"/l/{slug}/", f"/l/{league.slug}/", 1)
    return HttpResponseRedirect(target, preserve_request=True)


def league_over(request: HttpRequest, league: League) -> HttpResponse:
    """Return the response for changes to an archived league; the 410 status tells phones to keep their results."""
    text = _("%(league)s is archived and read-only. An owner can reopen it.")
    if league.ends_at is not None:
        text = _("%(league)s will be deleted and is read-only. An owner can cancel that.")
    text %= {"league": league}
    if wants_json(request):
        return JsonResponse({"state": "ended", "message": text, "desk": ""}, status=410)
    return render(request, "league/home/over.html", {"league": league, "text": text}, status=403)


def login_first(request: HttpRequest) -> HttpResponse:
    """Redirect to the log-in page, which returns to this URL."""
    return HttpResponseRedirect(f"{resolve_url('login')}?{urlencode({'next': request.get_full_path()})}")


def wants_json(request: HttpRequest) -> bool:
    """Return whether the request comes from a script rather than from page navigation."""
    return "application/json" in request.headers.get("Accept", "")


def log_in_again() -> HttpResponse:
    """Return a 403 JSON response: the user is logged out or lacks the permission."""
    text = _("Log in again. What you entered is saved on this phone.")
    return JsonResponse({"state": "login", "message": text}, status=403)


def to_be_changed(request: HttpRequest, rows: QuerySet[Row], pk: int | None = None) -> QuerySet[Row]:
    """Return the rows, locked until the end of the transaction if the request is a POST.

    `pk`: lock only the row with this primary key.
    """
    if request.method == "POST":
        hold(rows if pk is None else rows.filter(pk=pk))
    return rows


def session_of(league: League, pk: int, among: QuerySet[Session] | None = None) -> Session:
    """Return a session of the league with its rules. One query; raise Http404 if there is none.

    `among`: a queryset of the league's sessions, to load more with it.
    """
    sessions = league.sessions.all() if among is None else among
    session = get_object_or_404(sessions.select_related("ruleset_version__ruleset", "postponed_from"), pk=pk)
    session.league = league
    return session


def actor(request: HttpRequest) -> Actor:
    return Actor(request.user if isinstance(request.user, User) else None, "web", device=device_of(request))


def device_of(request: HttpRequest) -> str:
    """Return the device id that the phone sent, or "" if it is missing or malformed."""
    text = request.POST.get("device") or request.GET.get("device", "")
    return text if len(text) <= MAX_DEVICE_LENGTH and text.isascii() and text.isalnum() else ""


YEARS = range(1900, 2201)
"""Years for which standings pages exist; others are a 404."""


def scope_period(league: League, scope: str) -> Period:
    """Return the period for the `scope` part of a URL. Raise Http404 if it is invalid."""
    try:
        period = parse_period(scope, league.first_month)
    except PeriodError as error:
        raise Http404 from error
    if period != ALL_TIME and (period.start.year not in YEARS or period.last.year not in YEARS):
        raise Http404
    return period


def csrf_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the CSRF failure page; scripts get JSON instead, so that they keep the input."""
    return log_in_again() if wants_json(request) else csrf_failure(request, reason)
