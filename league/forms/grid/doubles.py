"""Rows of the sheet that say what is said already: by a stored hanchan, or by an earlier row."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from league.core.readings import folded
from league.forms.grid.rows import ADDED, CHANGED, DOUBLE, GridRow
from league.models import Hanchan, Player
from league.services.entry import Seated
from league.services.results import result_of

Scores = frozenset[tuple[str, int]]
"""Who had how many points, wherever they sat."""


def mark_doubles(rows: Sequence[GridRow], hanchan: Iterable[Hanchan]) -> None:
    """Mark every new row that repeats a stored hanchan or an earlier row, unless it is said to be another one."""
    shown, keys = {row.number for row in rows}, {row.client_key for row in rows}
    # What a row of this sheet became when it was saved before is that row.
    stored = {stored_scores(game) for game in hanchan if str(game.pk) not in shown and game.client_key not in keys}
    earlier: set[Scores] = set()
    for row in rows:
        says = _row_scores(row)
        if says is None:
            continue
        if row.status == ADDED and not row.another and says in stored | earlier:
            row.status = DOUBLE
            row.problems = [
                _("The same players with the same scores are saved already. Is this another hanchan?")
                if says in stored
                else _("The same players with the same scores stand in an earlier row. Is this another hanchan?")
            ]
        (earlier if row.hanchan is None else stored).add(says)


def stored_scores(hanchan: Hanchan) -> Scores:
    """Return the scores of a stored hanchan."""
    known = result_of(hanchan)
    return scores_of(known.players, known.game.raw)


def scores_of(people: Sequence[Seated], raw: Sequence[int]) -> Scores:
    """Return the scores of these people."""
    who = [str(person.pk) if isinstance(person, Player) else folded(person.name) for person in people]
    return frozenset(zip(who, raw, strict=True))


def _row_scores(row: GridRow) -> Scores | None:
    """Return what a row will say once the sheet is saved; None where it cannot be read yet."""
    if row.line is not None and row.status in {ADDED, CHANGED}:
        return scores_of(row.line.people, row.line.result.game.raw)
    return stored_scores(row.hanchan) if row.hanchan is not None else None
