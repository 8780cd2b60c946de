"""Preparing a tournament."""

from django.http import HttpRequest, HttpResponse

from league.models import League
from league.views.access import in_league
from tournaments.models import Tournament
from tournaments.views.access import in_tournament


@in_league()
def new(request: HttpRequest, league: League) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def edit(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def entries(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def remove_entry(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def draw(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def plan(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def link(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def unlink(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()
