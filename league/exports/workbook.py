"""Tables as a workbook: real numbers and dates, a header that stays in view, nothing to calculate."""

import re
from collections.abc import Iterator
from datetime import date
from tempfile import TemporaryFile
from typing import IO, Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from league.core.spreadsheets.columns import CellKind
from league.exports.table import Cell, ExportTable, Row, plain_text

NUMBERS = {CellKind.DATE: "yyyy-mm-dd", CellKind.POINTS: "0.0##"}
WIDTHS = {CellKind.DATE: 12, CellKind.WHOLE: 9, CellKind.POINTS: 10, CellKind.TEXT: 16}

REPLACEMENT = "\ufffd"
"""Stands for control characters, which no workbook can hold."""

MAX_TITLE_LENGTH = 31
MAX_CELL_LENGTH = 32_767

_NOT_IN_TITLES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def workbook(table: ExportTable, *, by_month: bool = False) -> IO[bytes]:
    """Return an open file with the workbook, at its beginning; with `by_month` each month has a sheet of its own."""
    book = Workbook(write_only=True)
    sheets: dict[str, Any] = {}
    for row in table.rows():
        title = _title_of(table, row, by_month=by_month)
        if title not in sheets:
            sheets[title] = _new_sheet(book, title, table)
        sheets[title].append(list(_cells(sheets[title], table, row)))
    if not sheets:
        _new_sheet(book, _title_of(table, (), by_month=False), table)
    file = TemporaryFile()  # noqa: SIM115 - whoever sends it closes it
    book.save(file)
    file.seek(0)
    return file


def _title_of(table: ExportTable, row: Row, *, by_month: bool) -> str:
    day = row[table.day_column] if by_month and table.day_column is not None else None
    title = f"{day:%Y-%m}" if isinstance(day, date) else table.title
    return _NOT_IN_TITLES.sub(" ", title).strip(" '")[:MAX_TITLE_LENGTH] or "Tenbo"


def _new_sheet(book: Workbook, title: str, table: ExportTable) -> Any:
    sheet: Any = book.create_sheet(title)
    rows = table.header_rows
    sheet.freeze_panes = f"A{len(rows) + 1}"
    for number, heading in enumerate(table.headings, start=1):
        widest = max(map(_width, heading.titles))
        sheet.column_dimensions[get_column_letter(number)].width = max(WIDTHS[heading.kind], widest + 2)
    for titles in rows:
        cells = [WriteOnlyCell(sheet, value=title) for title in titles]
        for cell in cells:
            cell.font = Font(bold=True)
        sheet.append(cells)
    return sheet


def _width(text: str) -> int:
    return sum(1 if letter.isascii() else 2 for letter in text)


def _cells(sheet: Any, table: ExportTable, row: Row) -> Iterator[Any]:
    for heading, value in zip(table.headings, row, strict=True):
        if value is None or value == "":
            yield None
            continue
        cell = WriteOnlyCell(sheet, value=_value(value))  # type: ignore[arg-type]
        if not isinstance(value, str):
            cell.number_format = NUMBERS.get(heading.kind, "General")
        yield cell


def _value(value: Cell) -> Cell:
    # Written as in a text, so that the same name has the same cell in every format.
    return (
        ILLEGAL_CHARACTERS_RE.sub(REPLACEMENT, plain_text(value))[:MAX_CELL_LENGTH] if isinstance(value, str) else value
    )
