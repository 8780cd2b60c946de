"""How far the sessions of a tournament are; its format says how many hanchan belong to each."""

from collections.abc import Collection, Mapping
from datetime import datetime

from league.core.session_phases import SessionPhase
from league.selectors.session_phases import rounds_of, session_phases
from tournaments.models import StageSession
from tournaments.selectors.state import CurrentState


def tournament_phases(current: CurrentState, now: datetime) -> dict[int, SessionPhase]:
    """Return how far each session of a tournament is, by primary key; queries as for any other."""
    return session_phases(current.tournament.league, [each.session for each in current.sessions], now)


def rounds_of_stages(sessions: Collection[int]) -> Mapping[int, int]:
    """Return how many rounds sessions of tournaments have, by primary key. One query."""
    found = StageSession.objects.filter(session__in=sessions).select_related("session", "tournament")
    # A part that was postponed has all its rounds from the beginning, however many they are.
    return {each.session_id: 1 if each.session.postponed_from_id else _hanchan(each) for each in found}


def _hanchan(each: StageSession) -> int:
    stages = each.tournament.format.stages
    return next((stage.hanchan for stage in stages if stage.key == each.stage), 0)


def register() -> None:
    """Let a session be over with the last hanchan that its stage wants, on every page."""
    if rounds_of_stages not in rounds_of:
        rounds_of.append(rounds_of_stages)
