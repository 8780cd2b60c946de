"""What would become of a sheet: every row is scored and compared with what is stored, and nothing changes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from league.core.entry import check_sum
from league.core.limits import MAX_NOTE_LENGTH
from league.core.pasting import mistaken_unit
from league.models import Hanchan
from league.services.entry import Seated
from league.services.grid.doubles import Plans, find_doubles, scores_of, stored_scores
from league.services.grid.notes import with_chombo, with_notes
from league.services.grid.rows import CheckedRow, RowState, SheetCheck, SumError, TypedGame, TypedRow
from league.services.grid.saving import SheetLine
from league.services.results import HanchanResult, ResultError, TableAndTime, result_of
from scoring.core import ScoringError, score


def check_sheet(rows: Sequence[TypedRow], stored: Sequence[Hanchan], plans: Plans) -> SheetCheck:
    """Return what would become of the rows, given what is stored of their session and planned for it.

    What cannot be read takes part as the hanchan that it shows: another row may say the same.
    """
    checked = {row.number: _check(row, row.typed, stored) for row in rows if row.typed is not None}
    for number, error in find_doubles(rows, checked, stored, plans).items():
        checked[number] = replace(checked[number], state=RowState.DOUBLE, error=error)
    return SheetCheck(checked)


def _check(row: TypedRow, typed: TypedGame, stored: Iterable[Hanchan]) -> CheckedRow:
    try:
        result = _result(row, typed)
        if row.hanchan is not None and _is_same(row.hanchan, typed, result):
            return CheckedRow(RowState.SAME)
        result = _adding_up(result, typed)
        score(result.game, typed.rules)
    except ScoringError as error:
        # The entry page, to which such a row is sent, may have stored it by now.
        entered = None if row.hanchan else _stored_as(row, typed, stored)
        return CheckedRow(RowState.SAME, stored_as=entered) if entered else CheckedRow(RowState.WRONG, error=error)
    except ResultError as error:
        return CheckedRow(RowState.WRONG, error=error)
    return _compared(row, _line(row, typed, result))


def _result(row: TypedRow, typed: TypedGame) -> HanchanResult:
    """Return the result of a row; what else is known of a stored hanchan stays with the same people.

    Raises ResultError where a row cannot say that of it.
    """
    if row.hanchan is None:
        return HanchanResult((), with_chombo(typed.game, typed.chombo))
    known = result_of(row.hanchan)
    if typed.game.points:
        if typed.game.sticks_left:
            raise ResultError("sticks_of_points")
        return known
    result = with_notes(known, _keys(typed.people), typed.game, typed.chombo, typed.told)
    if result is None:
        raise ResultError("noted_people")
    return result


def _is_same(hanchan: Hanchan, typed: TypedGame, result: HanchanResult) -> bool:
    known = result_of(hanchan)
    return (
        _keys(typed.people) == [player.pk for player in known.players]
        and result.game == known.game
        and (typed.table, typed.round or hanchan.round) == (hanchan.table, hanchan.round)
    )


def _adding_up(result: HanchanResult, typed: TypedGame) -> HanchanResult:
    """Return a result that adds up, or is taken as it is. Raises SumError, or ResultError where nobody says why."""
    if result.game.points or result.game.as_is:
        return result
    check = check_sum(typed.game.raw, typed.game.sticks_left, typed.rules.start_points or 0)
    if check.adds_up:
        return result
    if typed.taken != str(check.difference):
        raise SumError(check, mistaken_unit(typed.game.raw, check.expected))
    note = " ".join(filter(None, dict.fromkeys((result.note, typed.note.strip()))))
    if not note:
        raise ResultError("as_is_unexplained")
    if len(note) > MAX_NOTE_LENGTH:
        raise ResultError("note_too_long", most=MAX_NOTE_LENGTH)
    return replace(result, game=replace(result.game, as_is=True), note=note)


def _stored_as(row: TypedRow, typed: TypedGame, stored: Iterable[Hanchan]) -> Hanchan | None:
    says = scores_of(typed.people, typed.game.raw)
    return next((game for game in stored if game.client_key == row.client_key and stored_scores(game) == says), None)


def _line(row: TypedRow, typed: TypedGame, result: HanchanResult) -> SheetLine:
    table_and_time = TableAndTime(table=typed.table, round=typed.round, client_key=row.client_key)
    return SheetLine(
        row.number, typed.people, result, table_and_time, row.hanchan, row.seen_version, even_if_same=row.is_another
    )


def _compared(row: TypedRow, line: SheetLine) -> CheckedRow:
    if row.hanchan is None:
        return CheckedRow(RowState.ADDED, line)
    known = result_of(row.hanchan)
    before = tuple(zip(known.players, known.game.raw or known.game.points, strict=True))
    is_current = row.seen_version == row.hanchan.version
    return CheckedRow(RowState.CHANGED if is_current else RowState.OVERTAKEN, line, before=before)


def _keys(people: Sequence[Seated]) -> list[int | None]:
    return [getattr(person, "pk", None) for person in people]
