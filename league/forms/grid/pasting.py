"""Pasting a block into the session grid: a column for each name, a row for each hanchan."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from django.utils.translation import gettext as _

from league.core.limits import MAX_NAME_LENGTH, MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.core.pasting import PastedBlock, PastedRow, from_row
from league.core.readings import folded
from league.core.sheet_cells import MARKS, read_cell, seated
from league.core.spreadsheets.cells import read_seat, sits_out
from league.forms.grid.rows import in_words
from league.forms.grid.sheet import SheetDraft
from league.models import Player

Place: TypeAlias = tuple[int, int]
"""Row and column of the grid from 0; columns before the first score are negative."""


Plans: TypeAlias = Callable[[int, int], Sequence[int]]


def paste(
    draft: SheetDraft,
    text: str,
    block: PastedBlock,
    players: Sequence[Player | None],
    *,
    plans: Plans,
    cursor: Place | None = None,
) -> None:
    """Insert a block into the rows of its rounds and tables, or into blank rows.

    `players`: the players its names refer to. If a block gives no seats, players sit as planned if exactly the planned
    ones have scores, else in the order of the block. A block without names goes to the cursor. Text that does not fit
    is kept in `draft.left_over`.
    """
    places = _named(draft, block.names, players) if block.names else _in_order(draft, block, cursor)
    if draft.problems:
        draft.left_over = text
    at_cursor = None if block.names or cursor is None else [place for place in places if place is not None]
    number: int | None = cursor[0] if cursor and at_cursor else 0
    for pasted in block.rows if places else ():
        own = draft.waiting_row(pasted.round, pasted.table) if block.names else None
        number = draft.free_row(number or 0, at_cursor) if own is None else own
        if number is None:
            too_many = _("The sheet can hold %(most)s rows. The rest was left out.")
            draft.problems.append(too_many % {"most": MAX_SHEET_ROWS})
            draft.left_over = from_row(text, block, pasted)
            return
        is_planned = own is not None and _is_planned(draft, own, pasted, places, plans)
        is_in_order = bool(block.names) and not is_planned
        texts = zip(places, _seated_in_order(pasted.cells) if is_in_order else pasted.cells, strict=False)
        cells = {f"cell_{place}": in_words(text) for place, text in texts if place is not None}
        beside = {"round": str(pasted.round or ""), "table": str(pasted.table or ""), "sticks": pasted.sticks}
        draft.write(number, cells | {name: text for name, text in beside.items() if text})
        number = number + 1 if own is None else 0


def _is_planned(draft: SheetDraft, row: int, pasted: PastedRow, places: Sequence[int | None], plans: Plans) -> bool:
    cells = zip(places, pasted.cells, strict=False)
    typed = [place for place, cell in cells if place is not None and not sits_out(cell)]
    planned = plans(*draft.place_of(row))
    return sorted(draft.text("player", place) for place in typed) == sorted(map(str, planned))


def _in_order(draft: SheetDraft, block: PastedBlock, cursor: Place | None) -> list[int | None]:
    """Return the columns from the cursor on, adding columns if needed; [] if the cursor is outside the scores."""
    width = max(len(row.cells) for row in block.rows)
    first = cursor[1] if cursor else 0
    if any(row.round is not None for row in block.rows):
        first = max(first, 0)
    if not 0 <= first < draft.columns:
        draft.problems.append(_("This does not fit here. Put the cursor on the first score and paste again."))
        return []
    end = min(first + width, MAX_SHEET_COLUMNS)
    while draft.columns < end:
        draft.add_column()
    if first + width > MAX_SHEET_COLUMNS:
        text = _("The sheet can hold %(most)s columns. The rest was left out.")
        draft.problems.append(text % {"most": MAX_SHEET_COLUMNS})
    return list(range(first, end))


def _named(draft: SheetDraft, names: Sequence[str], players: Sequence[Player | None]) -> list[int | None]:
    places: list[int | None] = []
    for name, player in zip(names, players, strict=True):
        # Ask about players who are not offered, as about unknown names.
        who = {"player": str(player.pk), "guest": ""} if player else {"player": "", "guest": name[:MAX_NAME_LENGTH]}
        place = _column_of(draft, who, places)
        if place is None:
            text = _("The sheet can hold %(most)s columns. %(name)s was left out.")
            draft.problems.append(text % {"most": MAX_SHEET_COLUMNS, "name": name})
        places.append(place)
    return places


def _column_of(draft: SheetDraft, who: Mapping[str, str], taken: Collection[int | None]) -> int | None:
    """Return a person's column: their own, else a blank or new one; None if there is no room."""
    left = [place for place in range(draft.columns) if place not in taken]
    field = "player" if who["player"] else "guest"
    own = (at for at in left if folded(draft.text(field, at)) == folded(who[field]))
    if (found := next(own, None)) is not None:
        return found
    blank = next(filter(draft.is_free, left), None)
    place = draft.add_column() if blank is None else blank
    if place is not None:
        draft.write(place, who)
    return place


def _seated_in_order(cells: Sequence[str]) -> list[str]:
    """Add winds to the cells of a row, as the columns of the grid may be in a different order."""
    played = [at for at, cell in enumerate(cells) if not sits_out(cell)]
    if any(_names_a_seat(cells[at]) for at in played):
        return list(cells)
    return [seated(cell, played.index(at)) if at in played[: len(MARKS)] else cell for at, cell in enumerate(cells)]


def _names_a_seat(cell: str) -> bool:
    """Return whether a cell gives its player's seat; a single wind after a negative score may be the winner instead."""
    said = read_cell(cell)
    return said.seat is not None and not (said.is_open and said.score.startswith("-"))


def are_seats(names: Sequence[str]) -> bool:
    seats = [read_seat(name) for name in names]
    return bool(seats) and None not in seats and len(set(seats)) == len(seats)


def under_names(block: PastedBlock, plans: Plans) -> tuple[PastedBlock, list[int]]:
    seats = [seat for name in block.names if (seat := read_seat(name)) is not None]
    rows = [_by_player(row, seats, plans(row.round or 0, row.table or 1)) for row in block.rows]
    keys = list(dict.fromkeys(key for cells in rows for key in cells))
    read = zip(block.rows, rows, strict=True)
    named = [replace(row, cells=tuple(cells.get(key, "") for key in keys)) for row, cells in read]
    return replace(block, names=tuple(map(str, keys)), rows=tuple(named)), keys


def _by_player(row: PastedRow, seats: Sequence[int], planned: Sequence[int]) -> dict[int, str]:
    """Return a row's cells by planned player. Raise UnplannedError if a seat has no planned player."""
    typed = {seat: cell for seat, cell in zip(seats, row.cells, strict=False) if not sits_out(cell)}
    if any(seat >= len(planned) for seat in typed):
        raise UnplannedError(row)
    return {planned[seat]: seated(cell, seat) for seat, cell in typed.items()}


class UnplannedError(Exception):
    def __init__(self, row: PastedRow) -> None:
        super().__init__(row.line)
        self.row = row
