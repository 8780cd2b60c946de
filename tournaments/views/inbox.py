"""What waits for the director of a tournament."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.permissions import MANAGE
from tournaments.http.access import in_tournament
from tournaments.http.pages import page
from tournaments.models import Tournament
from tournaments.selectors.inbox import session_states, waiting_in
from tournaments.selectors.state import state_of


@require_safe
@in_tournament(MANAGE)
def inbox(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return what waits for the director, and the ways to everything."""
    current = state_of(tournament)
    facts = {
        "items": waiting_in(current, tournament.league.day_of(timezone.now())),
        "current": current,
        "stages": current.course.stages,
        "sessions": session_states(current),
        "is_open": tournament.state == Tournament.State.PREPARING,
    }
    return page(request, tournament, "inbox", facts)
