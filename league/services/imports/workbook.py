"""Rows of XLSX files, with calculated values.

Calamine allocates a sheet as one rectangle, so two distant cells could exhaust memory. It therefore gets a rebuilt
archive of XML parts only, which are unpacked and measured here.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum

from league.core.spreadsheets.layouts import FileSheet
from league.core.spreadsheets.tables import MAX_BLANK, MAX_COLUMNS, MAX_ROWS, FileRow, ImportFileError, kept

MAX_SHEETS = 100
MAX_PARTS = 2000
MAX_UNPACKED = 60 * 1024 * 1024
AT_A_TIME = 64 * 1024

MAX_CELLS = 2_000_000
"""Limit for the used rectangle of a sheet; all sheets together may have four times as many."""

LETTERS, DIGITS = 3, 10
"""Longer cell references are refused: parsing them takes quadratic time."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression methods used by workbooks; others may unpack too much at a time."""

DECIMALS = 9
"""Further decimals are floating-point noise."""

MAX_CELL_LENGTH = 32_767
FORMULA_SHOWN = 60
_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_ERROR = re.compile(rb"(<(?:\w+:)?c\b[^<>]*?\st\s*=\s*)[\"']e[\"']")
_INSIDE = rb"(?=[\s/>])((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>"
_TAG = re.compile(rb"<(?:\w+:)?(row|c)" + _INSIDE)
_PLACE = re.compile(rb"\sr\s*=\s*[\"']\s*([A-Za-z]*)([0-9]+)")
_BARE = re.compile(
    rb"<(\w+:)?c" + _INSIDE + rb"\s*+<(?:\w+:)?f" + _INSIDE + rb"(?:([^<]*)</(?:\w+:)?f>)?"
    rb"\s*+(?:<(?:\w+:)?v\s*+/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*+</(?:\w+:)?c>"
)
"""A formula without a cached value, because no spreadsheet program has calculated it."""

MARK = "\ue000"
"""The start of such a formula when it is kept as text."""

_BROKEN = (
    *(CalamineError, zipfile.BadZipFile, zlib.error, LookupError, TypeError),
    *(AttributeError, OSError, EOFError, OverflowError, RuntimeError, AssertionError, ValueError),
)
"""Exceptions raised for archives that are damaged or are not workbooks."""


@dataclass(frozen=True, slots=True)
class Workbook:
    """A checked workbook, and the names of its sheets in file order."""

    book: CalamineWorkbook
    names: tuple[str, ...]

    def sheets(self, name: str = "") -> tuple[FileSheet, ...]:
        """Return the rows of one sheet or of all, as text, dates in ISO 8601; lines are counted across the sheets.

        Raise ImportFileError; "formulas" if a formula has no cached value. Of several sheets such ones are left out.
        """
        found, wrong, above = [], None, 0
        for each in (name,) if name in self.names else self.names:
            with refusing():
                sheet = self.book.get_sheet_by_name(each)
                try:
                    rows = kept(_lines(sheet))
                    found.append(FileSheet(each, tuple(FileRow(row.line + above, row.cells) for row in rows), above))
                except ImportFileError as error:
                    error.values |= {"sheet": each} if self.names[1:] else {}
                    if error.code != "formulas":
                        raise
                    wrong = wrong or error
                above += sheet.end[0] + 1 if sheet.end else 0
        if wrong and not any(sheet.rows for sheet in found):
            raise wrong
        return tuple(found)


def _lines(sheet: CalamineSheet) -> Iterator[tuple[int, Sequence[str]]]:
    before = [""] * (sheet.start[1] if sheet.start else 0)
    for line, values in enumerate(sheet.iter_rows(), start=1):
        cells = [_text(value) for value in values]
        if formula := next((cell for cell in cells if cell.startswith(MARK)), ""):
            raise ImportFileError("formulas", line=line, formula=formula[len(MARK) :][:FORMULA_SHOWN])
        yield line, before + cells


def open_workbook(data: bytes) -> Workbook:
    """Return the workbook of an upload.

    Raise ImportFileError "not_a_workbook", "too_large_unpacked", "too_many_rows" or "too_many_columns".
    """
    with refusing():
        book = CalamineWorkbook.from_filelike(_rebuilt(data))
        names = tuple(sheet.name for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet)
    if not names:
        raise ImportFileError("not_a_workbook")
    return Workbook(book, names[:MAX_SHEETS])


@contextmanager
def refusing() -> Iterator[None]:
    """Convert errors caused by damaged files to ImportFileError "not_a_workbook"."""
    try:
        yield
    except ImportFileError:
        raise
    except _BROKEN as error:
        raise ImportFileError("not_a_workbook") from error
    except BaseException as error:
        # Panics of the Rust library do not derive from Exception.
        if type(error).__name__ == "PanicException":
            raise ImportFileError("not_a_workbook") from error
        raise


def _rebuilt(data: bytes) -> io.BytesIO:
    """Return an archive of the XML parts. Sizes are measured while unpacking, not taken from the archive."""
    left, cells, output = MAX_UNPACKED, 4 * MAX_CELLS, io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as rebuilt:
        found = archive.infolist()
        if len(found) > MAX_PARTS:
            raise ImportFileError("too_large_unpacked", most=MAX_UNPACKED // 1024 // 1024)
        for info in found:
            name = info.filename.lower()
            if name.endswith((".xml", ".rels")) and name.lstrip("/") != "content.xml":
                part = _unpacked(archive, info, left)
                left -= len(part)
                # In UTF-16 every other byte of ASCII text is 0.
                plain = part.replace(b"\0", b"")
                if _DECLARED.search(plain):
                    raise ImportFileError("not_a_workbook")
                if b"sheetData" in plain:
                    cells -= _extent(plain, min(cells, MAX_CELLS))
                    # Keep errors such as #N/A as text; the library would return an empty cell.
                    part = _BARE.sub(_marked, _ERROR.sub(rb'\1"str"', part))
                rebuilt.writestr(zipfile.ZipInfo(info.filename), part)
    output.seek(0)
    return output


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    if info.compress_type not in METHODS:
        raise ImportFileError("not_a_workbook")
    part = bytearray()
    with archive.open(info) as source:
        while piece := source.read(AT_A_TIME):
            part += piece
            if len(part) > most:
                raise ImportFileError("too_large_unpacked", most=MAX_UNPACKED // 1024 // 1024)
    return bytes(part)


def _extent(sheet: bytes, most: int) -> int:
    """Return the number of cells in the rectangle used by a sheet. Raise ImportFileError above `most` or other limits."""
    row = column = rows = columns = widest = 0
    for number, tag in enumerate(_TAG.finditer(sheet)):
        if number > most:
            raise ImportFileError("too_many_columns", most=MAX_COLUMNS, line=row)
        place = _place(tag[2])
        if tag[1] == b"row":
            row, column = (place[0] if place else row + 1), 0
            continue
        column = place[1] if place else column + 1
        if tag[2].endswith(b"/"):
            continue
        rows = max(rows, place[0] if place else row)
        if column > columns:
            columns, widest = column, place[0] if place else row
    if rows > MAX_ROWS + MAX_BLANK:
        raise ImportFileError("too_many_rows", most=MAX_ROWS)
    if rows * columns > most:
        raise ImportFileError("too_many_columns", most=MAX_COLUMNS, line=widest)
    return rows * columns


def _place(inside: bytes) -> tuple[int, int] | None:
    """Return the row and column in a tag's `r` attribute, both from 1."""
    place = _PLACE.search(inside)
    if not place:
        return None
    if len(place[1]) > LETTERS or len(place[2]) > DIGITS:
        raise ImportFileError("not_a_workbook")
    return int(place[2]), column_number(place[1].decode())


def column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def _marked(found: re.Match[bytes]) -> bytes:
    prefix, place = found[1] or b"", _PLACE.search(found[2])
    at = b' r="%b%b"' % (place[1], place[2]) if place else b""
    return b'<%bc%b t="str"><%bv>%b=%b</%bv></%bc>' % (
        *(prefix, at, prefix, MARK.encode(), found[4] or b"", prefix, prefix),
    )


def _text(value: object) -> str:
    match value:
        case bool():
            return "1" if value else "0"
        case float():
            return str(int(value)) if value.is_integer() else f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
        case _:
            # Dates are in ISO 8601.
            return str(value)[:MAX_CELL_LENGTH].replace("_x000D_", "\r").replace("\0", "")
