"""Rows out of XLSX files, with the values that the spreadsheet last worked out."""

import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time

from openpyxl import Workbook, load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from league.core.spreadsheets.headers import suggest_layout
from league.core.spreadsheets.tables import MAX_COLUMNS, FileRow, TableError, kept
from league.services.imports.values import ImportFileError

ALL_SHEETS = "*"
"""Reads all sheets that have the header of the first one, as files with a sheet per month have."""

MAX_UNPACKED = 60 * 1024 * 1024
MAX_PARTS = 2000
MAX_SHEETS = 100

DECIMALS = 9
"""Beyond that, a number in a sheet differs from what people typed by the machine's rounding only."""

MAX_CELLS = 5_000_000
"""Empty ones included: a row may claim sixteen thousand."""

MAX_CELL_LENGTH = 32_767
"""What a spreadsheet itself can hold."""

_NO_VALUE = rb"\s*+(?:<v\s*+/>|<v></v>)?+\s*+</c>"
_FORMULA_ALONE = re.compile(rb"</f>" + _NO_VALUE + rb"|<f(?:[^<>/]|/(?!>))*+/>" + _NO_VALUE)
_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)

_BROKEN = (
    *(
        zipfile.BadZipFile,
        zlib.error,
        InvalidFileException,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
    ),
    *(OSError, EOFError, SyntaxError, RuntimeError, AssertionError),
)
"""What openpyxl and its neighbours raise for archives that are no workbook, or a damaged one."""


def sheet_names(data: bytes) -> tuple[str, ...]:
    """Return the names of the sheets. Raises ImportFileError "not_a_workbook", "too_large_unpacked"."""
    with _opened(data) as book:
        return tuple(sheet.title for sheet in book.worksheets)[:MAX_SHEETS]


def read_sheet(data: bytes, name: str) -> tuple[FileRow, ...]:
    """Return the rows of a sheet as text, dates as ISO 8601; of ALL_SHEETS one below the other.

    Raises ImportFileError, "formulas" where a formula has no value because no spreadsheet ever worked it out.
    """
    with _opened(data) as book:
        chosen = _sheets(book, name)
        try:
            rows = kept(_texts(book, chosen))
        except TableError as error:
            raise ImportFileError(error.code, **error.values) from error
    if _has_bare_formulas(data):
        _refuse_formulas(data, chosen)
    return rows


def alike_sheets(data: bytes) -> tuple[str, ...]:
    """Return the sheets whose header is that of the first sheet with one; that sheet alone if there is no other."""
    with _opened(data) as book:
        headers = {name: _header(book, name) for name in _sheets(book, "")}
    first = next((header for header in headers.values() if header), None)
    found = tuple(name for name, header in headers.items() if header and header == first)
    return found or tuple(headers)[:1]


def _header(book: Workbook, name: str) -> tuple[str, ...]:
    first = [row for row, _ in zip(_texts(book, [name]), range(12), strict=False)]
    rows = kept(first)
    layout = suggest_layout(rows)
    return rows[layout.header_row].cells if any(layout.columns) else ()


def _sheets(book: Workbook, name: str) -> list[str]:
    names = [sheet.title for sheet in book.worksheets][:MAX_SHEETS]
    if not name or name == ALL_SHEETS:
        return names
    if name not in names:
        raise ImportFileError("unknown_sheet", sheet=name)
    return [name]


def _texts(book: Workbook, names: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    line = cells = 0
    for name in names:
        sheet = book[name]
        sheet.reset_dimensions()
        for values in sheet.iter_rows(values_only=True):
            line += 1
            cells += len(values)
            if cells > MAX_CELLS:
                raise TableError("too_many_columns", most=MAX_COLUMNS, line=line)
            yield line, [_text(value) for value in values]


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "1" if value else "0"
        case float():
            return f"{value:.{DECIMALS}f}".rstrip("0").rstrip(".")
        case datetime():
            return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
        case date():
            return value.isoformat()
    return str(value)[:MAX_CELL_LENGTH].replace("_x000D_", "\r").replace("\0", "")


@contextmanager
def _opened(data: bytes, *, formulas: bool = False) -> Iterator[Workbook]:
    _check_archive(data)
    try:
        with warnings.catch_warnings():
            # Styles and validations that openpyxl does not know are no concern of an import.
            warnings.simplefilter("ignore")
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=not formulas, keep_links=False)
            try:
                yield book
            finally:
                book.close()
    except ImportFileError:
        raise
    except _BROKEN as error:
        raise ImportFileError("not_a_workbook") from error


def _check_archive(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
                raise ImportFileError("too_large_unpacked", most=MAX_UNPACKED // 1024 // 1024)
            for part in parts:
                # No spreadsheet declares entities; in UTF-16 every other byte of a declaration is 0.
                if _DECLARED.search(archive.read(part).replace(b"\0", b"")):
                    raise ImportFileError("not_a_workbook")
    except _BROKEN as error:
        raise ImportFileError("not_a_workbook") from error


def _has_bare_formulas(data: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheets = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        return any(_FORMULA_ALONE.search(archive.read(name)) for name in sheets)


def _refuse_formulas(data: bytes, names: Sequence[str]) -> None:
    """Raise ImportFileError where a sheet that is read has a formula whose value is missing."""
    with _opened(data) as values, _opened(data, formulas=True) as formulas:
        pairs = zip(_texts(values, names), _texts(formulas, names), strict=False)
        for (line, shown), (_, written) in pairs:
            for value, formula in zip(shown, written, strict=False):
                if not value and formula.startswith("="):
                    raise ImportFileError("formulas", line=line, formula=formula[:60])
