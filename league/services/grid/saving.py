"""A sheet of results saved at once: new hanchan are recorded, changed ones corrected, all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from league.core.entry import SumCheck
from league.models import Hanchan, Player, Session
from league.selectors.entry import recorded_under
from league.selectors.games import seats_of
from league.services.entry import Seated
from league.services.history import Actor
from league.services.people import player_of
from league.services.results import (
    HanchanResult,
    OtherPeopleError,
    RecordedHanchan,
    ResultError,
    SameResultError,
    TableAndTime,
    correct_hanchan,
    record_hanchan,
)
from scoring.core import FinishedGame, ScoringError, ScoringRules


@dataclass(frozen=True, slots=True)
class SheetLine:
    number: int
    people: tuple[Seated, ...]
    result: HanchanResult
    table_and_time: TableAndTime
    hanchan: Hanchan | None = None
    seen_version: int = 0
    even_if_same: bool = False


@dataclass(frozen=True, slots=True)
class SavedSheet:
    added: int
    changed: int
    stored: Mapping[int, Hanchan]


class SheetLineError(Exception):
    """A line that could not be stored, and why: nothing of the sheet was."""

    def __init__(self, number: int, error: ResultError | ScoringError) -> None:
        super().__init__(f"line {number}: {error}")
        self.number = number
        self.error = error


@transaction.atomic
def save_sheet(*, session: Session, lines: Sequence[SheetLine], reason: str, by: Actor) -> SavedSheet:
    """Store the lines of a sheet; guests become players once. Raises SheetLineError, and then nothing was stored."""
    # Whoever saves the same sheet at the same moment waits here, then finds its rows stored.
    Session.objects.select_for_update(of=("self",), no_key=True).get(pk=session.pk)
    made: dict[Seated, Player] = {}
    stored: dict[int, Hanchan] = {}
    added = changed = 0
    for line in lines:
        try:
            if line.hanchan is None:
                recorded = _record(session, line, made, by)
                stored[line.number] = recorded.hanchan
                added += recorded.is_new
            else:
                changed += 1
                stored[line.number] = correct_hanchan(
                    hanchan=line.hanchan,
                    seen_version=line.seen_version,
                    result=_result(session, line, made, by),
                    # The sheet shows who is not planned beside the reason that it asks for.
                    table_and_time=replace(line.table_and_time, even_if_others=True),
                    by=by,
                    reason=reason,
                )
        except (ResultError, ScoringError) as error:
            raise SheetLineError(line.number, error) from error
    return SavedSheet(added, changed, stored)


def _record(session: Session, line: SheetLine, made: dict[Seated, Player], by: Actor) -> RecordedHanchan:
    known = recorded_under(session.league, line.table_and_time.client_key)
    if known is not None:
        if not _is_same(known, line):
            raise ResultError("saved_otherwise")
        return RecordedHanchan(known, is_new=False)
    result = _result(session, line, made, by)
    return record_hanchan(
        session=session,
        result=result,
        table_and_time=replace(line.table_and_time, even_if_others=line.even_if_same),
        by=by,
        even_if_same=line.even_if_same,
    )


def _is_same(hanchan: Hanchan, line: SheetLine) -> bool:
    stored = [(seat.player.name, seat.raw_score) for seat in seats_of(hanchan)]
    typed = [(person.name, raw) for person, raw in zip(line.people, line.result.game.raw, strict=True)]
    place = (line.table_and_time.table, line.table_and_time.round or hanchan.round, line.result.game.sticks_left)
    return stored == typed and place == (hanchan.table, hanchan.round, hanchan.sticks_left)


def _result(session: Session, line: SheetLine, made: dict[Seated, Player], by: Actor) -> HanchanResult:
    for person in line.people:
        if person not in made:
            made[person] = player_of(session.league, person, by)
    return replace(line.result, players=tuple(made[person] for person in line.people))


class RowState(StrEnum):
    SAME = "same"
    ADDED = "added"
    CHANGED = "changed"
    WRONG = "wrong"
    DOUBLE = "double"
    OVERTAKEN = "overtaken"


STORES = {RowState.ADDED, RowState.CHANGED}
MARKED = {RowState.WRONG, RowState.DOUBLE, RowState.OVERTAKEN}


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
    rows: Mapping[int, CheckedRow]

    @property
    def lines(self) -> list[SheetLine]:
        return [row.line for row in self.rows.values() if row.line is not None and row.state in STORES]

    @property
    def is_stuck(self) -> bool:
        return any(row.state in MARKED for row in self.rows.values())

    @property
    def corrects(self) -> bool:
        return any(line.hanchan is not None for line in self.lines)

    def refused(self, refusal: SheetLineError) -> SheetCheck:
        state = RowState.DOUBLE if isinstance(refusal.error, (SameResultError, OtherPeopleError)) else RowState.WRONG
        row = replace(self.rows[refusal.number], state=state, error=refusal.error)
        return SheetCheck({**self.rows, refusal.number: row})
