"""Facts of a running tournament: entries, results and decisions.

Players are any hashable values; points are integers of 1/1000 pt. Standings and everything else are derived by
`tournaments.core.resolution`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from scoring.core import PlayerResult

Participant = int | str
"""A player in the core: the primary key of an entry, or a key of a file."""


@dataclass(frozen=True, slots=True)
class OtherPoints:
    """Points in a stage's total without details of the hanchan.

    `hanchan`: 0 for a penalty, several if only the sum of a session is known.
    """

    points: int
    hanchan: int = 0


StageResult = PlayerResult | OtherPoints


class Unranked(StrEnum):
    DISQUALIFIED = "disqualified"
    LEFT_OUT = "left_out"  # the stage was closed before the player had finished


class Remedy(StrEnum):
    SUBSTITUTE = "substitute"  # replaced by another player
    HOUSE = "house"  # replaced by a player who does not compete
    THREE = "three"  # the other three continue under three-player rules
    NOBODY = "nobody"  # the remaining hanchan are cancelled
    NEXT = "next"  # the next in the ranking moves up


@dataclass(frozen=True, slots=True)
class Entrant:
    participant: Participant
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A withdrawal after or during this stage; ranks already won are kept.

    `successor`: the next in the ranking, who moved up. `provided_for`: hanchan that need no successor. `spared`: hanchan of other players that are cancelled too.
    `disqualified`: the player loses the rank, and those behind move up.
    """

    stage: str
    participant: Participant
    substitute: Participant | None = None
    provided_for: int = 0
    spared: Mapping[Participant, int] = field(default_factory=dict)
    disqualified: bool = False
    successor: Participant | None = None


@dataclass(frozen=True, slots=True)
class Closing:
    """A stage closed early. `short`: players with fewer hanchan than planned; `unranked`: those without a rank."""

    stage: str
    short: tuple[Participant, ...] = ()
    unranked: tuple[Participant, ...] = ()


@dataclass(frozen=True, slots=True)
class Advance:
    stage: str
    to: str
    players: tuple[Participant, ...]
    proposal: tuple[Participant, ...]

    @property
    def added(self) -> set[Participant]:
        return set(self.players) - set(self.proposal)


@dataclass(frozen=True, slots=True)
class DecidedOrder:
    stage: str
    players: tuple[Participant, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    stage: str
    blocks: Mapping[str, tuple[Participant, ...]]

    def block_of(self, participant: Participant) -> str | None:
        return next((key for key, players in self.blocks.items() if participant in players), None)


@dataclass(frozen=True, slots=True)
class TournamentFacts:
    """All facts of a tournament.

    `played`: results by stage and player, in order of play; `blocks_played`: blocks in which a player has played.
    `house`: players who fill seats of a stage without competing. `missed`: hanchan of a stage played without a
    player who left and came back; `late`: those drawn before a player was entered. `seated`: block and players of
    each hanchan drawn. `rounds`: number of each hanchan within its stage, from 1, where all tables are drawn again
    for each; elsewhere players count their own.
    """

    entrants: tuple[Entrant, ...]
    played: Mapping[str, Mapping[Participant, Sequence[StageResult]]] = field(default_factory=dict)
    blocks_played: Mapping[str, Mapping[Participant, str]] = field(default_factory=dict)
    withdrawals: tuple[Withdrawal, ...] = ()
    advances: tuple[Advance, ...] = ()
    orders: tuple[DecidedOrder, ...] = ()
    draws: tuple[Draw, ...] = ()
    house: Mapping[str, frozenset[Participant]] = field(default_factory=dict)
    missed: Mapping[str, Mapping[Participant, int]] = field(default_factory=dict)
    late: Mapping[str, Mapping[Participant, int]] = field(default_factory=dict)
    seated: Mapping[str, Sequence[tuple[str, frozenset[Participant]]]] = field(default_factory=dict)
    closings: tuple[Closing, ...] = ()
    rounds: Mapping[object, int] = field(default_factory=dict)

    def closing(self, stage: str) -> Closing | None:
        return next((each for each in reversed(self.closings) if each.stage == stage), None)

    def advance(self, stage: str, to: str) -> Advance | None:
        return next((each for each in reversed(self.advances) if (each.stage, each.to) == (stage, to)), None)

    def draw(self, stage: str) -> Draw | None:
        return next((each for each in reversed(self.draws) if each.stage == stage), None)

    def stages(self) -> tuple[str, ...]:
        decisions = (self.withdrawals, self.advances, self.orders, self.draws, self.closings)
        return tuple(dict.fromkeys([*self.played, *(each.stage for made in decisions for each in made)]))

    def results(self, stage: str) -> Mapping[Participant, Sequence[StageResult]]:
        return self.played.get(stage, {})


def hanchan_count(results: Iterable[StageResult]) -> int:
    return sum([result.hanchan if isinstance(result, OtherPoints) else 1 for result in results])


def results_after(results: Sequence[StageResult], number: int, rounds: Mapping[object, int]) -> tuple[StageResult, ...]:
    played = 0
    for place, result in enumerate(results):
        if isinstance(result, OtherPoints):
            played += result.hanchan
        else:
            played = rounds.get(result.game, played + 1)
        if played > number:
            return tuple(results[:place])
    return tuple(results)
