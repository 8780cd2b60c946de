"""What is known of a tournament under way: who entered, what was played, and what people have decided.

Players are named by any hashable value; points are whole numbers of 1/1000 pt. Everything else, from the standings to
the champion, is derived from these values and the format by `tournaments.core.resolution`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from scoring.core import PlayerResult

Participant = int | str
"""What names a player in the core: a primary key of the database, or the key of a file."""


@dataclass(frozen=True, slots=True)
class OtherPoints:
    """Points on a stage's total that come from no hanchan at hand.

    A penalty stands for no `hanchan`; a session of an old season of which only the sum is known stands for several.
    """

    points: int
    hanchan: int = 0


StageResult = PlayerResult | OtherPoints


class Unranked(StrEnum):
    DISQUALIFIED = "disqualified"
    LEFT_OUT = "left_out"  # the stage was closed before they had played all of it


class Remedy(StrEnum):
    SUBSTITUTE = "substitute"  # somebody takes the place
    HOUSE = "house"  # somebody fills the seat and competes for nothing
    THREE = "three"  # the others play on by rules for three
    NOBODY = "nobody"  # what is left is not played


@dataclass(frozen=True, slots=True)
class Entrant:
    participant: Participant
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Somebody does not play after this stage, or not to the end of it; the rank already won stays.

    `provided_for`: so many hanchan that were left to them are settled without a successor. `spared`: how many hanchan of
    others fall away with them. `disqualified`: they keep no rank either, and those behind move up.
    """

    stage: str
    participant: Participant
    substitute: Participant | None = None
    provided_for: int = 0
    spared: Mapping[Participant, int] = field(default_factory=dict)
    disqualified: bool = False


@dataclass(frozen=True, slots=True)
class Closing:
    """A stage is over with what was played. `short`: who has played less than planned; `unranked`: who of them has no rank."""

    stage: str
    short: tuple[Participant, ...] = ()
    unranked: tuple[Participant, ...] = ()


@dataclass(frozen=True, slots=True)
class Advance:
    stage: str
    to: str
    players: tuple[Participant, ...]
    proposal: tuple[Participant, ...]


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
    """All of it. `played`: by stage and player, in order of play; `blocks_played`: the block in which somebody has played.

    `house`: who fills seats of a stage and competes for nothing. `missed`: how many hanchan of a stage were played
    without somebody who had left and came back.
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
    closings: tuple[Closing, ...] = ()

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


def results_after(results: Sequence[StageResult], number: int) -> tuple[StageResult, ...]:
    played = 0
    for place, result in enumerate(results):
        played += result.hanchan if isinstance(result, OtherPoints) else 1
        if played > number:
            return tuple(results[:place])
    return tuple(results)
