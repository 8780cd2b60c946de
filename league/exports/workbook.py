"""Tables as Excel workbooks: typed numbers and dates, frozen header, no formulas."""

import re
from datetime import date
from tempfile import TemporaryFile
from typing import IO, Any

import xlsxwriter

from league.core.spreadsheets.columns import CellKind
from league.exports.table import ExportTable, Row, plain_text

NUMBERS = {CellKind.DATE: "yyyy-mm-dd", CellKind.POINTS: "0.0##"}
WIDTHS = {CellKind.DATE: 12, CellKind.WHOLE: 9, CellKind.POINTS: 10, CellKind.TEXT: 16}

REPLACEMENT = "\ufffd"
"""Replacement for control characters, which workbooks cannot contain."""

MAX_TITLE_LENGTH = 31
MAX_CELL_LENGTH = 32_767
MAX_SHEET_ROWS = 1_048_576

NOT_IN_CELLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_NOT_IN_TITLES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def workbook(table: ExportTable, *, by_month: bool = False) -> IO[bytes]:
    """Write a workbook to a temporary file and return it; with `by_month`, each month has its own sheet.

    Only one row is in memory at a time. If a sheet is full, rows continue on another one.
    """
    file = TemporaryFile()  # noqa: SIM115 - closed by the sender
    with xlsxwriter.Workbook(file, {"constant_memory": True}) as book:
        writer = _Writer(book, table)
        for row in table.rows():
            writer.add(_title_of(table, row, by_month=by_month), row)
        if not book.worksheets():
            writer.sheet(_title_of(table, (), by_month=False))
    file.seek(0)
    return file


def _title_of(table: ExportTable, row: Row, *, by_month: bool) -> str:
    day = row[table.day_column] if by_month and table.day_column is not None else None
    title = f"{day:%Y-%m}" if isinstance(day, date) else table.title
    return _NOT_IN_TITLES.sub(" ", title).strip(" '")[:MAX_TITLE_LENGTH] or "Tenbo"


class _Writer:
    def __init__(self, book: xlsxwriter.Workbook, table: ExportTable) -> None:
        self.book, self.table = book, table
        self.bold = book.add_format({"bold": True})
        formats = {kind: book.add_format({"num_format": shown}) for kind, shown in NUMBERS.items()}
        self.formats = [formats.get(heading.kind) for heading in table.headings]
        self.sheets: dict[str, tuple[Any, int]] = {}
        self.parts: dict[str, int] = {}

    def add(self, title: str, row: Row) -> None:
        sheet, at = self.sheets.get(title) or self.sheet(title)
        if at >= MAX_SHEET_ROWS:
            sheet, at = self.sheet(title)
        for column, (value, shown) in enumerate(zip(row, self.formats, strict=True)):
            if value is None or value == "":
                continue
            if isinstance(value, str):
                # Formatted as in text files, so that a name is the same in every format.
                plain = NOT_IN_CELLS.sub(REPLACEMENT, plain_text(value))[:MAX_CELL_LENGTH]
                sheet.write_string(at, column, plain)
            elif isinstance(value, date):
                sheet.write_datetime(at, column, value, shown)
            else:
                sheet.write_number(at, column, value, shown)
        self.sheets[title] = sheet, at + 1

    def sheet(self, title: str) -> tuple[Any, int]:
        """Add a sheet with its header; return it with the index of its first free row."""
        part = self.parts[title] = self.parts.get(title, 0) + 1
        ending = f" ({part})" if part > 1 else ""
        sheet: Any = self.book.add_worksheet(title[: MAX_TITLE_LENGTH - len(ending)] + ending)
        rows = self.table.header_rows
        sheet.freeze_panes(len(rows), 0)
        for number, heading in enumerate(self.table.headings):
            widest = max(map(_width, heading.titles))
            sheet.set_column(number, number, max(WIDTHS[heading.kind], widest + 2))
        for at, titles in enumerate(rows):
            for column, text in enumerate(titles):
                sheet.write_string(at, column, text, self.bold)
        return sheet, len(rows)


def _width(text: str) -> int:
    return sum(1 if letter.isascii() else 2 for letter in text)
