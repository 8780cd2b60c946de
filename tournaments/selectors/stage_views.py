"""The stages of a tournament as its pages show them: how far each is, and who holds its places."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from league.selectors.session_phases import by_start
from tournaments.core.format import Destination, Outcome
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress, StageState
from tournaments.messages.places import place_label
from tournaments.messages.titles import stage_name
from tournaments.models import Entry, StageSession
from tournaments.selectors.block_standings import BlockStandings, block_standings
from tournaments.selectors.state import CurrentState

NOT_BEGUN = frozenset({StageState.WAITING, StageState.UNDRAWN, StageState.READY})


@dataclass(frozen=True, slots=True)
class DestinationPlace:
    """Who holds a place, or would hold it if it ended now. `origin`: where it was won, in short."""

    entry: Entry | None
    origin: str
    provisional: bool = False
    stage: str | None = None
    block: str = ""


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage on the tournament page.

    `played`: hanchan of those blocks that are not through yet; `furthest`: of all. `session`: the number of the session
    under way, 0 where there is only one.
    """

    progress: StageProgress
    name: str
    played: int
    furthest: int
    session: int
    blocks: tuple[BlockStandings, ...]
    places: tuple[DestinationPlace, ...]
    open: bool

    @property
    def key(self) -> str:
        return self.progress.stage.key

    @property
    def planned(self) -> int:
        return self.progress.stage.planned


def stage_views(current: CurrentState) -> tuple[StageView, ...]:
    """Return all stages; those that something happens in now are open."""
    now = {progress.stage.key for progress in current_stages(current)}
    return tuple(stage_view(current, progress, is_open=progress.stage.key in now) for progress in current.state.stages)


def stage_view(current: CurrentState, progress: StageProgress, *, is_open: bool = True) -> StageView:
    reached = furthest(progress.rankings)
    played = furthest(ranking for ranking in progress.rankings if ranking.started and not ranking.complete) or reached
    return StageView(
        progress=progress,
        name=stage_name(progress.stage),
        played=played,
        furthest=reached,
        session=_session(progress, played),
        blocks=block_standings(current, progress),
        places=tuple(destination_places(current, progress.stage)),
        open=is_open,
    )


def furthest(rankings: Iterable[BlockRanking]) -> int:
    """Return how many hanchan whoever has played most has behind them."""
    return max((line.played for ranking in rankings for line in ranking.lines), default=0)


def _session(progress: StageProgress, played: int) -> int:
    if progress.stage.sessions == 1:
        return 0
    return min(progress.stage.sessions, max(1, -(-played // progress.stage.hanchan)))


def current_stages(current: CurrentState) -> list[StageProgress]:
    """Return the stages under way or waiting for approval; before any is, the next one."""
    stages = current.state.stages
    busy = [each for each in stages if each.state in {StageState.RUNNING, StageState.PLAYED}]
    return busy or [each for each in stages if each.state is not StageState.DECIDED][:1]


def destination_places(current: CurrentState, to: Destination) -> Iterator[DestinationPlace]:
    """Yield who holds the places of a stage or an outcome; after them, who would if everything ended now."""
    state, format_ = current.state, current.state.format
    places = state.arrivals[to.key] if isinstance(to, Outcome) else state.stage(to.key).places
    known = {place.participant for place in places}
    for place in places:
        entry = current.entries[int(place.participant)]
        label = place_label(place, format_, entry.seed)
        yield DestinationPlace(entry, label, not place.approved, place.stage, place.block)
    for path in state.paths_into(to.key):
        if path.decision is None and furthest(state.stage(path.stage).rankings):
            for place in path.going:
                if place.participant not in known:
                    known.add(place.participant)
                    entry = current.entries[int(place.participant)]
                    yield DestinationPlace(
                        entry, place_label(place, format_), provisional=True, stage=place.stage, block=place.block
                    )


def sessions_of(current: CurrentState, stage: str) -> list[StageSession]:
    found = [each for each in current.sessions if each.stage == stage]
    boundary = current.tournament.league.day_boundary
    return sorted(found, key=lambda each: (by_start(each.session, boundary)[:-1], each.number, each.block, each.pk))
