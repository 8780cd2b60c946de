"""Checking and saving the session grid: new hanchan are recorded and changed ones corrected, all or nothing."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from league.core.readings import folded
from league.core.results import Likeness, most_like
from league.models import Hanchan, Player, Session
from league.selectors.entry import recorded_under
from league.services.entry import Seated, TypedResult, correct_entry, is_stored_as, record_entry, says_the_same
from league.services.history import Actor
from league.services.people import player_of
from league.services.results import OtherPeopleError, RecordedHanchan, ResultError, SameResultError, result_of
from scoring.core import ScoringError


class RowState(StrEnum):
    SAME = "same"
    ADDED = "added"
    CHANGED = "changed"
    WRONG = "wrong"
    DOUBLE = "double"
    OVERTAKEN = "overtaken"


STORES = {RowState.ADDED, RowState.CHANGED}
MARKED = {RowState.WRONG, RowState.DOUBLE, RowState.OVERTAKEN}


@dataclass(frozen=True, slots=True)
class TypedRow:
    """A row of the session grid with the hanchan it shows, if stored.

    `entry`: the result as the entry form read it; None if there is none to store. `is_another`: a separate hanchan
    despite equal scores.
    """

    number: int
    client_key: UUID
    hanchan: Hanchan | None = None
    seen_version: int = 0
    is_another: bool = False
    entry: TypedResult | None = None
    state: RowState = RowState.SAME
    error: ResultError | ScoringError | None = None

    @property
    def seated(self) -> list[tuple[Seated, int]]:
        """Players and raw scores, or points (1/1000 pt) if only these are known; first dealer first."""
        if self.entry is None:
            return []
        return list(zip(self.entry.seated, self.entry.game.raw or self.entry.game.points, strict=True))


class SheetRowError(Exception):
    """A row could not be stored, so the whole sheet was rolled back."""

    def __init__(self, number: int, error: ResultError | ScoringError) -> None:
        super().__init__(f"row {number}: {error}")
        self.number = number
        self.error = error

    @property
    def state(self) -> RowState:
        return RowState.DOUBLE if isinstance(self.error, (SameResultError, OtherPeopleError)) else RowState.WRONG


Plans = Mapping[tuple[int, int], Collection[int]]

Scores = dict[str, int]
"""Scores by player, regardless of seats; in 1/1000 pt for points-only hanchan."""

CODES = {
    ("stored", Likeness.EQUAL): "saved_already",
    ("earlier", Likeness.EQUAL): "in_earlier_row",
    ("stored", Likeness.NEAR): "nearly_saved",
    ("earlier", Likeness.NEAR): "nearly_in_earlier_row",
}


def check_sheet(rows: Sequence[TypedRow], stored: Sequence[Hanchan], plans: Plans) -> dict[int, TypedRow]:
    """Return the rows that have a result, by number, compared with the stored hanchan and the seating plan.

    A row without a result counts as the hanchan it shows when looking for duplicates.
    """
    checked = {row.number: replace(row, state=_state(row, row.entry)) for row in rows if row.entry is not None}
    for number, code in _doubles([checked.get(row.number, row) for row in rows], stored, plans):
        checked[number] = replace(checked[number], state=RowState.DOUBLE, error=ResultError(code))
    return checked


def _state(row: TypedRow, entry: TypedResult) -> RowState:
    if row.hanchan is None:
        return RowState.ADDED
    if says_the_same(row.hanchan, entry):
        return RowState.SAME
    return RowState.CHANGED if row.seen_version == row.hanchan.version else RowState.OVERTAKEN


def _doubles(rows: Sequence[TypedRow], hanchan: Iterable[Hanchan], plans: Plans) -> Iterable[tuple[int, str]]:
    """Yield the number and question of new rows that the user has to confirm.

    These are rows with equal or nearly equal scores to a stored hanchan or an earlier row (CODES), rows with the
    players of a hanchan at the same round and table, and rows whose place is planned for other players. Rows marked as
    another hanchan are skipped.
    """
    shown = {row.hanchan.pk for row in rows if row.hanchan is not None}
    keys = {row.client_key for row in rows}
    # A row that was saved from this grid earlier is not its own duplicate.
    stored = [stored_scores(game) for game in hanchan if game.pk not in shown and game.client_key not in keys]
    earlier: list[Scores] = []
    for row in rows:
        says = _scores_after(row)
        if says is None:
            continue
        if row.entry and row.state == RowState.ADDED and not row.is_another:
            likes = {"stored": most_like(says, stored), "earlier": most_like(says, earlier)}
            repeats = next((code for (kind, like), code in CODES.items() if likes[kind] == like), "")
            if code := repeats or _place_question(row, row.entry, says, hanchan, plans):
                yield row.number, code
        (earlier if row.hanchan is None else stored).append(says)


def _place_question(row: TypedRow, entry: TypedResult, says: Scores, hanchan: Iterable[Hanchan], plans: Plans) -> str:
    number, table = entry.table_and_time.round, entry.table_and_time.table
    planned = plans.get((number, table)) if number else None
    if planned and says.keys() != {str(player) for player in planned}:
        return "others_planned"
    there = [game for game in hanchan if (game.round, game.table) == (number, table)]
    others = [stored_scores(game) for game in there if game.client_key != row.client_key]
    return "place_taken" if any(scores.keys() == says.keys() for scores in others) else ""


def _scores_after(row: TypedRow) -> Scores | None:
    if row.entry is not None and row.state in STORES:
        who = [str(person.pk) if isinstance(person, Player) else folded(person.name) for person, _raw in row.seated]
        return dict(zip(who, (raw for _person, raw in row.seated), strict=True))
    return None if row.hanchan is None else stored_scores(row.hanchan)


def stored_scores(hanchan: Hanchan) -> Scores:
    return {str(player.pk): score for player, score in seats_before(hanchan)}


def seats_before(hanchan: Hanchan) -> list[tuple[Player, int]]:
    """Return players and scores as stored, in 1/1000 pt if only points are known; first dealer first."""
    known = result_of(hanchan)
    return list(zip(known.players, known.game.raw or known.game.points, strict=True))


@dataclass(frozen=True, slots=True)
class SavedSheet:
    added: int
    changed: int
    stored: Mapping[int, Hanchan]


@transaction.atomic
def save_sheet(*, session: Session, rows: Sequence[TypedRow], reason: str, by: Actor) -> SavedSheet:
    """Store the rows of a sheet; each new guest becomes one player.

    Raise SheetRowError if a row cannot be stored, and store nothing.
    """
    # A concurrent save of the same sheet waits for this lock, then finds its rows stored.
    Session.objects.select_for_update(of=("self",), no_key=True).get(pk=session.pk)
    made: dict[Seated, Player] = {}
    saved: dict[int, RecordedHanchan] = {}
    for row in rows:
        try:
            saved[row.number] = _saved(session, row, made, by, reason)
        except (ResultError, ScoringError) as error:
            raise SheetRowError(row.number, error) from error
    stored = {number: each.hanchan for number, each in saved.items()}
    return SavedSheet(sum(each.is_new for each in saved.values()), sum(row.hanchan is not None for row in rows), stored)


def _saved(session: Session, row: TypedRow, made: dict[Seated, Player], by: Actor, reason: str) -> RecordedHanchan:
    assert row.entry is not None
    if row.hanchan is None and (known := recorded_under(session.league, row.client_key)) is not None:
        place, sticks = row.entry.table_and_time, row.entry.game.sticks_left
        typed = (place.table, place.round or known.round, sticks)
        if not is_stored_as(known, row.entry) or typed != (known.table, known.round, known.sticks_left):
            raise ResultError("saved_otherwise")
        return RecordedHanchan(known, is_new=False)
    for person in row.entry.seated:
        made[person] = made.get(person) or player_of(session.league, person, by)
    # For a correction, the grid has shown that other players were planned, next to the reason field.
    place = replace(row.entry.table_and_time, even_if_others=row.is_another or row.hanchan is not None)
    entry = replace(row.entry, seated=tuple(made[person] for person in row.entry.seated), table_and_time=place)
    if row.hanchan is None:
        return record_entry(session=session, entry=entry, by=by, even_if_same=row.is_another)
    hanchan = correct_entry(hanchan=row.hanchan, seen_version=row.seen_version, entry=entry, by=by, reason=reason)
    return RecordedHanchan(hanchan, is_new=False)
