"""A workbook as the archive that it is: refused or made harmless before any library looks at it.

What is checked here is what is read later: the parts that hold text are packed anew, and nothing else of the upload
gets further. The library holds a sheet as one rectangle, so that two cells far apart could take all memory there is.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from xml.parsers.expat import ExpatError

from python_calamine import CalamineError

from league.services.imports.sheet_xml import check_extent, column_number
from league.services.imports.values import ImportFileError

MAX_UNPACKED = 60 * 1024 * 1024
MAX_PARTS = 2000

MAX_CELLS = 5_000_000
"""Of the rectangle that a sheet lies in, empty ones included: a row may claim sixteen thousand."""

MAX_CELLS_IN_ALL = 4 * MAX_CELLS

_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_IN_COLUMN = re.compile(rb"\sr\s*=\s*[\"']\s*([A-Za-z]+)[0-9]")
_IN_ROW = re.compile(rb"\sr\s*=\s*[\"']\s*[A-Za-z]*([0-9]+)")
_ROW = re.compile(rb"<(?:\w+:)?row(?=[\s/>])")
_CELL = re.compile(rb"<(?:\w+:)?c(?=[\s/>])")
_ERROR = re.compile(rb"(<(?:\w+:)?c\b[^<>]*?\st\s*=\s*)[\"']e[\"']")

_BROKEN = (
    *(CalamineError, zipfile.BadZipFile, zlib.error, ExpatError, LookupError, ValueError, TypeError),
    *(AttributeError, OSError, EOFError, OverflowError, RuntimeError, AssertionError),
)
"""What archives bring up that are no workbook, or a damaged one."""


@dataclass(frozen=True, slots=True)
class CheckedArchive:
    """The parts of a workbook that hold text, by name, and the archive that is made of these alone."""

    parts: Mapping[str, bytes]
    data: bytes

    @property
    def sheets(self) -> dict[str, bytes]:
        """The parts that are sheets."""
        return {name: part for name, part in self.parts.items() if name.startswith("xl/worksheets/")}


@contextmanager
def refusing() -> Iterator[None]:
    """Turn whatever a damaged file brings up into ImportFileError "not_a_workbook"."""
    try:
        yield
    except _BROKEN as error:
        raise ImportFileError("not_a_workbook") from error
    except BaseException as error:
        # The library is compiled; where it gives up, that is no Exception.
        if type(error).__name__ == "PanicException":
            raise ImportFileError("not_a_workbook") from error
        raise


def checked_archive(data: bytes) -> CheckedArchive:
    """Return what may be read of an upload.

    Raises ImportFileError "not_a_workbook", "too_large_unpacked", "too_many_rows", "too_many_columns".
    """
    with refusing(), zipfile.ZipFile(io.BytesIO(data)) as archive:
        found = archive.infolist()
        if len(found) > MAX_PARTS or sum(part.file_size for part in found) > MAX_UNPACKED:
            raise ImportFileError("too_large_unpacked", most=MAX_UNPACKED // 1024 // 1024)
        parts = {part.filename: _checked(archive.read(part)) for part in found}
        texts = {name: _readable(part) for name, part in parts.items() if _is_read(name)}
        _check_extents(texts)
        return CheckedArchive(texts, _packed(texts))


def _checked(part: bytes) -> bytes:
    # No spreadsheet declares entities; in UTF-16 every other byte of a declaration is 0.
    if _DECLARED.search(part.replace(b"\0", b"")):
        raise ImportFileError("not_a_workbook")
    return part


def _is_read(name: str) -> bool:
    """Whether a part belongs to an XLSX file, and not to another kind of workbook that the library would take too."""
    plain = name.lower()
    return plain.endswith((".xml", ".rels")) and plain.lstrip("/") != "content.xml"


def _readable(part: bytes) -> bytes:
    """Return a part in which errors such as #N/A are text: the library would leave the cell empty."""
    return _ERROR.sub(rb'\1"str"', part) if b"sheetData" in part else part


def _check_extents(parts: Mapping[str, bytes]) -> None:
    left = MAX_CELLS_IN_ALL
    for part in parts.values():
        plain = part.replace(b"\0", b"")
        if b"sheetData" in plain:
            cells = _rectangle(plain)
            if cells is None or cells > min(left, MAX_CELLS):
                cells = check_extent(part, min(left, MAX_CELLS))
            left -= cells


def _rectangle(sheet: bytes) -> int | None:
    """Return how many cells the rectangle has that all cells lie in; None where not all say where they are."""
    columns = _IN_COLUMN.findall(sheet)
    rows = _IN_ROW.findall(sheet)
    if len(columns) < len(_CELL.findall(sheet)) or len(rows) - len(columns) < len(_ROW.findall(sheet)):
        return None
    farthest = max((column_number(letters.decode()) for letters in set(columns)), default=0)
    return max(map(int, rows), default=0) * farthest


def _packed(parts: Mapping[str, bytes]) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name), part)
    return output.getvalue()
