"""A workbook as the archive that it is: refused or made harmless before any library looks at it.

What is checked here is what is read later: the parts that hold text are packed anew, and nothing else of the upload
gets further. What a part unpacks to is counted while it does: the directory of an archive can say anything. The library
holds a sheet as one rectangle, so that two cells far apart could take all memory there is.
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

from league.services.imports.refusals import ImportFileError
from league.services.imports.sheet_xml import check_extent, column_number

MAX_UNPACKED = 60 * 1024 * 1024
MAX_PARTS = 2000
AT_A_TIME = 64 * 1024
"""So much of a part is unpacked before it is counted."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How workbooks are packed; other ways unpack too much at a time."""

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
        if len(found) > MAX_PARTS:
            raise _too_large()
        parts = _unpacked(archive, [part for part in found if _is_read(part.filename)])
        texts = {name: _readable(_checked(part)) for name, part in parts.items()}
        _check_extents(texts)
        return CheckedArchive(texts, _packed(texts))


def _unpacked(archive: zipfile.ZipFile, wanted: list[zipfile.ZipInfo]) -> dict[str, bytes]:
    """Return the parts by name. Raises ImportFileError as soon as they are more than may be."""
    left, parts = MAX_UNPACKED, {}
    for part in wanted:
        if part.compress_type not in METHODS:
            raise ImportFileError("not_a_workbook")
        pieces = []
        # One that is larger than it says ends there, and its checksum tells.
        with archive.open(part) as source:
            while piece := source.read(AT_A_TIME):
                left -= len(piece)
                if left < 0:
                    raise _too_large()
                pieces.append(piece)
        parts[part.filename] = b"".join(pieces)
    return parts


def _too_large() -> ImportFileError:
    return ImportFileError("too_large_unpacked", most=MAX_UNPACKED // 1024 // 1024)


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
