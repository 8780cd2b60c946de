"""Stages that a person can close with what was played: who has played less than planned, and whether nothing else is to come."""

from tournaments.core.state import StageProgress, StageState
from tournaments.models import Tournament
from tournaments.selectors.state import CurrentState

UNDER_WAY = frozenset({StageState.WAITING, StageState.READY, StageState.RUNNING})


def short_of_hanchan(progress: StageProgress) -> list[int]:
    return [
        int(line.participant)
        for ranking in progress.rankings
        if not ranking.complete
        for line in ranking.lines
        if line.left and not line.withdrawn
    ]


def can_be_closed(current: CurrentState, progress: StageProgress) -> bool:
    """Return whether a stage that is not over could be: it is decided who plays in it."""
    into = current.state.paths_into(progress.stage.key)
    is_known = all(path.decision for path in into) and not progress.undrawn
    return is_known and progress.state in UNDER_WAY and current.tournament.state == Tournament.State.RUNNING
