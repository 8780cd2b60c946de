"""A rule set as an immutable value. docs/rules.md explains every part.

Each field names its type, the reader of its value in a table and, if needed, the writer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any

from scoring.core import reading
from scoring.core.house import HouseRules
from scoring.core.points import format_points
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


Rows = tuple[tuple[int, tuple[int, ...]], ...]
"""A row of amounts for each number of players."""


def _rows(reader: Callable[[Any, str], tuple[int, ...]], low: int, high: int) -> Callable[[Any, str], Rows]:
    """Return a reader of tables whose keys are small integers, which TOML and JSON store as text."""
    numbers = {str(number): number for number in range(low, high + 1)}

    def read(value: object, path: str) -> Rows:
        if not isinstance(value, Mapping):
            raise reading.RulesetError("not_a_table", path)
        table = {str(key): row for key, row in value.items()}
        reading.refuse_unknown(table, numbers, path)
        return tuple(sorted((numbers[key], reader(row, f"{path}.{key}")) for key, row in table.items()))

    return read


def _write_rows(rows: Rows, write: Callable[[int], str | int] = format_points) -> dict[str, Any]:
    return {str(number): [write(amount) for amount in row] for number, row in rows}


@dataclass(frozen=True, kw_only=True)
class FloatingUma:
    """One uma row for each number of floaters; `threshold` in points of sticks.

    Source: official rules of the JPML (A).
    """

    threshold: Annotated[int, reading.sticks(-1_000_000, 1_000_000)]
    inclusive: Annotated[bool, reading.switch] = True
    rows: Annotated[Rows, _rows(reading.points_row, 0, 4), _write_rows]

    def floaters(self, raw: tuple[int, ...]) -> int:
        if self.inclusive:
            return sum(score >= self.threshold for score in raw)
        return sum(score > self.threshold for score in raw)


@dataclass(frozen=True)
class TieRule:
    """How equal raw scores affect the placement, the uma and the oka, each independently.

    A single rule text may differ: Official rules of the Camarade League share the uma, but not the oka.
    """

    rank: Annotated[TieAnswer, reading.one_of(TieAnswer.SEAT, TieAnswer.SHARED)]
    uma: Annotated[TieAnswer, reading.one_of(TieAnswer.SEAT, TieAnswer.SPLIT)]
    oka: Annotated[TieAnswer, reading.one_of(TieAnswer.SEAT, TieAnswer.SPLIT)]


def _unit(value: object, path: str) -> int:
    unit = 1 if value == "exact" else reading.points_of(value, path)
    if unit <= 0:
        raise reading.RulesetError("out_of_range", path, value=format_points(unit), low="0.001", high="∞")
    return unit


@dataclass(frozen=True)
class Split:
    """How a tied amount is split: the smallest share (1/1000 pt), and who gets the remainder."""

    unit: Annotated[int, _unit, format_points]
    remainder: Annotated[Remainder, reading.one_of(*Remainder)]


@dataclass(frozen=True)
class Rounding:
    """How the base is rounded; `unit` in 1/1000 pt. `top_absorbs`: the top gets the rounding difference.

    Source: Official rules of the Camarade League, "ウマのつけかた"; rules of the Kyoto Jakuyukai, "精算".
    """

    mode: Annotated[Mode, reading.one_of(*Mode)]
    basis: Annotated[Basis, reading.one_of(*Basis)]
    unit: Annotated[int, _unit, format_points] = 1000
    top_absorbs: Annotated[bool, reading.switch] = False


def _rounding(value: object, path: str) -> Rounding | None:
    fields = reading.complete(reading.fields_of(value, path, reading.readers_of(Rounding)), path, "mode")
    return None if fields["mode"] is Mode.NONE else Rounding(**reading.complete(fields, path, "basis"))


EVENLY: Rows = ()
"""The tenpai players share the prize equally."""


@dataclass(frozen=True)
class BustRule:
    """When a player is bust and what it costs. `prize`: 1/1000 pt, or chips if it is paid in chips.

    `draw_shares`: shares of the prize for the tenpai players in order of placement, by their number, or EVENLY. None:
    undefined, so entry asks for the shares. `illegal_riichi`: a riichi that the player cannot pay ends the game.
    Source: Official rules of the Camarade League, "トビ料について" and "ノーテンバップでとんだ場合"; chips: house rules of the Banchi
    group, "ご祝儀"; riichi: house rules of a parlour, "リーチについて".
    """

    ends: Annotated[BustEnds, reading.one_of(*BustEnds)] = BustEnds.NEVER
    prize: Annotated[int, reading.positive_points] = 0
    prize_in: Annotated[str, reading.one_of("points", "chips")] = "points"
    win: Annotated[str | None, reading.one_of("first", "split", "each")] = None
    draw_shares: Annotated[Rows | None, _rows(reading.points_row, 1, 3)] = None
    other: Annotated[str | None, reading.one_of("none", "equal_split", "manual")] = None
    illegal_riichi: Annotated[bool, reading.switch] = False


def _bust(value: object, path: str) -> BustRule:
    readers = reading.readers_of(BustRule)
    table = reading.table_of(value, path)
    prize_in = readers["prize_in"](table.get("prize_in", "points"), f"{path}.prize_in")
    amount = readers["prize"] if prize_in == "points" else reading.between(0, 1_000_000)

    def amounts(value: object, path: str) -> tuple[int, ...]:
        return tuple(amount(entry, f"{path}[{place}]") for place, entry in enumerate(reading.list_of(value, path)))

    def draw_shares(value: object, path: str) -> Rows | None:
        return EVENLY if value == "equal_split" else _rows(amounts, 1, 3)(value, path) or None

    fields = reading.fields_of(table, path, {**readers, "prize": amount, "draw_shares": draw_shares})
    reading.complete(fields, path, "ends")
    if not fields.get("prize"):
        # Without a prize it does not matter who gets it.
        fields = {name: value for name, value in fields.items() if name not in {"win", "other"} and value != EVENLY}
    return BustRule(**fields)


def _write_bust(bust: BustRule | None) -> dict[str, Any] | None:
    if bust is None:
        return None
    write = format_points if bust.prize_in == "points" else int
    table = {**reading.write_table(bust), "prize": write(bust.prize)}
    if bust.draw_shares is not None:
        table["draw_shares"] = _write_rows(bust.draw_shares, write) or "equal_split"
    return table


@dataclass(frozen=True)
class ChomboRule:
    """The cost of a chombo. `amount`: 1/1000 pt on the total, or points of sticks for flat payments."""

    kind: Annotated[ChomboKind, reading.one_of(*ChomboKind)]
    amount: Annotated[int, reading.sticks(0, 100_000)] = 0
    ledger: Annotated[str, reading.one_of("game", "total")] = "total"
    hand: Annotated[str | None, reading.one_of("replay", "ends_game")] = None
    dealer: Annotated[str | None, reading.one_of("stays", "passes_unless_last")] = None
    deposits_back: Annotated[bool | None, reading.switch] = None


def _chombo(value: object, path: str) -> ChomboRule:
    readers = reading.readers_of(ChomboRule)
    table = reading.table_of(value, path)
    kind = readers["kind"](table.get("kind"), f"{path}.kind")
    if kind is ChomboKind.TOTAL:
        readers["amount"] = _penalty
    needed = ("amount",) if kind in {ChomboKind.TOTAL, ChomboKind.FLAT_EACH} else ()
    return ChomboRule(**reading.complete(reading.fields_of(table, path, readers), path, *needed))


def _penalty(value: object, path: str) -> int:
    points = reading.points_of(value, path)
    if points > 0:
        raise reading.RulesetError("out_of_range", path, value=format_points(points), low="-∞", high=0)
    return points


def _write_chombo(chombo: ChomboRule | None) -> dict[str, Any] | None:
    if chombo is None:
        return None
    table = reading.write_table(chombo)
    if chombo.kind is ChomboKind.TOTAL:
        table["amount"] = format_points(chombo.amount)
    elif chombo.kind is not ChomboKind.FLAT_EACH and not chombo.amount:
        del table["amount"]
    return table


@dataclass(frozen=True)
class Fine:
    """A fine paid to the table. It is already included in the raw scores and does not affect points."""

    amount: Annotated[int, reading.sticks(0, 100_000)]
    to: Annotated[str, reading.one_of("pot")] = "pot"


@dataclass(frozen=True)
class Fees:
    """Points (1/1000 pt) that each player, and the top in addition, pays to the house.

    Source: house rules of the Banchi group, "3人打ちレート・ゲーム代".
    """

    game: Annotated[int, reading.positive_points, format_points] = 0
    top: Annotated[int, reading.positive_points, format_points] = 0


def _parts(value: object, path: str) -> frozenset[Part]:
    part = reading.one_of(*LEDGER_PARTS)
    return frozenset(part(name, f"{path}[{number}]") for number, name in enumerate(reading.list_of(value, path)))


def _write_parts(parts: frozenset[Part]) -> list[str]:
    return [part.value for part in LEDGER_PARTS if part in parts]


@dataclass(frozen=True)
class LedgerRule:
    """The parts of a ledger, and whether its base is rounded."""

    parts: Annotated[frozenset[Part], _parts, _write_parts]
    rounded: Annotated[bool, reading.switch] = False


Ledgers = tuple[tuple[Ledger, LedgerRule], ...]


def _ledgers(value: object, path: str) -> Ledgers:
    readers: dict[str, reading.Reader] = {ledger.value: reading.table_reader(LedgerRule) for ledger in Ledger}
    fields = reading.complete(reading.fields_of(value, path, readers), path, *readers)
    return tuple((ledger, fields[ledger.value]) for ledger in Ledger)


def _write_ledgers(ledgers: Ledgers | None) -> dict[str, Any] | None:
    return None if ledgers is None else {ledger.value: reading.write_table(rule) for ledger, rule in ledgers}


def _oka(value: object, path: str) -> int | None:
    return None if value == "auto" else reading.points_of(value, path)


def _write_oka(oka: int | None) -> str:
    return "auto" if oka is None else format_points(oka)


def _write_uma(uma: tuple[int, ...] | None) -> list[str] | None:
    return None if uma is None else [format_points(points) for points in uma]


def _chips(value: object, path: str) -> int:
    fields = reading.fields_of(value, path, {"value": reading.points_of})
    value_of_one: int = reading.complete(fields, path, "value")["value"]
    return value_of_one


def _write_chips(chips: int | None) -> dict[str, str] | None:
    return None if chips is None else {"value": format_points(chips)}


@dataclass(frozen=True)
class ScoringRules:
    """The parameters of scoring, in 1/1000 pt. None: not defined by the source.

    `start_points`, `return_points`, `below_zero_floor` and `lend_below_zero` are points of sticks. `oka` None: the
    difference between return and start points of all players. `score_basis` "placement": only placements count (house
    rules of a parlour, "順位・点棒について"). `below_zero_floor`: house rules of the Banchi group, "3人打ちレート・ゲーム代".
    """

    players: Annotated[int | None, reading.between(3, 4)] = None
    start_points: Annotated[int | None, reading.sticks(0, 1_000_000)] = None
    return_points: Annotated[int | None, reading.sticks(0, 1_000_000)] = None
    score_basis: Annotated[str, reading.one_of("points", "placement")] = "points"
    oka: Annotated[int | None, _oka, _write_oka] = None
    uma: Annotated[tuple[int, ...] | None, reading.points_row, _write_uma] = None
    uma_floating: FloatingUma | None = None
    tie: TieRule | None = None
    split: Split | None = None
    rounding: Annotated[Rounding | None, _rounding] = None
    leftover: Annotated[Leftover | None, reading.one_of(*Leftover)] = None
    below_zero_floor: Annotated[int | None, reading.sticks(-1_000_000, 0)] = None
    bust: Annotated[BustRule | None, _bust, _write_bust] = None
    chombo: Annotated[ChomboRule | None, _chombo, _write_chombo] = None
    fine: Fine | None = None
    lend_below_zero: Annotated[int | None, reading.sticks(0, 1_000_000)] = None
    chips: Annotated[int | None, _chips, _write_chips] = None
    fees: Fees | None = None
    ledgers: Annotated[Ledgers | None, _ledgers, _write_ledgers] = None
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
