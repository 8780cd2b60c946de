"""How likely what came was, and how good the chances that Tenbo tells are."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from league.selectors.names import hide_names
from tournaments.http.access import in_tournament
from tournaments.http.pages import kept_hindsight, kept_hindsights, kept_outlook, kept_state
from tournaments.models import Tournament
from tournaments.permissions import directs_something
from tournaments.selectors.beliefs import Knowledge
from tournaments.selectors.chances import title_chances
from tournaments.selectors.hindsight import league_calibration, looks_back


@require_safe
@in_tournament(kept=directs_something)
def odds(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return the chances of a tournament, how likely what came was, and how good such chances are in the league.

    Where the organisers show no chances the page says that, for whoever has its address.
    """
    if not tournament.shows_chances:
        return render(request, "tournaments/no_chances.html", {"league": tournament.league, "tournament": tournament})
    current = kept_state(tournament)
    hide_names(request.user, tournament.league, [entry.player for entry in current.entries.values()])
    knowledge = Knowledge(current)
    page = {
        "league": tournament.league,
        "tournament": tournament,
        "title": title_chances(current, kept_outlook(current, knowledge), knowledge),
        "looks": looks_back(current, kept_hindsight(current)),
        "calibration": league_calibration(kept_hindsights(tournament)),
    }
    return render(request, "tournaments/odds.html", page)
