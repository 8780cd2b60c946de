"""Rows of the sheet as values: what they say, and what would become of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import UUID

from league.core.entry import SumCheck
from league.models import Hanchan, Player
from league.services.entry import Seated
from league.services.grid.saving import SheetLine, SheetLineError
from league.services.results import OtherPeopleError, ResultError, SameResultError
from scoring.core import FinishedGame, ScoringError, ScoringRules


class RowState(StrEnum):
    """What would become of a row: it is stored already, it would be stored, or why it would not."""

    SAME = "same"
    ADDED = "added"
    CHANGED = "changed"
    WRONG = "wrong"
    DOUBLE = "double"
    OVERTAKEN = "overtaken"


STORES = {RowState.ADDED, RowState.CHANGED}
MARKED = {RowState.WRONG, RowState.DOUBLE, RowState.OVERTAKEN}
"""What keeps a row from being saved as it stands."""


class SumError(ResultError):
    """Scores and sticks that do not make up what the table began with; `unit` names what they look like instead."""

    def __init__(self, check: SumCheck, unit: str) -> None:
        super().__init__("sum")
        self.check = check
        self.unit = unit


@dataclass(frozen=True, slots=True)
class TypedGame:
    """What a row says, first dealer first, and the rules by which it counts. Without `round` it is the next one.

    `chombo` has None for everybody of whom the row says nothing. `told` are the seats whose cells say where they sit, as the
    sheet itself writes them: what such a cell does not say is not so. `taken` is by how much the sum may be off, as it is
    written, because somebody takes the result as it is; `note` says why. A game of points alone is the stored one as it is:
    nothing is typed but where it was played.
    """

    people: tuple[Seated, ...]
    game: FinishedGame
    rules: ScoringRules
    chombo: tuple[int | None, ...] = ()
    told: frozenset[int] = frozenset()
    table: int = 1
    round: int | None = None
    taken: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TypedRow:
    """A row by its number, with the stored hanchan that it shows. `typed` is None where it says nothing that can be read.

    `is_another`: equal to a stored hanchan or an earlier row, and yet another hanchan.
    """

    number: int
    client_key: UUID
    hanchan: Hanchan | None = None
    seen_version: int = 0
    typed: TypedGame | None = None
    is_another: bool = False


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """What would become of a row, or the `error` why it cannot be stored.

    `before` is what a changed hanchan says so far, in points (1/1000 pt) where only they are known. `stored_as` is the hanchan that the row has become elsewhere.
    """

    state: RowState
    line: SheetLine | None = None
    error: ResultError | ScoringError | None = None
    before: tuple[tuple[Player, int], ...] = ()
    stored_as: Hanchan | None = None


@dataclass(frozen=True, slots=True)
class SheetCheck:
    """What would become of the rows that can be read, by their numbers."""

    rows: Mapping[int, CheckedRow]

    @property
    def lines(self) -> list[SheetLine]:
        return [row.line for row in self.rows.values() if row.line is not None and row.state in STORES]

    @property
    def is_stuck(self) -> bool:
        """Whether a row cannot be saved as it stands."""
        return any(row.state in MARKED for row in self.rows.values())

    @property
    def corrects(self) -> bool:
        """Whether a stored hanchan would change, which takes a reason."""
        return any(line.hanchan is not None for line in self.lines)

    def refused(self, refusal: SheetLineError) -> SheetCheck:
        """Return what is known now that a line could not be stored."""
        state = RowState.DOUBLE if isinstance(refusal.error, (SameResultError, OtherPeopleError)) else RowState.WRONG
        row = replace(self.rows[refusal.number], state=state, error=refusal.error)
        return SheetCheck({**self.rows, refusal.number: row})
