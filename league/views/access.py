"""The way into a league's pages: which league, may this person, and who is acting."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, resolve_url
from django.utils import timezone

from league.models import League
from league.permissions import VIEW
from league.services.history import Actor

P = ParamSpec("P")
LeagueView = Callable[Concatenate[HttpRequest, League, P], HttpResponse]
SlugView = Callable[Concatenate[HttpRequest, str, P], HttpResponse]


def in_league(permission: str = VIEW) -> Callable[[LeagueView[P]], SlugView[P]]:
    """Return a decorator that hands the league to a view, if the person may do this in it.

    Somebody who may not even read the league is told that it does not exist; somebody not logged in is asked to. Times
    on the page are those of the league's clock.
    """

    def decorate(view: LeagueView[P]) -> SlugView[P]:
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            league = get_object_or_404(League.objects.select_related("current_version__ruleset"), slug=slug)
            if request.user.has_perm(permission, league):
                with timezone.override(league.time_zone):
                    return view(request, league, *args, **kwargs)
            if not request.user.is_authenticated:
                return login_first(request)
            if not request.user.has_perm(VIEW, league):
                raise Http404
            raise PermissionDenied

        guarded.permission = permission  # type: ignore[attr-defined]
        return cast("SlugView[P]", guarded)

    return decorate


def login_first(request: HttpRequest) -> HttpResponse:
    """Return the way to the log-in page and back here."""
    return HttpResponseRedirect(f"{resolve_url('login')}?{urlencode({'next': request.get_full_path()})}")


def actor(request: HttpRequest) -> Actor:
    """Return who acts through this request."""
    return Actor(request.user if isinstance(request.user, User) else None, "web")
