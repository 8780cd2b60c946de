"""Whether somebody has taken a file of the whole league along, which is asked before it is deleted."""

from datetime import datetime, timedelta

from django.http import HttpRequest
from django.utils import timezone

from league.models import League

TAKEN = "leagues-taken"
FRESH = timedelta(days=1)


def note_taken(request: HttpRequest, league: League) -> None:
    taken: dict[str, str] = request.session.get(TAKEN, {})
    request.session[TAKEN] = {**taken, str(league.pk): timezone.now().isoformat()}


def has_taken(request: HttpRequest, league: League) -> bool:
    """Return whether this person has been sent the league as a file within a day."""
    at = request.session.get(TAKEN, {}).get(str(league.pk))
    return at is not None and timezone.now() - datetime.fromisoformat(at) < FRESH
