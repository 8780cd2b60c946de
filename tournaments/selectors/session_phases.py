"""How far the sessions of a tournament are; its format says how many hanchan belong to each."""

from datetime import datetime

from league.core.session_phases import SessionPhase
from league.selectors.session_phases import session_phases
from tournaments.selectors.state import CurrentState


def tournament_phases(current: CurrentState, now: datetime) -> dict[int, SessionPhase]:
    """Return how far each session of a tournament is, by primary key. Three queries, none where all are closed."""
    hanchan = {stage.key: stage.hanchan for stage in current.tournament.format.stages}
    rounds = {each.session_id: hanchan.get(each.stage, 0) for each in current.sessions}
    # A part that was postponed has all its rounds from the beginning, however many they are.
    rounds |= {each.session_id: 1 for each in current.sessions if each.session.postponed_from_id is not None}
    sessions = [each.session for each in current.sessions]
    return session_phases(current.tournament.league, sessions, now, rounds)
