"""What the director's pages share."""

from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from tournaments.core.format import Stage
from tournaments.models import Tournament


def stage_or_404(tournament: Tournament, key: str) -> Stage:
    """Return a stage of the format. Raises Http404."""
    try:
        return tournament.format.stage(key)
    except KeyError as error:
        raise Http404 from error


def page(
    request: HttpRequest, tournament: Tournament, template: str, facts: Mapping[str, object], status: int = 200
) -> HttpResponse:
    """Return a page of the director."""
    context = {"league": tournament.league, "tournament": tournament, **facts}
    return render(request, f"tournaments/director/{template}.html", context, status=status)
