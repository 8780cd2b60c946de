"""Checking the session grid: scores each row and compares it with the stored hanchan, without writing."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from league.core.entry import check_sum
from league.core.pasting import mistaken_unit
from league.core.readings import folded
from league.core.results import Likeness, most_like
from league.models import Hanchan, Player
from league.services.entry import Seated
from league.services.grid.saving import (
    STORES,
    CheckedRow,
    RowState,
    SheetCheck,
    SumError,
    TypedRow,
)
from league.services.results import HanchanResult, ResultError, note_of_as_is, result_of
from scoring.core import Bust, FinishedGame, ScoringError, score


def with_notes(
    known: HanchanResult,
    seated: Sequence[int | None],
    game: FinishedGame,
    chombo: Sequence[int | None],
    told: Collection[int] = (),
) -> HanchanResult | None:
    """Return `game` completed with the stored facts that the grid row does not contain.

    `seated`: primary keys, first dealer first; `told`: seats whose cells contain all facts. Return None if the players
    changed and facts about the old ones would be lost.
    """
    before = [player.pk for player in known.players]
    if set(seated) != set(before):
        unseen = (
            known.yakuman,
            any(known.game.chips),
            any(known.game.deposits),
            any(bust.shares for bust in known.game.busts),
        )
        return None if any(unseen) else HanchanResult((), with_chombo(game, chombo), known.note, known.end_reason)
    order = [before.index(pk) for pk in seated if pk is not None]
    kept = known.game.reseated(order)
    # A row stays accepted as-is while its scores are the same. Points are dropped once there are raw scores.
    stays = kept.as_is and (kept.raw, kept.sticks_left) == (game.raw, game.sticks_left)
    scores = replace(kept, raw=game.raw, sticks_left=game.sticks_left, points=(), placements=(), as_is=stays)
    moved = replace(scores, busts=tuple(_busts(kept, game, told)))
    yakuman = tuple((order.index(seat), text) for seat, text in known.yakuman)
    result = HanchanResult((), with_chombo(moved, chombo), known.note, known.end_reason, yakuman)
    # Scores are still derived from points only if they did not change.
    return replace(result, worked_out=known.worked_out and kept.raw == game.raw)


def with_chombo(game: FinishedGame, said: Sequence[int | None]) -> FinishedGame:
    kept = game.chombo or (0,) * len(said)
    chombo = tuple(known if new is None else new for known, new in zip(kept, said, strict=False))
    return replace(game, chombo=chombo if any(chombo) else ())


def _busts(known: FinishedGame, game: FinishedGame, told: Collection[int]) -> Iterable[Bust]:
    """Yield the busts by seat.

    A bust is taken from the row if it has one there, with the stored shares if it is otherwise equal; else it stays as
    stored.
    """
    stored = {bust.seat: bust for bust in known.busts}
    said = {bust.seat: bust for bust in game.busts}
    for seat in sorted(stored.keys() | said.keys()):
        before, now = stored.get(seat), said.get(seat)
        if now is not None:
            yield before if before is not None and replace(before, shares=()) == now else now
        elif before is not None and seat not in told and (game.raw[seat] <= 0 or game.raw[seat] == known.raw[seat]):
            yield before


Scores = dict[str, int]
"""Scores by player, regardless of seats; in 1/1000 pt for points-only hanchan."""

CODES = {
    ("stored", Likeness.EQUAL): "saved_already",
    ("stored", Likeness.NEAR): "nearly_saved",
    ("earlier", Likeness.EQUAL): "in_earlier_row",
    ("earlier", Likeness.NEAR): "nearly_in_earlier_row",
}

PLACE_TAKEN = "place_taken"

OTHERS_PLANNED = "others_planned"

Plans = Mapping[tuple[int, int], Collection[int]]


def find_doubles(
    rows: Sequence[TypedRow], checked: Mapping[int, CheckedRow], hanchan: Iterable[Hanchan], plans: Plans
) -> dict[int, ResultError]:
    """Return errors by row number for new rows that the user has to confirm.

    These are rows with equal or nearly equal scores to a stored hanchan or an earlier row (CODES), rows with the
    players of a hanchan at the same round and table, and rows whose place is planned for other players. Rows marked as
    another hanchan are skipped.
    """
    shown = {row.hanchan.pk for row in rows if row.hanchan is not None}
    keys = {row.client_key for row in rows}
    # A row that was saved from this grid earlier is not its own duplicate.
    stored = [stored_scores(game) for game in hanchan if game.pk not in shown and game.client_key not in keys]
    earlier: list[Scores] = []
    doubles: dict[int, ResultError] = {}
    for row in rows:
        check = checked.get(row.number)
        says = _scores_after(row, check)
        if says is None:
            continue
        if check and check.state == RowState.ADDED and not row.is_another:
            code = _repeats(says, stored, earlier) or _question_of_place(row, says, hanchan, plans)
            doubles |= {row.number: ResultError(code)} if code else {}
        (earlier if _shows(row, check) is None else stored).append(says)
    return doubles


def _question_of_place(row: TypedRow, says: Scores, hanchan: Iterable[Hanchan], plans: Plans) -> str:
    place = (row.round, row.table)
    planned = plans.get((row.round, row.table)) if row.round else None
    if planned and says.keys() != {str(player) for player in planned}:
        return OTHERS_PLANNED
    there = [game for game in hanchan if (game.round, game.table) == place and game.client_key != row.client_key]
    return PLACE_TAKEN if any(stored_scores(game).keys() == says.keys() for game in there) else ""


def _repeats(says: Scores, stored: Sequence[Scores], earlier: Sequence[Scores]) -> str:
    likes = {"stored": most_like(says, stored), "earlier": most_like(says, earlier)}
    for kind in Likeness.EQUAL, Likeness.NEAR:
        for place, like in likes.items():
            if like == kind:
                return CODES[place, kind]
    return ""


def stored_scores(hanchan: Hanchan) -> Scores:
    known = result_of(hanchan)
    return scores_of(known.players, known.game.raw or known.game.points)


def scores_of(people: Sequence[Seated], raw: Sequence[int]) -> Scores:
    who = [str(person.pk) if isinstance(person, Player) else folded(person.name) for person in people]
    return dict(zip(who, raw, strict=True))


def _scores_after(row: TypedRow, check: CheckedRow | None) -> Scores | None:
    if check is not None and check.result is not None and check.state in STORES:
        game = check.result.game
        return scores_of(row.people, game.raw or game.points)
    hanchan = _shows(row, check)
    return None if hanchan is None else stored_scores(hanchan)


def _shows(row: TypedRow, check: CheckedRow | None) -> Hanchan | None:
    return row.hanchan or (check.stored_as if check else None)


def check_sheet(rows: Sequence[TypedRow], stored: Sequence[Hanchan], plans: Plans) -> SheetCheck:
    """Check all rows against the stored hanchan and the seating plan.

    An unreadable row counts as the hanchan it shows when looking for duplicates.
    """
    checked = {row.number: _check(row, row.game, stored) for row in rows if row.game is not None}
    for number, error in find_doubles(rows, checked, stored, plans).items():
        checked[number] = replace(checked[number], state=RowState.DOUBLE, error=error)
    return SheetCheck(checked)


def _check(row: TypedRow, game: FinishedGame, stored: Iterable[Hanchan]) -> CheckedRow:
    try:
        result = _result(row, game)
        if row.hanchan is not None and _is_same(row.hanchan, row, result):
            return CheckedRow(row, RowState.SAME)
        result = _adding_up(result, row, game)
        score(result.game, row.rules)
    except ScoringError as error:
        # The row may have been stored on the entry page meanwhile.
        says = scores_of(row.people, game.raw)
        same = (each for each in stored if each.client_key == row.client_key and stored_scores(each) == says)
        if row.hanchan is None and (entered := next(same, None)) is not None:
            return CheckedRow(row, RowState.SAME, stored_as=entered)
        return CheckedRow(row, RowState.WRONG, error=error)
    except ResultError as error:
        return CheckedRow(row, RowState.WRONG, error=error)
    if row.hanchan is None:
        return CheckedRow(row, RowState.ADDED, result)
    known = result_of(row.hanchan)
    before = tuple(zip(known.players, known.game.raw or known.game.points, strict=True))
    is_current = row.seen_version == row.hanchan.version
    return CheckedRow(row, RowState.CHANGED if is_current else RowState.OVERTAKEN, result, before=before)


def _result(row: TypedRow, game: FinishedGame) -> HanchanResult:
    """Return the row's result; facts the grid does not show are kept if the players are the same.

    Raise ResultError "sticks_of_points" or "noted_people" if the row cannot be combined with the stored hanchan.
    """
    if row.hanchan is None:
        return HanchanResult((), with_chombo(game, row.chombo))
    known = result_of(row.hanchan)
    if game.points:
        if game.sticks_left:
            raise ResultError("sticks_of_points")
        return known
    result = with_notes(known, _keys(row.people), game, row.chombo, row.told)
    if result is None:
        raise ResultError("noted_people")
    return result


def _is_same(hanchan: Hanchan, row: TypedRow, result: HanchanResult) -> bool:
    known = result_of(hanchan)
    return (
        _keys(row.people) == [player.pk for player in known.players]
        and result.game == known.game
        and (row.table, row.round or hanchan.round) == (hanchan.table, hanchan.round)
    )


def _adding_up(result: HanchanResult, row: TypedRow, game: FinishedGame) -> HanchanResult:
    """Return the result if its total is right or accepted as-is. Raise SumError, or ResultError without a note."""
    if result.game.points or result.game.as_is:
        return result
    check = check_sum(game.raw, game.sticks_left, row.rules.start_points or 0)
    if check.adds_up:
        return result
    if row.taken != str(check.difference):
        raise SumError(check, mistaken_unit(game.raw, check.expected))
    note = note_of_as_is(result.note, row.note)
    return replace(result, game=replace(result.game, as_is=True), note=note)


def _keys(people: Sequence[Seated]) -> list[int | None]:
    return [getattr(person, "pk", None) for person in people]
