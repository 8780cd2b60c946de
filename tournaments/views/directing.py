"""Directing a tournament that is under way."""

from django.http import HttpRequest, HttpResponse

from tournaments.models import Tournament
from tournaments.views.access import in_tournament


@in_tournament()
def inbox(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def approve(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def keep(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def reopen(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def order(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def withdraw(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def postpone(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def next_round(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def finish(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()
