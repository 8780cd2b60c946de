"""Tournaments as a list shows them."""

from dataclasses import dataclass, replace

from league.models import League
from tournaments.messages.titles import stage_name
from tournaments.models import Entry, Tournament
from tournaments.selectors.final_ranking import champions
from tournaments.selectors.stage_views import current_stages
from tournaments.selectors.state import CurrentState


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament in a list: how far it is and who has won it."""

    tournament: Tournament
    entries: int
    now: tuple[str, ...] = ()
    champions: tuple[Entry, ...] = ()


def tournament_summary(current: CurrentState) -> TournamentSummary:
    entered = sum(1 for entry in current.entries.values() if not entry.is_substitute)
    plain = TournamentSummary(current.tournament, entered)
    if current.tournament.state == Tournament.State.FINISHED:
        return replace(plain, champions=tuple(champions(current)))
    return replace(plain, now=tuple(stage_name(each.stage) for each in current_stages(current)))


def running_tournaments(league: League) -> list[Tournament]:
    return list(league.tournaments.exclude(state=Tournament.State.FINISHED))
