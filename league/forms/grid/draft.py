"""What was typed into the sheet, enlarged or pasted into before the form reads it."""

import re
from collections.abc import Iterable, Mapping

from django.http import QueryDict
from django.utils.translation import gettext as _

from league.core.limits import MAX_SHEET_COLUMNS, MAX_SHEET_ROWS
from league.core.pasting import sits_out
from league.forms.grid.cells import MAX_CELL_LENGTH
from league.forms.grid.numbered import numbered, sent_number
from league.forms.grid.rows import shown, spare_row
from league.forms.grid.sheet import SPARE_ROWS
from league.models import Hanchan

NOTHING_STORED = {"hanchan": "", "version": "0", "sticks": ""}
"""What a row says that shows no stored hanchan."""


_ASKED = re.compile(r"why_(?P<row>\d{1,3})_(?P<column>\d{1,3})")
"""The field in which it is answered how the player of a cell went bust."""


class SheetDraft:
    """The fields of the sheet as they were sent, rows and columns counted from 0. `left_over` of a text found no place."""

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
        """Put texts into the fields of a row or a column."""
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
        """Return the first row from `start` on that is empty in these columns, or altogether; a new one if need be.

        None where the sheet is full.
        """
        places = range(self.columns) if columns is None else list(columns)
        for row in range(start, self.rows):
            if self.is_empty(row, places):
                return row
        return self.add_row()

    def place_of(self, row: int) -> tuple[int, int]:
        return sent_number(self.text("round", row)), sent_number(self.text("table", row)) or 1

    def waiting_row(self, round_number: int | None, table: int | None) -> int | None:
        """Return the empty row of a round and a table, as a plan or somebody has put it there; None without one.

        Without a table it is the only empty row of its round.
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
        """Write the answers to what was asked about a cell behind its score."""
        for name in [name for name in self.data if name.startswith("why_")]:
            said, asked = str(self.data.pop(name)[-1]).strip(), _ASKED.fullmatch(name)
            if said and asked and int(asked["row"]) < self.rows and int(asked["column"]) < self.columns:
                cell = numbered(f"cell_{asked['column']}", asked["row"])
                self.data[cell] = f"{self.data.get(cell, '')} {said}".strip()[:MAX_CELL_LENGTH]

    def is_changed_by(self, do: str) -> bool:
        """Do what a button says that changes the sheet itself: "rows" and "column" add some, "free-3" asks whose one is."""
        if do in {"rows", "column"}:
            self.enlarge(do)
        elif do.startswith("free-"):
            if sent_number(do.removeprefix("free-")) < self.columns:
                self.write(sent_number(do.removeprefix("free-")), {"player": "", "guest": ""})
        else:
            return False
        return True

    def add_row(self) -> int | None:
        """Put an empty row at the end, numbered on, and return where it is; None where there is no room."""
        row = self.rows
        if row == MAX_SHEET_ROWS:
            return None
        last = max((sent_number(self.text("round", each)) for each in range(row)), default=0)
        cells = {f"cell_{place}": "" for place in range(self.columns)}
        self.write(row, NOTHING_STORED | spare_row(last + 1) | cells)
        self.data["rows"] = str(row + 1)
        return row

    def add_column(self) -> int | None:
        """Put an empty column at the end and return where it is; None where there is no room."""
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

    def enlarge(self, what: str) -> None:
        """Add some "rows" or one "column", or say that the sheet is as large as it gets."""
        added = [self.add_column()] if what == "column" else [self.add_row() for _row in range(SPARE_ROWS)]
        if all(place is None for place in added):
            text = _("The sheet has room for %(rows)s hanchan and %(columns)s players; more do not fit.")
            self.problems.append(text % {"rows": MAX_SHEET_ROWS, "columns": MAX_SHEET_COLUMNS})
