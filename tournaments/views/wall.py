"""The table for the wall."""

from django.http import HttpRequest, HttpResponse

from tournaments.models import Tournament
from tournaments.views.access import in_tournament


@in_tournament()
def wall(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()


@in_tournament()
def state(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return nothing yet."""
    return HttpResponse()
