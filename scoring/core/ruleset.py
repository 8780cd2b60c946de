"""A rule set as an immutable value. docs/rules.md explains every part."""

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from scoring.core.house import HouseRules
from scoring.core.rounding import Basis, Mode


class Ledger(StrEnum):
    """The two accounts of a hanchan: ranking points for the standings, and the table's own settlement.

    Source: Official rules of the Camarade League, "スコアのつけかた" (ranking) and "ウマのつけかた" (settlement).
    """

    RANKING = "ranking"
    SETTLEMENT = "settlement"


class Part(StrEnum):
    """The components of a player's points.

    A ledger lists its parts; LEFTOVER, ROUNDING and FLOOR always go with the base. If only the points of a game are known, they form the single part GIVEN.
    """

    BASE = "base"
    OKA = "oka"
    UMA = "uma"
    BUST = "bust"
    CHIPS = "chips"
    FEES = "fees"
    PENALTIES = "penalties"
    LEFTOVER = "leftover"
    ROUNDING = "rounding"
    FLOOR = "floor"
    GIVEN = "given"


LEDGER_PARTS = (Part.BASE, Part.OKA, Part.UMA, Part.BUST, Part.CHIPS, Part.FEES, Part.PENALTIES)


class TieAnswer(StrEnum):
    SEAT = (
        "seat"  # to the seat nearer the first dealer: Camarade League; Kyoto Jakuyukai; a parlour, "順位・点棒について"
    )
    SHARED = "shared"  # Cinderella League 2020, "基本ルール"
    SPLIT = "split"  # uma: Camarade League; rank points with the oka: Cinderella League 2020, "基本ルール"


class Remainder(StrEnum):
    """Who gets the remainder of a split that is not divisible."""

    ONE_EACH_NEAREST = "one_each_nearest"
    ALL_NEAREST = "all_nearest"
    SEAT_ORDER_IF_INDIVISIBLE = "seat_order_if_indivisible"


class Leftover(StrEnum):
    """Who gets riichi sticks left on the table at the end."""

    TOP = "top"  # Camarade League; Kyoto Jakuyukai
    SPLIT_TOPS = "split_tops"  # M-League
    TOP_AFTER_RANK_POINTS = "top_after_rank_points"  # Cinderella League 2020, "基本ルール"
    VOID = "void"  # score sheets of JPML, NPM and RMU title matches
    RETURNED = "returned"


class BustEnds(StrEnum):
    """When a player is bust."""

    NEVER = "never"  # Cinderella League 2020, "基本ルール"
    BELOW_ZERO = "below_zero"  # exactly 0 plays on: Camarade League; Kyoto Jakuyukai; Banchi group; a parlour
    ZERO_OR_BELOW = "zero_or_below"


class ChomboKind(StrEnum):
    NONE = "none"  # the Camarade League defines no penalty
    MANGAN = "mangan"  # Kyoto Jakuyukai
    FLAT_EACH = "flat_each"  # 3000 each: Banchi group, "チョンボ"; a parlour, "チョンボ・和了放棄について"
    TOTAL = "total"  # Cinderella League 2020, "ペナルティ"


@dataclass(frozen=True)
class FloatingUma:
    """One uma row for each number of floaters; `threshold` in points of sticks.

    Source: official rules of the JPML (A).
    """

    threshold: int
    inclusive: bool
    rows: tuple[tuple[int, tuple[int, ...]], ...]

    def floaters(self, raw: tuple[int, ...]) -> int:
        if self.inclusive:
            return sum(score >= self.threshold for score in raw)
        return sum(score > self.threshold for score in raw)


@dataclass(frozen=True)
class TieRule:
    """How equal raw scores affect the placement, the uma and the oka, each independently.

    A single rule text may differ: Official rules of the Camarade League share the uma, but not the oka.
    """

    rank: TieAnswer
    uma: TieAnswer
    oka: TieAnswer


@dataclass(frozen=True)
class Split:
    """How a tied amount is split: the smallest share (1/1000 pt), and who gets the remainder."""

    unit: int
    remainder: Remainder


@dataclass(frozen=True)
class Rounding:
    """How the base is rounded; `unit` in 1/1000 pt. `top_absorbs`: the top gets the rounding difference.

    Source: Official rules of the Camarade League, "ウマのつけかた"; rules of the Kyoto Jakuyukai, "精算".
    """

    mode: Mode
    basis: Basis
    unit: int
    top_absorbs: bool


DrawShares = tuple[tuple[int, tuple[int, ...]], ...]

EVENLY: DrawShares = ()
"""The tenpai players share the prize equally."""


@dataclass(frozen=True)
class BustRule:
    """When a player is bust and what it costs. `prize`: 1/1000 pt, or chips if it is paid in chips.

    `draw_shares`: shares of the prize for the tenpai players in order of placement, by their number, or EVENLY. None:
    undefined, so entry asks for the shares. `illegal_riichi`: a riichi that the player cannot pay ends the game.
    Source: Official rules of the Camarade League, "トビ料について" and "ノーテンバップでとんだ場合"; chips: house rules of the Banchi
    group, "ご祝儀"; riichi: house rules of a parlour, "リーチについて".
    """

    ends: BustEnds = BustEnds.NEVER
    prize: int = 0
    prize_in: str = "points"
    win: str | None = None
    draw_shares: DrawShares | None = None
    other: str | None = None
    illegal_riichi: bool = False


@dataclass(frozen=True)
class ChomboRule:
    """The cost of a chombo. `amount`: 1/1000 pt on the total, or points of sticks for flat payments."""

    kind: ChomboKind
    amount: int = 0
    ledger: str = "total"
    hand: str | None = None
    dealer: str | None = None
    deposits_back: bool | None = None


@dataclass(frozen=True)
class Fine:
    """A fine paid to the table. It is already included in the raw scores and does not affect points."""

    amount: int
    to: str = "pot"


@dataclass(frozen=True)
class Fees:
    """Points (1/1000 pt) that each player, and the top in addition, pays to the house.

    Source: house rules of the Banchi group, "3人打ちレート・ゲーム代".
    """

    game: int = 0
    top: int = 0


@dataclass(frozen=True)
class LedgerRule:
    """The parts of a ledger, and whether its base is rounded."""

    parts: frozenset[Part]
    rounded: bool


@dataclass(frozen=True)
class ScoringRules:
    """The parameters of scoring, in 1/1000 pt. None: not defined by the source.

    `start_points`, `return_points`, `below_zero_floor` and `lend_below_zero` are points of sticks. `oka` None: the
    difference between return and start points of all players. `score_basis` "placement": only placements count (house
    rules of a parlour, "順位・点棒について"). `below_zero_floor`: house rules of the Banchi group, "3人打ちレート・ゲーム代".
    """

    players: int | None = None
    start_points: int | None = None
    return_points: int | None = None
    score_basis: str = "points"
    oka: int | None = None
    uma: tuple[int, ...] | None = None
    uma_floating: FloatingUma | None = None
    tie: TieRule | None = None
    split: Split | None = None
    rounding: Rounding | None = None
    leftover: Leftover | None = None
    below_zero_floor: int | None = None
    bust: BustRule | None = None
    chombo: ChomboRule | None = None
    fine: Fine | None = None
    lend_below_zero: int | None = None
    chips: int | None = None
    fees: Fees | None = None
    ledgers: tuple[tuple[Ledger, LedgerRule], ...] | None = None
    house: HouseRules | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the parameters only, without cached properties."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def missing(self) -> tuple[str, ...]:
        needed = ["players", "start_points"]
        if self.score_basis == "points":
            needed.append("return_points")
        absent = [name for name in needed if getattr(self, name) is None]
        return (*absent, "uma") if self.uma is None and self.uma_floating is None else tuple(absent)

    @cached_property
    def unset(self) -> tuple[str, ...]:
        """Parameters that only some games need and that have no value."""
        names = ["tie", "leftover", "bust", "chombo"]
        if self.tie is None or TieAnswer.SPLIT in {self.tie.uma, self.tie.oka}:
            names.insert(1, "split")
        return tuple(name for name in names if getattr(self, name) is None)

    @cached_property
    def oka_points(self) -> int:
        """The oka of the top in 1/1000 pt; 0 if the base does not count."""
        if self.oka is not None:
            return self.oka
        if self.score_basis == "placement":
            return 0
        if self.return_points is None or self.players is None or self.start_points is None:
            return 0
        return self.players * (self.return_points - self.start_points)

    @cached_property
    def accounts(self) -> tuple[tuple[Ledger, LedgerRule], ...]:
        """Both ledgers. Rules that define none use the same account for both."""
        if self.ledgers is not None:
            return self.ledgers
        rule = LedgerRule(frozenset(LEDGER_PARTS), rounded=self.rounding is not None)
        return ((Ledger.RANKING, rule), (Ledger.SETTLEMENT, rule))

    @property
    def for_points(self) -> "ScoringRules":
        """The rules without house rules. Equal values score every game equally."""
        chombo = self.chombo and replace(self.chombo, hand=None, dealer=None, deposits_back=None)
        return replace(self, chombo=chombo, fine=None, lend_below_zero=None, house=None)

    @property
    def asks_busts(self) -> bool:
        return self.bust is not None and bool(self.bust.prize)

    def is_bust(self, raw_score: int) -> bool:
        match self.bust and self.bust.ends:
            case BustEnds.BELOW_ZERO:
                return raw_score < 0
            case BustEnds.ZERO_OR_BELOW:
                return raw_score <= 0
        return False
