"""Rows out of XLSX files, with the values that the spreadsheet last worked out."""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from python_calamine import CalamineWorkbook, SheetTypeEnum

from league.core.spreadsheets.headers import suggest_layout
from league.core.spreadsheets.tables import MAX_COLUMNS, FileRow, TableError, kept
from league.services.imports.archive import MAX_CELLS, CheckedArchive, checked_archive, refusing
from league.services.imports.refusals import ImportFileError
from league.services.imports.sheet_xml import bare_formula, elements

ALL_SHEETS = "*"
"""Reads all sheets that have the header of the first one, as files with a sheet per month have."""

MAX_SHEETS = 100

RELATIONS = "xl/_rels/workbook.xml.rels"
"""Where a workbook says in which part each sheet is."""

DECIMALS = 9
"""Beyond that, a number in a sheet differs from what people typed by the machine's rounding only."""

MAX_CELL_LENGTH = 32_767
"""What a spreadsheet itself can hold."""

HEADER_WITHIN = 12

# Before Python 3.11.5 a group that gives nothing back may miss what it should find: only single characters do so here.
_NO_VALUE = rb"\s*+(?:<v\s*+/>|<v></v>)?\s*+</c>"
_FORMULA_ALONE = re.compile(rb"</f>" + _NO_VALUE + rb"|<f[^<>]*+(?<=/)>" + _NO_VALUE)

Line = tuple[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Workbook:
    """An upload that may be read, its sheets by name in the order of the file."""

    archive: CheckedArchive
    book: CalamineWorkbook
    names: tuple[str, ...]

    def rows(self, name: str) -> tuple[FileRow, ...]:
        """Return the rows of a sheet as text, dates as ISO 8601; of ALL_SHEETS one below the other.

        Raises ImportFileError, "formulas" where a formula has no value because no spreadsheet ever worked it out.
        """
        chosen = self._chosen(name)
        try:
            with refusing():
                rows = kept(self._lines(chosen))
        except TableError as error:
            raise ImportFileError(error.code, **error.values) from error
        if any(_FORMULA_ALONE.search(part) for part in self.archive.sheets.values()):
            with refusing():
                self._refuse_formulas(chosen)
        return rows

    def alike(self) -> tuple[str, ...]:
        """Return the sheets whose header is that of the first sheet with one; that sheet alone if there is no other."""
        if len(self.names) == 1:
            return self.names
        with refusing():
            headers = {name: self._header(name) for name in self.names}
        first = next((header for header in headers.values() if header), None)
        found = tuple(name for name, header in headers.items() if header and header == first)
        return found or tuple(headers)[:1]

    def _header(self, name: str) -> tuple[str, ...]:
        rows = kept(islice(self._lines([name]), HEADER_WITHIN))
        layout = suggest_layout(rows)
        return rows[layout.header_row].cells if any(layout.columns) else ()

    def _chosen(self, name: str) -> tuple[str, ...]:
        if not name or name == ALL_SHEETS:
            return self.names
        if name not in self.names:
            raise ImportFileError("unknown_sheet", sheet=name)
        return (name,)

    def _lines(self, names: Sequence[str]) -> Iterator[Line]:
        line = cells = 0
        for name in names:
            sheet = self.book.get_sheet_by_name(name)
            before = [""] * (sheet.start[1] if sheet.start else 0)
            for values in sheet.iter_rows():
                line += 1
                cells += len(values)
                if cells > MAX_CELLS:
                    raise TableError("too_many_columns", most=MAX_COLUMNS, line=line)
                yield line, before + [_TEXTS[type(value)](value) for value in values]

    def _refuse_formulas(self, names: Sequence[str]) -> None:
        """Raise ImportFileError where a sheet that is read has a formula whose value is missing."""
        paths = _paths(self.archive)
        above = 0
        for name in names:
            found = bare_formula(self.archive.parts[paths[name]])
            if found is not None:
                row, formula = found
                raise ImportFileError("formulas", line=above + row, formula=formula)
            end = self.book.get_sheet_by_name(name).end
            above += end[0] + 1 if end else 0


def open_workbook(data: bytes) -> Workbook:
    """Return the workbook of an upload.

    Raises ImportFileError "not_a_workbook", "too_large_unpacked", "too_many_rows", "too_many_columns".
    """
    archive = checked_archive(data)
    with refusing():
        book = CalamineWorkbook.from_filelike(io.BytesIO(archive.data))
        names = tuple(sheet.name for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet)
        if not names:
            raise ImportFileError("not_a_workbook")
        return Workbook(archive, book, names[:MAX_SHEETS])


def _paths(archive: CheckedArchive) -> dict[str, str]:
    """Return in which part of the archive each sheet is."""
    targets = {each["Id"]: each["Target"] for _, each in elements(archive.parts[RELATIONS]) if "Id" in each}
    found = {}
    for name, attributes in elements(archive.parts["xl/workbook.xml"]):
        if name == "sheet":
            target = targets[next(value for key, value in attributes.items() if key.endswith(":id"))]
            found[attributes["name"]] = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return found


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")


def _letters(value: object) -> str:
    return str(value)[:MAX_CELL_LENGTH].replace("_x000D_", "\r").replace("\0", "")


def _flag(value: object) -> str:
    return "1" if value else "0"


def _moment(value: datetime) -> str:
    return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")


class _Texts(dict[type, Callable[[Any], str]]):
    """How values become text, by their kind; of any other kind as they print themselves."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        return _letters


_TEXTS = _Texts({str: _letters, float: _number, bool: _flag, datetime: _moment, date: date.isoformat})
