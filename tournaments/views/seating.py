"""Who sits where."""

from django.http import HttpRequest, HttpResponse

from league.models import League
from league.views.access import in_league
from tournaments.models import Tournament
from tournaments.views.access import in_tournament


@in_league()
def tool(request: HttpRequest, league: League) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def seating(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def certificate(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()
