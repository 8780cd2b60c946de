"""Cells of a file that somebody changed, laid over its rows: the file itself stays as it came."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from league.core.spreadsheets.tables import FileRow


class Mending(NamedTuple):
    """What a cell is to say instead of `before`; without a `line` every cell of the column that says it."""

    line: int | None
    column: int
    before: str
    after: str


def cell_of(row: FileRow, column: int) -> str:
    """Return the text of a cell; nothing beyond the end of a row."""
    return row.cells[column] if column < len(row.cells) else ""


def mended(rows: Iterable[FileRow], mendings: Iterable[Mending]) -> tuple[FileRow, ...]:
    """Return the rows with the mendings laid over them in their order, each where the cell says what it did before.

    A row that nothing is left of is gone. Costs as much as there are rows and columns with mendings, however many.
    """
    laid = _Laid()
    for order, mending in enumerate(mendings):
        laid.add(order, mending)
    return tuple(laid.over(rows))


Ordered = list[tuple[int, Mending]]


@dataclass(slots=True)
class _Laid:
    """Mendings by the cells they hold for."""

    of_cells: dict[tuple[int, int], Ordered] = field(default_factory=dict)
    of_lines: dict[int, set[int]] = field(default_factory=dict)
    of_columns: dict[int, Ordered] = field(default_factory=dict)
    known: dict[tuple[int, str], str] = field(default_factory=dict)

    def add(self, order: int, mending: Mending) -> None:
        if mending.line is None:
            self.of_columns.setdefault(mending.column, []).append((order, mending))
        else:
            self.of_cells.setdefault((mending.line, mending.column), []).append((order, mending))
            self.of_lines.setdefault(mending.line, set()).add(mending.column)

    def over(self, rows: Iterable[FileRow]) -> Iterator[FileRow]:
        for row in rows:
            columns = self.of_columns.keys() | self.of_lines.get(row.line, set())
            changes = {at: self._after(row.line, at, cell_of(row, at)) for at in columns}
            if all(cell_of(row, at) == text for at, text in changes.items()):
                yield row
            elif cells := _with(row.cells, changes):
                yield FileRow(row.line, cells)

    def _after(self, line: int, column: int, text: str) -> str:
        shared, alone = self.of_columns.get(column, []), self.of_cells.get((line, column))
        if alone is not None:
            return _applied(sorted([*shared, *alone]), text)
        # A text that stands in many cells is followed once.
        if (column, text) not in self.known:
            self.known[column, text] = _applied(shared, text)
        return self.known[column, text]


def _applied(steps: Ordered, text: str) -> str:
    for _order, mending in steps:
        if mending.before == text:
            text = mending.after
    return text


def _with(cells: Sequence[str], changes: dict[int, str]) -> tuple[str, ...]:
    width = max(len(cells), *(at + 1 for at in changes))
    changed = [changes.get(at, cells[at] if at < len(cells) else "") for at in range(width)]
    while changed and not changed[-1]:
        changed.pop()
    return tuple(changed)
