"""A table on its way into a file, whatever the format."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeAlias

from league.core.spreadsheets.cells import escaped
from league.core.spreadsheets.columns import CellKind

Cell: TypeAlias = str | int | Decimal | date | None
Row: TypeAlias = Sequence[Cell]

LANGUAGES = {"ja": ("ja",), "en": ("en",), "both": ("ja", "en")}
"""Which header rows a choice of languages gives."""


@dataclass(frozen=True, slots=True)
class ExportColumn:
    titles: tuple[str, ...]
    kind: CellKind


@dataclass(frozen=True, slots=True)
class ExportTable:
    """Rows under headings. `rows` begins anew each time it is called, so that a table can be looked through first.

    `day_column` is the column whose month puts a row onto a sheet, where months are kept apart.
    """

    title: str
    headings: tuple[ExportColumn, ...]
    rows: Callable[[], Iterator[Row]]
    day_column: int | None = None

    @property
    def header_rows(self) -> list[tuple[str, ...]]:
        return list(zip(*(heading.titles for heading in self.headings), strict=True))


def plain_text(cell: Cell) -> str:
    """Return a cell as text: plain numbers, ISO dates, text that no spreadsheet takes for a formula."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escaped(cell)
    return cell.isoformat() if isinstance(cell, date) else str(cell)
