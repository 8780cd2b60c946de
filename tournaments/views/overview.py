"""What everybody sees of a tournament."""

from django.http import HttpRequest, HttpResponse

from league.models import League
from league.views.access import in_league
from tournaments.models import Tournament
from tournaments.views.access import in_tournament


@in_league()
def index(request: HttpRequest, league: League) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def tournament(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def stage(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def format_(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def results(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()
