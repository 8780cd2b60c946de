"""How far the sessions of a tournament are; its format says how many hanchan belong to each."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from league.core.session_phases import SessionPhase
from league.selectors.session_phases import rounds_of, session_phases
from tournaments.models import StageSession, Tournament
from tournaments.selectors.state import CurrentState


def tournament_phases(current: CurrentState, now: datetime) -> dict[int, SessionPhase]:
    """Return how far each session of a tournament is, by primary key. Three queries, none where all are closed."""
    sessions = [each.session for each in current.sessions]
    return session_phases(current.tournament.league, sessions, now, _rounds(current.sessions, current.tournament))


def rounds_of_stages(sessions: Collection[int]) -> Mapping[int, int]:
    found = StageSession.objects.filter(session__in=sessions).select_related("session", "tournament")
    return {key: number for each in found for key, number in _rounds([each], each.tournament).items()}


def _rounds(sessions: Iterable[StageSession], tournament: Tournament) -> dict[int, int]:
    hanchan = {stage.key: stage.hanchan for stage in tournament.format.stages}
    # A part that was postponed has all its rounds from the beginning, however many they are.
    return {each.session_id: 1 if each.session.postponed_from_id else hanchan.get(each.stage, 0) for each in sessions}


def register() -> None:
    """Let a session be over with the last hanchan that its stage wants, on every page."""
    if rounds_of_stages not in rounds_of:
        rounds_of.append(rounds_of_stages)
