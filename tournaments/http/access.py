"""Access to a tournament's pages: through its league, with the league's permissions."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse

from league.http.access import SlugView, in_league, nobody_else
from league.http.published import NOTHING_ASKED, Own, Parameters, published
from league.models import League
from league.permissions import MANAGE, VIEW
from tournaments.models import Tournament
from tournaments.permissions import directs_here
from tournaments.selectors.addresses import tournament_at

P = ParamSpec("P")
TournamentView = Callable[Concatenate[HttpRequest, Tournament, P], HttpResponse]


def in_tournament(
    permission: str = VIEW, kept: Own | None = None, reads: Parameters = NOTHING_ASKED
) -> Callable[[TournamentView[P]], SlugView[P]]:
    """Return a decorator that hands the tournament to a view, if the person may do this in its league.

    What organisers may do in a tournament its directors may, too.

    `kept`: the page is rendered once for everybody who sees the same, as league.http.published says; this tells where
    it is somebody's own, and `reads` what such a page reads of the query.
    """

    def decorate(view: TournamentView[P]) -> SlugView[P]:
        @wraps(view)
        def guarded(request: HttpRequest, league: League, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            key = kwargs.pop("key")
            return view(request, tournament_or_404(league, str(key)), *args, **kwargs)

        if kept is None:
            return in_league(permission, instead=directs_here if permission == MANAGE else nobody_else)(guarded)
        return in_league(permission)(published(kept, reads)(guarded))

    return decorate


def tournament_or_404(league: League, key: str) -> Tournament:
    """Return the tournament of a league that has this address. One query; raises Http404."""
    tournament = tournament_at(league, key)
    if tournament is None:
        raise Http404
    return tournament
