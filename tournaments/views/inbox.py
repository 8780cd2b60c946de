"""What waits for the director of a tournament."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.permissions import MANAGE
from tournaments.http.access import in_tournament
from tournaments.http.pages import page
from tournaments.models import Tournament
from tournaments.selectors.inbox import inbox_items, session_states
from tournaments.selectors.session_phases import tournament_phases
from tournaments.selectors.state import state_of


@require_safe
@in_tournament(MANAGE)
def inbox(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return what waits for the director, and the links to everything."""
    current = state_of(tournament)
    now = timezone.now()
    facts = {
        "items": inbox_items(current, tournament.league.day_of(now)),
        "phases": tournament_phases(current, now),
        "current": current,
        "stages": current.state.stages,
        "sessions": session_states(current),
        "is_open": tournament.state == Tournament.State.PREPARING,
    }
    return page(request, tournament, "inbox", facts)
