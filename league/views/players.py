"""The directory of a league's players."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from league.core.searching import MAX_SEARCH_LENGTH
from league.http.access import in_league
from league.http.caching import published
from league.http.links import player_pages
from league.models import League
from league.tables.directory import sections


@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
    """List the players by reading; a search looks at every name they go by."""
    wanted = request.GET.get("q", "")[:MAX_SEARCH_LENGTH].strip()
    found = sections(league, wanted, request.user)
    context = {"league": league, "wanted": wanted, "sections": found, "count": sum(len(part.listed) for part in found)}
    context["player_pages"] = player_pages(league)
    return render(request, "league/players/index.html", context)
