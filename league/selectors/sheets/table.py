"""Data classes of a session's score table: rounds as rows, players as columns."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from league.core.periods import Period
from league.models import Hanchan, Player, Seat


class SumVerdict(StrEnum):
    BALANCED = "balanced"
    EXPLAINED = "explained"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class SumOfRow:
    """The sum of a row, in 1/1000 pt or raw points; `sticks`: leftover riichi sticks that explain a difference."""

    total: int
    verdict: SumVerdict
    sticks: int = 0


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A player's result in a round; `points` in 1/1000 pt of the sheet's ledger.

    `table`: 0 if the session has a single table. `counts`: not disputed. `beside`: same table as the previous cell.
    """

    seat: Seat
    table: int
    points: int
    counts: bool
    beside: bool = False


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A round: its hanchan with their tables (or 0), and a cell per column, None if the player sat out.

    `sums`: running totals in 1/1000 pt without adjustments. `waits`: a table's result is missing, so it is unknown who
    sat out.
    """

    round: int
    hanchan: tuple[tuple[int, Hanchan], ...]
    cells: tuple[SheetCell | None, ...]
    sums: tuple[int, ...]
    check: SumOfRow
    raw_check: SumOfRow
    waits: bool = False

    @property
    def columns(self) -> tuple[tuple[SheetCell | None, int], ...]:
        return tuple(zip(self.cells, self.sums, strict=True))

    @property
    def sum(self) -> int:
        return sum(self.sums)


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A player's totals of the session, in 1/1000 pt. `places`: counts in twelfths, 1st place first.

    `rank`: by total within the session; ties share a rank. `placements`: in order of play.
    """

    player: Player
    subtotal: int
    total_only: int
    adjustment: int
    without_hanchan: int
    places: tuple[int, ...]
    before: int
    chips: int
    placements: tuple[int, ...]
    rank: int = 0

    @property
    def total(self) -> int:
        return self.subtotal + self.total_only + self.adjustment + self.without_hanchan

    @property
    def running(self) -> int:
        return self.before + self.total


class Totals:
    """Sums over all players of a session."""

    __slots__ = ()
    columns: tuple[SheetColumn, ...]

    @property
    def ranking(self) -> list[SheetColumn]:
        return sorted(self.columns, key=lambda column: column.rank)

    @property
    def total(self) -> int:
        return sum(column.total for column in self.columns)

    @property
    def has_chombo(self) -> bool:
        return any(column.total_only for column in self.columns)

    @property
    def has_adjustments(self) -> bool:
        return any(column.adjustment for column in self.columns)

    @property
    def has_points_without_hanchan(self) -> bool:
        return any(column.without_hanchan for column in self.columns)


@dataclass(frozen=True, slots=True)
class Sheet(Totals):
    """The score table of a session in one ledger. `year`: the period of the running totals."""

    ledger: str
    year: Period
    columns: tuple[SheetColumn, ...]
    rows: tuple[SheetRow, ...]
    voided: tuple[Hanchan, ...]
    has_tables: bool
    seats_per_table: int

    @property
    def hanchan(self) -> int:
        return sum(len(row.hanchan) for row in self.rows)

    @property
    def standing(self) -> list[Hanchan]:
        return [game for row in self.rows for _table, game in row.hanchan]

    @property
    def subtotal(self) -> int:
        return sum(column.subtotal for column in self.columns)

    @property
    def total_only(self) -> int:
        return sum(column.total_only for column in self.columns)

    @property
    def adjustment(self) -> int:
        return sum(column.adjustment for column in self.columns)

    @property
    def without_hanchan(self) -> int:
        return sum(column.without_hanchan for column in self.columns)

    @property
    def has_chips(self) -> bool:
        return any(cell and cell.seat.chips for row in self.rows for cell in row.cells)

    @property
    def has_chip_prizes(self) -> bool:
        return pays_prizes_in_chips(self.standing)

    @property
    def chips(self) -> int:
        return sum(column.chips for column in self.columns)

    @property
    def is_split(self) -> bool:
        return len(self.columns) > self.seats_per_table

    @property
    def adds_up(self) -> bool:
        return all(row.check.verdict != SumVerdict.WRONG for row in self.rows)


def pays_prizes_in_chips(hanchan: Iterable[Hanchan]) -> bool:
    """Return whether bust prizes are paid in chips under the rules of any of these hanchan.

    The prizes are not part of the entered chips.
    """
    bust = (game.ruleset_version.parameters.get("bust") or {} for game in hanchan)
    return any(rule.get("prize") and rule.get("prize_in") == "chips" for rule in bust)
