"""Rows of the sheet that raise a question: they say what is said already, or others are planned in their place."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from league.core.readings import folded
from league.core.repeats import Likeness, most_like
from league.models import Hanchan, Player
from league.services.entry import Seated
from league.services.grid.rows import STORES, CheckedRow, RowState, TypedRow
from league.services.results import ResultError, result_of

Scores = dict[str, int]
"""Who had how many points, wherever they sat; in 1/1000 pt where only those are known."""

CODES = {
    ("stored", Likeness.EQUAL): "saved_already",
    ("stored", Likeness.NEAR): "nearly_saved",
    ("earlier", Likeness.EQUAL): "in_earlier_row",
    ("earlier", Likeness.NEAR): "nearly_in_earlier_row",
}

PLACE_TAKEN = "place_taken"
"""The same people have other scores there: two may have typed the same hanchan."""

OTHERS_PLANNED = "others_planned"

Plans = Mapping[tuple[int, int], Collection[int]]
"""Primary keys of who is planned, by round and table."""


def find_doubles(
    rows: Sequence[TypedRow], checked: Mapping[int, CheckedRow], hanchan: Iterable[Hanchan], plans: Plans
) -> dict[int, ResultError]:
    """Return every new row that repeats a stored hanchan or an earlier row, unless it is said to be another one.

    So are rows in whose round others are planned at their table.

    One that is the same but for a slip repeats it too, and one of the same people in the same round at the same table may.
    The error's code says which it is, see CODES.
    """
    shown = {row.hanchan.pk for row in rows if row.hanchan is not None}
    keys = {row.client_key for row in rows}
    # What a row of this sheet became when it was saved before is that row.
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


def _is_taken(row: TypedRow, says: Scores, hanchan: Iterable[Hanchan]) -> bool:
    """Return whether the people of a new row have a stored hanchan in its round at its table."""
    place = (row.typed.round, row.typed.table) if row.typed else (None, 0)
    there = [game for game in hanchan if (game.round, game.table) == place and game.client_key != row.client_key]
    return any(stored_scores(game).keys() == says.keys() for game in there)


def _question_of_place(row: TypedRow, says: Scores, hanchan: Iterable[Hanchan], plans: Plans) -> str:
    planned = plans.get((row.typed.round, row.typed.table)) if row.typed and row.typed.round else None
    if planned and says.keys() != {str(player) for player in planned}:
        return OTHERS_PLANNED
    return PLACE_TAKEN if _is_taken(row, says, hanchan) else ""


def _repeats(says: Scores, stored: Sequence[Scores], earlier: Sequence[Scores]) -> str:
    """Return what a row repeats; "" where nothing is like it."""
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
    """Return what a row will say once the sheet is saved; None where it cannot be read yet."""
    if check is not None and check.line is not None and check.state in STORES:
        game = check.line.result.game
        return scores_of(check.line.people, game.raw or game.points)
    hanchan = _shows(row, check)
    return None if hanchan is None else stored_scores(hanchan)


def _shows(row: TypedRow, check: CheckedRow | None) -> Hanchan | None:
    return row.hanchan or (check.stored_as if check else None)
