"""Saving the session grid: new hanchan are recorded and changed ones corrected, all or nothing."""

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
    """The total is wrong; `unit`: the unit in which the scores seem to be typed."""

    def __init__(self, check: SumCheck, unit: str) -> None:
        super().__init__("sum")
        self.check = check
        self.unit = unit


@dataclass(frozen=True, slots=True)
class TypedRow:
    """A row of the session grid with the hanchan it shows, if stored; `game` is None if unreadable.

    Players and scores are first dealer first. `round`: None for the next round. `is_another`: a separate hanchan
    despite equal scores. `chombo`: None for players the row does not mention. `told`: seats whose cells contain all
    facts, so that facts left out are removed. `taken`: the accepted error of the total, explained in `note`. For a
    points-only hanchan `game` is the stored one, because only table and round can be edited.
    """

    number: int
    client_key: UUID
    rules: ScoringRules
    hanchan: Hanchan | None = None
    seen_version: int = 0
    is_another: bool = False
    table: int = 1
    round: int | None = None
    people: tuple[Seated, ...] = ()
    game: FinishedGame | None = None
    chombo: tuple[int | None, ...] = ()
    told: frozenset[int] = frozenset()
    taken: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """The outcome of a row's check: the `result` to store, or the `error`.

    `before`: players and scores stored so far, in 1/1000 pt if only points are known. `stored_as`: the hanchan stored
    from this row on another page.
    """

    row: TypedRow
    state: RowState
    result: HanchanResult | None = None
    error: ResultError | ScoringError | None = None
    before: tuple[tuple[Player, int], ...] = ()
    stored_as: Hanchan | None = None

    @property
    def seated(self) -> list[tuple[Seated, int]]:
        """Players and raw scores, or points (1/1000 pt) if only these are known; first dealer first.

        Empty if the row cannot be stored.
        """
        if self.result is None:
            return []
        return list(zip(self.row.people, self.result.game.raw or self.result.game.points, strict=True))


class SheetRowError(Exception):
    """A row could not be stored, so the whole sheet was rolled back."""

    def __init__(self, number: int, error: ResultError | ScoringError) -> None:
        super().__init__(f"row {number}: {error}")
        self.number = number
        self.error = error


@dataclass(frozen=True, slots=True)
class SheetCheck:
    rows: Mapping[int, CheckedRow]

    @property
    def to_store(self) -> list[CheckedRow]:
        return [row for row in self.rows.values() if row.result is not None and row.state in STORES]

    @property
    def is_stuck(self) -> bool:
        return any(row.state in MARKED for row in self.rows.values())

    @property
    def corrects(self) -> bool:
        return any(checked.row.hanchan is not None for checked in self.to_store)

    def refused(self, refusal: SheetRowError) -> SheetCheck:
        state = RowState.DOUBLE if isinstance(refusal.error, (SameResultError, OtherPeopleError)) else RowState.WRONG
        row = replace(self.rows[refusal.number], state=state, error=refusal.error)
        return SheetCheck({**self.rows, refusal.number: row})


@dataclass(frozen=True, slots=True)
class SavedSheet:
    added: int
    changed: int
    stored: Mapping[int, Hanchan]


@transaction.atomic
def save_sheet(*, session: Session, rows: Sequence[CheckedRow], reason: str, by: Actor) -> SavedSheet:
    """Store the rows of a sheet; each new guest becomes one player.

    Raise SheetRowError if a row cannot be stored, and store nothing.
    """
    # A concurrent save of the same sheet waits for this lock, then finds its rows stored.
    Session.objects.select_for_update(of=("self",), no_key=True).get(pk=session.pk)
    made: dict[Seated, Player] = {}
    stored: dict[int, Hanchan] = {}
    added = changed = 0
    for checked in rows:
        row = checked.row
        try:
            if row.hanchan is None:
                recorded = _record(session, checked, made, by)
                stored[row.number] = recorded.hanchan
                added += recorded.is_new
            else:
                changed += 1
                stored[row.number] = correct_hanchan(
                    hanchan=row.hanchan,
                    seen_version=row.seen_version,
                    result=_result(session, checked, made, by),
                    # The grid has already shown that other players were planned, next to the reason field.
                    table_and_time=_place_of(row, even_if_others=True),
                    by=by,
                    reason=reason,
                )
        except (ResultError, ScoringError) as error:
            raise SheetRowError(row.number, error) from error
    return SavedSheet(added, changed, stored)


def _place_of(row: TypedRow, *, even_if_others: bool) -> TableAndTime:
    return TableAndTime(table=row.table, round=row.round, client_key=row.client_key, even_if_others=even_if_others)


def _record(session: Session, checked: CheckedRow, made: dict[Seated, Player], by: Actor) -> RecordedHanchan:
    row = checked.row
    known = recorded_under(session.league, row.client_key)
    if known is not None:
        if not _is_same(known, checked):
            raise ResultError("saved_otherwise")
        return RecordedHanchan(known, is_new=False)
    return record_hanchan(
        session=session,
        result=_result(session, checked, made, by),
        table_and_time=_place_of(row, even_if_others=row.is_another),
        by=by,
        even_if_same=row.is_another,
    )


def _is_same(hanchan: Hanchan, checked: CheckedRow) -> bool:
    row, sticks = checked.row, checked.result.game.sticks_left if checked.result else 0
    stored = [(seat.player.name, seat.raw_score) for seat in seats_of(hanchan)]
    place = (row.table, row.round or hanchan.round, sticks)
    typed = [(person.name, raw) for person, raw in checked.seated]
    return stored == typed and place == (hanchan.table, hanchan.round, hanchan.sticks_left)


def _result(session: Session, checked: CheckedRow, made: dict[Seated, Player], by: Actor) -> HanchanResult:
    assert checked.result is not None
    for person in checked.row.people:
        if person not in made:
            made[person] = player_of(session.league, person, by)
    return replace(checked.result, players=tuple(made[person] for person in checked.row.people))
