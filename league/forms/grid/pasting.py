"""Putting a pasted block into the sheet: a column for every name of it, a free row for every hanchan."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeAlias

from django.utils.translation import gettext as _

from league.core.limits import MAX_NAME_LENGTH
from league.core.pasting import MARKS, PastedBlock, PastedRow, from_row, sits_out, split_cell
from league.core.readings import folded
from league.forms.grid.rows import MAX_COLUMNS, MAX_ROWS, GridRow
from league.models import Player
from league.services.entry import Seated

if TYPE_CHECKING:
    from league.forms.grid.sheet import SheetForm


Place: TypeAlias = tuple[int, int]
"""A row and a column of the sheet, counted from 0; what stands before the first score has a column below 0."""


def paste(
    grid: SheetForm, text: str, block: PastedBlock, people: Sequence[Seated | None], cursor: Place | None = None
) -> None:
    """Put a block into the free rows. `people` are whom its names mean; without names it goes to where the cursor is.

    `text` is what it was read from: the part for which there is no room stays to be pasted elsewhere.
    """
    places = _named(grid, block.names, people) if block.names else _in_order(grid, block, cursor)
    if grid.problems:
        grid.left_over = text
    at_cursor = None if block.names or cursor is None else [place for place in places if place is not None]
    number: int | None = cursor[0] if cursor and at_cursor else 0
    for pasted in block.rows if places else ():
        number = grid.free_row(number or 0, at_cursor)
        if number is None:
            grid.problems.append(_("The sheet has %(most)s rows; the rest was left out.") % {"most": MAX_ROWS})
            grid.left_over = from_row(text, block, pasted)
            return
        _fill(grid.rows[number], pasted, places, _seated_in_order(pasted.cells) if block.names else pasted.cells)
        number += 1


def _fill(row: GridRow, pasted: PastedRow, places: Sequence[int | None], texts: Sequence[str]) -> None:
    for place, text in zip(places, texts, strict=False):
        if place is not None:
            row.cells[place] = text
    row.sticks = pasted.sticks or row.sticks
    row.round = str(pasted.round or row.round)


def _in_order(grid: SheetForm, block: PastedBlock, cursor: Place | None) -> list[int | None]:
    """Return the columns from the cursor on, new ones if need be; none where there is no score at the cursor."""
    width = max(len(row.cells) for row in block.rows)
    first = cursor[1] if cursor else 0
    if any(row.round is not None for row in block.rows):
        first = max(first, 0)
    if not 0 <= first < len(grid.columns):
        grid.problems.append(
            _("What was pasted does not fit there. Put the cursor on the first score and paste again.")
        )
        return []
    while len(grid.columns) < min(first + width, MAX_COLUMNS):
        grid.add_column()
    if first + width > MAX_COLUMNS:
        text = _("The sheet has %(most)s columns; the rest was left out.")
        grid.problems.append(text % {"most": MAX_COLUMNS})
    return list(range(first, min(first + width, MAX_COLUMNS)))


def _named(grid: SheetForm, names: Sequence[str], people: Sequence[Seated | None]) -> list[int | None]:
    """Return where each name of a block stands; a name that has its column already gets one more."""
    places: list[int | None] = []
    for name, person in zip(names, people, strict=True):
        # Whom the sheet does not offer is for the person to say, like a name that nobody bears.
        key = str(person.pk) if isinstance(person, Player) and grid.offers(person) else ""
        place = _column_of(grid, key, name, places)
        if place is None:
            place = _new_column(grid, key, name, places)
        if place is None:
            text = _("The sheet has %(most)s columns; %(name)s was left out.")
            grid.problems.append(text % {"most": MAX_COLUMNS, "name": name})
        places.append(place)
    grid.name_columns()
    return places


def _column_of(grid: SheetForm, key: str, name: str, taken: Collection[int | None]) -> int | None:
    for place, column in enumerate(grid.columns):
        is_it = (
            column.key == key if key else bool(column.guest) and folded(column.guest) == folded(name[:MAX_NAME_LENGTH])
        )
        if is_it and place not in taken:
            return place
    return None


def _new_column(grid: SheetForm, key: str, name: str, taken: Collection[int | None]) -> int | None:
    """Return a column that was nobody's and holds nothing, now headed by this name; None where there is no room."""
    place = next((place for place in range(len(grid.columns)) if place not in taken and grid.is_free(place)), None)
    if place is None:
        place = len(grid.columns)
        grid.add_column()
    if place == len(grid.columns):
        return None
    column = grid.columns[place]
    column.key, column.guest = key, "" if key else name[:MAX_NAME_LENGTH]
    return place


def _seated_in_order(cells: Sequence[str]) -> list[str]:
    """Return the cells of a pasted row with their winds, as the columns of the sheet may stand in another order."""
    played = [at for at, cell in enumerate(cells) if not sits_out(cell)]
    if any(split_cell(cells[at])[1] is not None for at in played):
        return list(cells)
    return [
        f"{cell} {MARKS[played.index(at)]}" if at in played[: len(MARKS)] else cell for at, cell in enumerate(cells)
    ]
