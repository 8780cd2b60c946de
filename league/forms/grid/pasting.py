"""Putting a pasted block into the sheet: a column for every name of it, a free row for every hanchan."""

from collections.abc import Collection, Sequence
from typing import TypeAlias

from django.utils.translation import gettext as _

from league.core.limits import MAX_NAME_LENGTH, MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.core.pasting import MARKS, PastedBlock, PastedRow, from_row, sits_out, split_cell
from league.core.readings import folded
from league.forms.grid.draft import SheetDraft
from league.models import Player

Place: TypeAlias = tuple[int, int]
"""A row and a column of the sheet, counted from 0; what stands before the first score has a column below 0."""


def paste(
    draft: SheetDraft, text: str, block: PastedBlock, players: Sequence[Player | None], cursor: Place | None = None
) -> None:
    """Put a block into the free rows. `players` are whom its names mean, as far as the sheet offers them.

    Without names it goes to where the cursor is. `text` is what it was read from: the part for which there is no room
    stays to be pasted elsewhere.
    """
    places = _named(draft, block.names, players) if block.names else _in_order(draft, block, cursor)
    if draft.problems:
        draft.left_over = text
    at_cursor = None if block.names or cursor is None else [place for place in places if place is not None]
    number: int | None = cursor[0] if cursor and at_cursor else 0
    for pasted in block.rows if places else ():
        number = draft.free_row(number or 0, at_cursor)
        if number is None:
            draft.problems.append(_("The sheet has %(most)s rows; the rest was left out.") % {"most": MAX_SHEET_ROWS})
            draft.left_over = from_row(text, block, pasted)
            return
        _fill(draft, number, pasted, places, _seated_in_order(pasted.cells) if block.names else pasted.cells)
        number += 1


def _fill(draft: SheetDraft, row: int, pasted: PastedRow, places: Sequence[int | None], texts: Sequence[str]) -> None:
    cells = {f"cell_{place}": text for place, text in zip(places, texts, strict=False) if place is not None}
    beside = {"round": str(pasted.round or ""), "sticks": pasted.sticks}
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
    if any(split_cell(cells[at])[1] is not None for at in played):
        return list(cells)
    return [
        f"{cell} {MARKS[played.index(at)]}" if at in played[: len(MARKS)] else cell for at, cell in enumerate(cells)
    ]
