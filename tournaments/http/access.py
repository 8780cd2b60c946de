"""Access to a tournament's pages: through its league, with the league's permissions."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from league.http.access import SlugView, in_league
from league.models import League
from league.permissions import VIEW
from tournaments.models import Tournament

P = ParamSpec("P")
TournamentView = Callable[Concatenate[HttpRequest, Tournament, P], HttpResponse]


def in_tournament(permission: str = VIEW) -> Callable[[TournamentView[P]], SlugView[P]]:
    """Return a decorator that hands the tournament to a view, if the person may do this in its league."""

    def decorate(view: TournamentView[P]) -> SlugView[P]:
        @in_league(permission)
        @wraps(view)
        def guarded(request: HttpRequest, league: League, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            key = kwargs.pop("key")
            tournament = get_object_or_404(
                Tournament.objects.select_related("ruleset_version__ruleset"), league=league, key=key
            )
            tournament.league = league
            return view(request, tournament, *args, **kwargs)

        return guarded

    return decorate
