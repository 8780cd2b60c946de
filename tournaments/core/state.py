"""A tournament's state: stages, players, advancement and final ranks."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tournaments.core.facts import Advance, Participant, Unranked
from tournaments.core.format import Format, Stage
from tournaments.core.places import Proposal
from tournaments.core.ranking import BlockRanking


class StageState(StrEnum):
    WAITING = "waiting"  # players not decided yet
    UNDRAWN = "undrawn"  # players decided, blocks not drawn
    READY = "ready"  # players and blocks decided, nothing played
    RUNNING = "running"
    PLAYED = "played"  # completed, advancement not approved yet
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class TakenPlace:
    """A player in a place of a stage or outcome, and whether this has been approved.

    `stage`, `block` and `position` say where the place was won; empty for an entrant's place.
    """

    participant: Participant
    stage: str | None = None
    block: str = ""
    position: int | None = None
    bonus: int = 0
    approved: bool = True
    replaces: Participant | None = None


@dataclass(frozen=True, slots=True)
class AdvancementPath:
    """A path from a stage to a destination: the current proposal, and the decision.

    `proposal` follows from the ranking alone; in `going`, players who withdrew are removed and substitutes added, so it
    lists who would advance now. It can be approved once `ready`. `overtaken`: a decision was based on a proposal that
    has changed since; it stands until it is kept or revised. `place_count`: places according to the format, None if
    undetermined. `complete`: all hanchan of the stage were played.
    """

    stage: str
    to: str
    proposal: Proposal
    going: tuple[TakenPlace, ...]
    decision: Advance | None
    ready: bool
    overtaken: bool
    place_count: int | None
    complete: bool = False

    @property
    def proposed(self) -> tuple[Participant, ...]:
        return tuple(place.participant for place in self.going)

    @property
    def vacant(self) -> int:
        return max(0, (self.place_count or len(self.proposal.places)) - len(self.going))


@dataclass(frozen=True, slots=True)
class StageProgress:
    """A stage's state.

    `places`: its players; `expected`: their planned number, None if undetermined. `closed`: ended early by decision.
    """

    stage: Stage
    state: StageState
    places: tuple[TakenPlace, ...]
    expected: int | None
    rankings: tuple[BlockRanking, ...]
    paths: tuple[AdvancementPath, ...]
    undrawn: tuple[Participant, ...] = ()
    closed: bool = False

    @property
    def vacancies(self) -> int:
        return max(0, (self.expected or 0) - len(self.places))

    def path(self, to: str) -> AdvancementPath:
        return {path.to: path for path in self.paths}[to]

    def ranking(self, block: str) -> BlockRanking:
        return {ranking.block: ranking for ranking in self.rankings}[block]


@dataclass(frozen=True, slots=True)
class FinalRank:
    """A player's final rank, with the stage it was decided in; 0 for `unranked` players."""

    participant: Participant
    rank: int
    stage: str
    block: str
    position: int
    unranked: Unranked | None = None


@dataclass(frozen=True, slots=True)
class TournamentState:
    format: Format
    stages: tuple[StageProgress, ...]
    arrivals: Mapping[str, tuple[TakenPlace, ...]]
    final_ranks: tuple[FinalRank, ...]

    def stage(self, key: str) -> StageProgress:
        return {each.stage.key: each for each in self.stages}[key]

    def paths_into(self, to: str) -> tuple[AdvancementPath, ...]:
        return tuple(path for each in self.stages for path in each.paths if path.to == to)

    def taken(self, stage: str, to: str) -> tuple[Participant, ...]:
        there = self.arrivals[to] if to in self.arrivals else self.stage(to).places
        return tuple(place.participant for place in there if place.stage == stage)

    @property
    def overtaken(self) -> tuple[AdvancementPath, ...]:
        return tuple(path for each in self.stages for path in each.paths if path.overtaken)

    @property
    def is_over(self) -> bool:
        return all(each.state is StageState.DECIDED for each in self.stages)
