"""Putting a pasted block into the sheet: a column for every name of it, a free row for every hanchan."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TypeAlias

from django.utils.translation import gettext as _

from league.core.limits import MAX_NAME_LENGTH, MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.core.pasting import PastedBlock, PastedRow, from_row, sits_out
from league.core.readings import folded
from league.core.sheet_cells import MARKS, WINDS, read_cell
from league.forms.grid.draft import SheetDraft
from league.models import Player

Place: TypeAlias = tuple[int, int]
"""A row and a column of the sheet, counted from 0; what stands before the first score has a column below 0."""


Plans: TypeAlias = Callable[[int, int], Sequence[int]]
"""Who is planned for a round and a table, primary keys by seat."""


def paste(
    draft: SheetDraft, text: str, block: PastedBlock, players: Sequence[Player | None], cursor: Place | None = None
) -> None:
    """Put a block into the rows of its rounds and tables, else into free ones. `players` are whom its names mean.

    Without names it goes to where the cursor is. `text` is what it was read from: the part for which there is no room
    stays to be pasted elsewhere.
    """
    places = _named(draft, block.names, players) if block.names else _in_order(draft, block, cursor)
    if draft.problems:
        draft.left_over = text
    at_cursor = None if block.names or cursor is None else [place for place in places if place is not None]
    number: int | None = cursor[0] if cursor and at_cursor else 0
    for pasted in block.rows if places else ():
        own = draft.waiting_row(pasted.round, pasted.table)
        number = draft.free_row(number or 0, at_cursor) if own is None else own
        if number is None:
            draft.problems.append(_("The sheet has %(most)s rows; the rest was left out.") % {"most": MAX_SHEET_ROWS})
            draft.left_over = from_row(text, block, pasted)
            return
        _fill(draft, number, pasted, places, _seated_in_order(pasted.cells) if block.names else pasted.cells)
        number = number + 1 if own is None else 0


def _fill(draft: SheetDraft, row: int, pasted: PastedRow, places: Sequence[int | None], texts: Sequence[str]) -> None:
    cells = {f"cell_{place}": text for place, text in zip(places, texts, strict=False) if place is not None}
    beside = {"round": str(pasted.round or ""), "table": str(pasted.table or ""), "sticks": pasted.sticks}
    draft.write(row, cells | {name: text for name, text in beside.items() if text})


def _in_order(draft: SheetDraft, block: PastedBlock, cursor: Place | None) -> list[int | None]:
    """Return the columns from the cursor on, new ones if need be; none where there is no score at the cursor."""
    width = max(len(row.cells) for row in block.rows)
    first = cursor[1] if cursor else 0
    if any(row.round is not None for row in block.rows):
        first = max(first, 0)
    if not 0 <= first < draft.columns:
        draft.problems.append(
            _("What was pasted does not fit there. Put the cursor on the first score and paste again.")
        )
        return []
    end = min(first + width, MAX_SHEET_COLUMNS)
    while draft.columns < end:
        draft.add_column()
    if first + width > MAX_SHEET_COLUMNS:
        text = _("The sheet has %(most)s columns; the rest was left out.")
        draft.problems.append(text % {"most": MAX_SHEET_COLUMNS})
    return list(range(first, end))


def _named(draft: SheetDraft, names: Sequence[str], players: Sequence[Player | None]) -> list[int | None]:
    """Return where each name of a block stands; a name that has its column already gets one more."""
    places: list[int | None] = []
    for name, player in zip(names, players, strict=True):
        # Whom the sheet does not offer is for the person to say, like a name that nobody bears.
        key = str(player.pk) if player else ""
        place = _column_of(draft, key, name, places)
        if place is None:
            place = _new_column(draft, key, name, places)
        if place is None:
            text = _("The sheet has %(most)s columns; %(name)s was left out.")
            draft.problems.append(text % {"most": MAX_SHEET_COLUMNS, "name": name})
        places.append(place)
    return places


def _column_of(draft: SheetDraft, key: str, name: str, taken: Collection[int | None]) -> int | None:
    for place in range(draft.columns):
        guest = draft.text("guest", place).strip()
        is_it = draft.text("player", place) == key if key else bool(guest) and folded(guest) == folded(_guest(name))
        if is_it and place not in taken:
            return place
    return None


def _new_column(draft: SheetDraft, key: str, name: str, taken: Collection[int | None]) -> int | None:
    """Return a column that was nobody's and holds nothing, now headed by this name; None where there is no room."""
    free = (place for place in range(draft.columns) if place not in taken and draft.is_free(place))
    place = next(free, None)
    if place is None:
        place = draft.add_column()
    if place is not None:
        draft.write(place, {"player": key, "guest": "" if key else _guest(name)})
    return place


def _guest(name: str) -> str:
    return name[:MAX_NAME_LENGTH]


def _seated_in_order(cells: Sequence[str]) -> list[str]:
    """Return the cells of a pasted row with their winds, as the columns of the sheet may stand in another order."""
    played = [at for at, cell in enumerate(cells) if not sits_out(cell)]
    if any(_names_a_seat(cells[at]) for at in played):
        return list(cells)
    return [_in_seat(cell, played.index(at)) if at in played[: len(MARKS)] else cell for at, cell in enumerate(cells)]


def _names_a_seat(cell: str) -> bool:
    """Return whether a cell says where its player sits; an only wind behind a minus may be the one who won."""
    said = read_cell(cell)
    return said.seat is not None and not (said.is_open and said.score.startswith("-"))


def _in_seat(cell: str, seat: int) -> str:
    """Return a cell with the seat of its player behind the score, before all that is said there already."""
    score, _, behind = cell.partition(" ")
    return f"{score} {MARKS[seat]} {behind}".rstrip()


def are_seats(names: Sequence[str]) -> bool:
    """Return whether a block has its columns by seat, so that the plan says who sits there."""
    return bool(names) and all(name.strip().removesuffix("家").upper() in WINDS for name in names)


def under_names(block: PastedBlock, plans: Plans) -> tuple[PastedBlock, list[int]]:
    """Return a block by seat as one by player, and its players' primary keys. Raises UnplannedError."""
    keys: dict[int, int] = {}
    rows = []
    for row in block.rows:
        planned = plans(row.round or 0, row.table or 1)
        if len(planned) < len([cell for cell in row.cells if not sits_out(cell)]):
            raise UnplannedError(row)
        cells = {
            player: _in_seat(cell, seat) for seat, (player, cell) in enumerate(zip(planned, row.cells, strict=False))
        }
        rows.append(cells)
        keys |= dict.fromkeys(planned, 0)
    named = [
        replace(row, cells=tuple(cells.get(key, "") for key in keys))
        for row, cells in zip(block.rows, rows, strict=True)
    ]
    return replace(block, names=tuple(map(str, keys)), rows=tuple(named)), list(keys)


class UnplannedError(Exception):
    """A pasted row by seat for whose round and table nobody is planned."""

    def __init__(self, row: PastedRow) -> None:
        super().__init__(row.line)
        self.row = row
