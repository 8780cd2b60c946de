"""A tournament's state: stages, players, advancement and final ranks."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tournaments.core.facts import Advance, Participant, Unranked
from tournaments.core.format import Format, Stage
from tournaments.core.places import Proposal
from tournaments.core.ranking import BlockRanking


class StageState(StrEnum):
    WAITING = "waiting"  # players still unknown
    UNDRAWN = "undrawn"  # the players are known, their blocks are not
    READY = "ready"  # everything is known, nothing was played
    RUNNING = "running"
    PLAYED = "played"  # completed, waiting for approval
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class TakenPlace:
    """A place of a destination as it is taken: by whom, from where, and whether a person has approved it.

    `stage`, `block` and `position` say where the place was won; a place of an entrant has none of them.
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
    """One path from a stage to a destination: what the ranking proposes now, and what was decided.

    `proposal` is the ranking alone; in `going` those who have withdrawn are left out and substitutes put in: that is who
    goes on if it ended now. It can be approved when it is `ready`. `overtaken`: the decision rests on a proposal that the
    facts no longer give; it stands until a person looks at it. `place_count`: how many the format foresees, None where that is open. `complete`: the stage
    was played to its end.
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
    """A stage's state. `places`: its players; `expected`: their planned number, None if open.

    `closed`: ended early by decision.
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
    """A final rank and its stage. `unranked` players have rank 0."""

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

    @property
    def overtaken(self) -> tuple[AdvancementPath, ...]:
        return tuple(path for each in self.stages for path in each.paths if path.overtaken)

    @property
    def is_over(self) -> bool:
        return all(each.state is StageState.DECIDED for each in self.stages)
