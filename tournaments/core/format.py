"""A tournament format: stages, sources of their places, and points carried over.

Formats are files (tournaments/formats/*.toml) read by `tournaments.core.reading`. Points are integers of 1/1000 pt.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

Names = dict[str, str]
"""Names by language: {"ja": …, "en": …}."""


class SeatingMethod(StrEnum):
    FIXED = "fixed"  # the same four players stay together for the whole session
    BALANCED = "balanced"  # new tables every hanchan, meetings as even as possible
    SWISS = "swiss"  # neighbours in the standings, drawn after every hanchan, without repeated meetings
    STANDING = "standing"  # strictly by the standings, drawn after every hanchan
    MANUAL = "manual"  # seated by the director


class Fill(StrEnum):
    DRAW = "draw"  # drawn from a published seed
    ORDER = "order"  # block after block in the given order
    SNAKE = "snake"  # one player to each block in turn, reversing direction each time
    BRACKET = "bracket"  # winners of neighbouring tables meet: tables 1 and 2 feed table 1, 3 and 4 table 2


class RankBy(StrEnum):
    POINTS = "points"
    PLACEMENT = "placement"  # placements only: シンデレラシステム (Cinderella Fight, since 2022)


@dataclass(frozen=True, slots=True)
class Entrants:
    """Places for entrants: all, or seeds `first` to `last` (None: no upper limit)."""

    first: int = 1
    last: int | None = None
    bonus: int = 0

    @property
    def is_everybody(self) -> bool:
        return self.first == 1 and self.last is None


@dataclass(frozen=True, slots=True)
class Ranks:
    """Places for ranks `first` to `last` (None: all lower ranks) of each block of a stage, or of one block.

    Source: Cinderella League 2020, "予選リーグ" and "プレーオフ".
    """

    stage: str
    first: int
    last: int | None
    block: str | None = None
    bonus: int = 0


@dataclass(frozen=True, slots=True)
class Best:
    """Wild cards: places for the best `count` players with this rank in the blocks of a stage.

    Source: Cinderella League 2018, according to its published results.
    """

    stage: str
    rank: int
    count: int
    bonus: int = 0


Source = Entrants | Ranks | Best


@dataclass(frozen=True, slots=True)
class Carry:
    """Points carried over: `factor` of the total, rounded half up to a multiple of `unit`."""

    stage: str
    factor: Fraction = Fraction(1)
    unit: int = 100

    def of(self, total: int) -> int:
        """Return the points carried over (1/1000 pt), rounded half towards plus infinity.

        Source: published standings of the M-League, where half of −8.7 is −4.3.
        """
        return ((self.factor * total / self.unit + Fraction(1, 2)).__floor__()) * self.unit


@dataclass(frozen=True, slots=True)
class Block:
    key: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """A phase of a tournament, with `sessions` × `hanchan` for each player."""

    key: str
    name: Names
    blocks: tuple[Block, ...]
    sources: tuple[Source, ...]
    sessions: int
    hanchan: int
    seating: SeatingMethod
    tiebreak: tuple[str, ...]
    fill: Fill = Fill.DRAW
    rank_by: RankBy = RankBy.POINTS
    carry: Carry | None = None
    ruleset: str | None = None

    @property
    def planned(self) -> int:
        return self.sessions * self.hanchan

    @property
    def is_by_standing(self) -> bool:
        return self.seating in {SeatingMethod.SWISS, SeatingMethod.STANDING}

    def block_sizes(self, players: int) -> list[int]:
        """Return the block sizes for a number of players, empty if they do not fit."""
        unsized = sum(block.size is None for block in self.blocks)
        rest = players - sum(block.size or 0 for block in self.blocks)
        if rest < 0 or (rest and not unsized):
            return []
        shares = iter([rest // unsized + (each < rest % unsized) for each in range(unsized)])
        return [block.size if block.size is not None else next(shares) for block in self.blocks]

    @property
    def block_keys(self) -> tuple[str, ...]:
        return tuple(block.key for block in self.blocks)


@dataclass(frozen=True, slots=True)
class Outcome:
    key: str
    name: Names
    sources: tuple[Source, ...]


Destination = Stage | Outcome


@dataclass(frozen=True, slots=True)
class Sizes:
    least: int
    most: int

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= self.most


@dataclass(frozen=True, slots=True)
class Format:
    """A complete format. `about`: what is played, in a sentence. `open`: questions that the source does not answer.

    `order`: stages and outcomes, best final ranks first; players in the same outcome share a rank.
    """

    key: str
    name: Names
    source: Names
    entrants: Sizes
    ruleset: str | None
    table_size: int
    stages: tuple[Stage, ...]
    outcomes: tuple[Outcome, ...] = ()
    order: tuple[str, ...] = ()
    open: dict[str, Names] = field(default_factory=dict)
    about: Names = field(default_factory=dict)

    def stage(self, key: str) -> Stage:
        return {each.key: each for each in self.stages}[key]

    def destination(self, key: str) -> Destination:
        return {each.key: each for each in self.destinations()}[key]

    def destinations(self) -> tuple[Destination, ...]:
        return (*self.stages, *self.outcomes)

    def destinations_from(self, stage: str) -> tuple[Destination, ...]:
        return tuple(each for each in self.destinations() if any(is_from(source, stage) for source in each.sources))

    def title_of(self, stage: str) -> Outcome | None:
        """Return the outcome that only the winner of a final reaches, None for other stages."""
        is_final = not any(isinstance(to, Stage) for to in self.destinations_from(stage))
        titles = (each for each in self.outcomes if each.sources == (Ranks(stage, 1, 1),))
        return next(titles, None) if is_final and len(self.stage(stage).blocks) == 1 else None

    def is_entered(self, stage: Stage) -> bool:
        return any(isinstance(source, Entrants) for source in stage.sources)


def is_from(source: Source, stage: str) -> bool:
    return not isinstance(source, Entrants) and source.stage == stage
