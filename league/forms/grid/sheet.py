"""The session grid: a row per hanchan, a column per player.

Cells accept the same scores as the entry page, with the suffixes of `core.sheet_cells`: `317`, `317 北`, `▲15 東`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.http import QueryDict
from django.utils.translation import gettext as _

from league.core.limits import MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.core.numbers import small_number
from league.core.spreadsheets.cells import sits_out
from league.forms.entry.fields import people_choices
from league.forms.grid.columns import ColumnForm, ask_about_twins, numbered, sent_number
from league.forms.grid.rows import MAX_CELL_LENGTH, RowForm, shown, spare_row, texts_of
from league.models import Hanchan
from league.selectors.grid import SheetContext, SheetPlace
from league.services.grid import TypedRow, check_sheet

SPARE_ROWS = 4


class SheetForm:
    """All rows of the grid under their `columns`. Errors in columns do not invalidate rows.

    The page submits the number of `columns` and `rows`, and as `only` the numbers of the rows it sends, if not all.
    """

    def __init__(
        self,
        context: SheetContext,
        data: Mapping[str, Any] | None = None,
        *,
        columns: Sequence[Mapping[str, str]] = (),
        rows: Sequence[Mapping[str, str]] = (),
    ) -> None:
        self.context = context
        count = min(sent_number(data.get("columns")), MAX_SHEET_COLUMNS) if data is not None else len(columns)
        people, choices = context.choices.by_key, people_choices(context.choices)
        self.columns = [
            ColumnForm(data, number, columns[number] if columns else None, choices=choices, people=people)
            for number in range(count)
        ]
        # Rows depend on the columns' players, so columns are validated first.
        for column in self.columns:
            column.full_clean()
        if data is not None:
            ask_about_twins(self.columns)
        numbers = range(len(rows)) if data is None else _numbers(data)
        self.rows = {
            number: RowForm(data, number, rows[number] if rows else None, columns=self.columns, context=context)
            for number in numbers
        }

    @classmethod
    def stored(cls, context: SheetContext, part: int = 0) -> SheetForm:
        places = [context.places[at] for at in context.parts[part]]
        keys = dict.fromkeys(str(player) for place in places for player in place.players)
        if len(context.parts) == 1:
            expected = [str(player.pk) for player in context.choices.last + context.choices.waiting]
            keys |= dict.fromkeys(expected[: MAX_SHEET_COLUMNS - len(keys)])
        rows = [_row(place, list(keys)) for place in places]
        if context.goes_on_freely:
            first = max((place.round for place in places), default=0) + 1
            rows += [spare_row(first + number) for number in range(min(SPARE_ROWS, MAX_SHEET_ROWS - len(rows)))]
        # Tables without a plan need blank columns in which to choose players.
        seats = 0 if context.plans or len(keys) >= context.size * context.session.tables else context.session.tables
        blank = [""] * (min(seats * context.size, MAX_SHEET_COLUMNS) - len(keys))
        columns = [{"player": key} for key in [*keys, *blank]]
        return cls(context, columns=columns, rows=rows)

    def checked(self) -> dict[int, TypedRow]:
        """Validate the rows; return those with a result, by number, compared with what is stored."""
        for row in self.rows.values():
            row.full_clean()
        for place, column in enumerate(self.columns):
            is_used = any(f"cell_{place}" in row.typed_cells for row in self.rows.values())
            if is_used and column.person is None and not column.errors:
                column.add_error("player", _("Choose a player for this column."))
        found = check_sheet([row.typed_row() for row in self.rows.values()], self.context.hanchan, self.context.plans)
        for number, checked in found.items():
            if checked.error is not None:
                self.rows[number].refuse(checked.error)
        return found


def _numbers(data: Mapping[str, Any]) -> Sequence[int]:
    every = range(min(sent_number(data.get("rows")), MAX_SHEET_ROWS))
    if "only" not in data:
        return every
    named = {small_number(number, None, digits=3) for number in str(data["only"]).split(",")}
    return [number for number in every if number in named]


def _row(place: SheetPlace, keys: Sequence[str]) -> dict[str, str]:
    if place.hanchan is None:
        return spare_row(place.round, place.table)
    cells = texts_of(place.hanchan)
    row = {f"cell_{column}": cells.get(key, "") for column, key in enumerate(keys)}
    return row | {"key": str(uuid4())} | shown(place.hanchan)


NOTHING_STORED = {"hanchan": "", "version": "0", "sticks": ""}


_ASKED = re.compile(r"why_(?P<row>\d{1,3})_(?P<column>\d{1,3})")


class SheetDraft:
    """The submitted fields of the grid; rows and columns count from 0. `left_over`: pasted text that did not fit."""

    def __init__(self, data: QueryDict) -> None:
        self.data = data.copy()
        self.problems: list[str] = []
        self.left_over = ""

    @property
    def rows(self) -> int:
        return min(sent_number(self.data.get("rows")), MAX_SHEET_ROWS)

    @property
    def columns(self) -> int:
        return min(sent_number(self.data.get("columns")), MAX_SHEET_COLUMNS)

    def text(self, name: str, number: int) -> str:
        return str(self.data.get(numbered(name, number), ""))

    def write(self, number: int, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            self.data[numbered(name, number)] = text

    def cell(self, row: int, column: int) -> str:
        return self.text(f"cell_{column}", row)

    def is_free(self, column: int) -> bool:
        texts = [self.text("player", column), self.text("guest", column)]
        return not any(text.strip() for text in (*texts, *(self.cell(row, column) for row in range(self.rows))))

    def is_empty(self, row: int, columns: Iterable[int]) -> bool:
        return not self.text("hanchan", row) and all(sits_out(self.cell(row, column)) for column in columns)

    def free_row(self, start: int = 0, columns: Iterable[int] | None = None) -> int | None:
        """Return the first row from `start` on that is blank in `columns` (default all); append one if needed.

        Return None if the grid is full.
        """
        places = range(self.columns) if columns is None else list(columns)
        for row in range(start, self.rows):
            if self.is_empty(row, places):
                return row
        return self.add_row()

    def place_of(self, row: int) -> tuple[int, int]:
        return sent_number(self.text("round", row)), sent_number(self.text("table", row)) or 1

    def waiting_row(self, round_number: int | None, table: int | None) -> int | None:
        """Return the blank row of a round and table, or None.

        Without `table`, the round must have exactly one blank row.
        """
        if round_number is None:
            return None
        waiting = [
            row
            for row in range(self.rows)
            if self.place_of(row) == (round_number, table or self.place_of(row)[1])
            and self.is_empty(row, range(self.columns))
        ]
        return waiting[0] if waiting and (table is not None or len(waiting) == 1) else None

    def answer(self) -> None:
        for name in [name for name in self.data if name.startswith("why_")]:
            said, asked = str(self.data.pop(name)[-1]).strip(), _ASKED.fullmatch(name)
            if said and asked and int(asked["row"]) < self.rows and int(asked["column"]) < self.columns:
                cell = numbered(f"cell_{asked['column']}", asked["row"])
                self.data[cell] = f"{self.data.get(cell, '')} {said}".strip()[:MAX_CELL_LENGTH]

    def is_changed_by(self, do: str) -> bool:
        """Apply a button that changes the grid; return whether `do` was one.

        "rows" and "column" append, "free-3" clears the player of a column.
        """
        if do in {"rows", "column"}:
            added = [self.add_column()] if do == "column" else [self.add_row() for _row in range(SPARE_ROWS)]
            if all(place is None for place in added):
                text = _("The sheet can hold at most %(rows)s hanchan and %(columns)s players.")
                self.problems.append(text % {"rows": MAX_SHEET_ROWS, "columns": MAX_SHEET_COLUMNS})
        elif do.startswith("free-"):
            if sent_number(do.removeprefix("free-")) < self.columns:
                self.write(sent_number(do.removeprefix("free-")), {"player": "", "guest": ""})
        else:
            return False
        return True

    def add_row(self) -> int | None:
        """Append a blank, numbered row and return its index; None if the grid is full."""
        row = self.rows
        if row == MAX_SHEET_ROWS:
            return None
        last = max((sent_number(self.text("round", each)) for each in range(row)), default=0)
        cells = {f"cell_{place}": "" for place in range(self.columns)}
        self.write(row, NOTHING_STORED | spare_row(last + 1) | cells)
        self.data["rows"] = str(row + 1)
        return row

    def add_column(self) -> int | None:
        column = self.columns
        if column == MAX_SHEET_COLUMNS:
            return None
        self.write(column, {"player": "", "guest": ""})
        for row in range(self.rows):
            self.write(row, {f"cell_{column}": ""})
        self.data["columns"] = str(column + 1)
        return column

    def show(self, row: int, hanchan: Hanchan) -> None:
        kept = shown(hanchan)
        self.write(row, {"hanchan": kept["hanchan"], "version": kept["version"]})
