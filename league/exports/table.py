"""Tables to export, available file formats, and CSV and TSV output."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from io import StringIO
from itertools import chain, islice
from typing import TypeAlias

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from league.core.spreadsheets.cells import escaped
from league.core.spreadsheets.columns import CellKind
from scoring.core import format_points

Cell: TypeAlias = str | int | Decimal | date | None
Row: TypeAlias = Sequence[Cell]

LANGUAGES = {"ja": ("ja",), "en": ("en",), "both": ("ja", "en")}
"""Languages of the header rows, by choice."""


@dataclass(frozen=True, slots=True)
class ExportColumn:
    titles: tuple[str, ...]
    kind: CellKind


@dataclass(frozen=True, slots=True)
class ExportTable:
    """Rows with headings.

    `rows`: returns a new iterator on each call. `day_column`: index of the date by which rows are split into months.
    """

    title: str
    headings: tuple[ExportColumn, ...]
    rows: Callable[[], Iterator[Row]]
    day_column: int | None = None

    @property
    def header_rows(self) -> list[tuple[str, ...]]:
        return list(zip(*(heading.titles for heading in self.headings), strict=True))


@lru_cache(maxsize=10_000)
def points_cell(points: int) -> Decimal:
    return Decimal(format_points(points))


def plain_text(cell: Cell) -> str:
    """Format a cell as text: plain numbers, ISO dates, text escaped against formulas."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return escaped(cell)
    return cell.isoformat() if isinstance(cell, date) else str(cell)


BYTE_ORDER_MARK = "\ufeff"
"""Makes Excel recognise the encoding."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A file format. Workbooks have neither encoding nor delimiter."""

    code: str
    label: str | Promise
    extension: str
    media_type: str
    encoding: str = ""
    delimiter: str = ""
    mark: str = ""

    @property
    def is_workbook(self) -> bool:
        return not self.encoding


_CSV, _TSV = "text/csv; charset={}", "text/tab-separated-values; charset={}"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

CSV = FileFormat("csv", _("CSV for Excel (UTF-8)"), "csv", _CSV.format("utf-8"), "utf-8", ",", BYTE_ORDER_MARK)
XLSX = FileFormat("xlsx", _("Excel workbook (XLSX)"), "xlsx", _XLSX)

FORMATS = {
    each.code: each
    for each in (
        CSV,
        XLSX,
        FileFormat("csv-plain", _("CSV without a byte order mark (UTF-8)"), "csv", _CSV.format("utf-8"), "utf-8", ","),
        FileFormat("csv-cp932", _("CSV for older programs (Shift_JIS)"), "csv", _CSV.format("windows-31j"), "cp932", ","),
        FileFormat("tsv", _("TSV (UTF-8)"), "tsv", _TSV.format("utf-8"), "utf-8", "\t", BYTE_ORDER_MARK),
        FileFormat(
            "tsv-utf16", _("Excel Unicode text (UTF-16)"), "txt", "text/plain; charset=utf-16", "utf-16-le", "\t",
            BYTE_ORDER_MARK,
        ),
    )
}  # fmt: skip


ROWS_AT_ONCE = 200

LISTED = 50
"""Maximum number of unencodable texts to list."""


def text_chunks(table: ExportTable, format_: FileFormat) -> Iterator[bytes]:
    """Yield the file in chunks. Raise UnicodeEncodeError for text the encoding lacks; see `unwritable`."""
    yield format_.mark.encode(format_.encoding)
    rows = chain(table.header_rows, ([plain_text(cell) for cell in row] for row in table.rows()))
    while some := list(islice(rows, ROWS_AT_ONCE)):
        written = StringIO(newline="")
        csv.writer(written, delimiter=format_.delimiter, lineterminator="\r\n").writerows(some)
        yield written.getvalue().encode(format_.encoding)


@dataclass(frozen=True, slots=True)
class UnwritableText:
    """A text that cannot be encoded, and the characters responsible."""

    text: str
    letters: str


def unwritable(table: ExportTable, format_: FileFormat) -> list[UnwritableText]:
    """Return the texts of a table that the encoding would not preserve, at most LISTED."""
    if format_.encoding != "cp932":
        return []
    found: dict[str, UnwritableText] = {}
    seen: set[str] = set()
    for text in _texts(table):
        if text in seen:
            continue
        seen.add(text)
        if letters := _lost(text, format_.encoding):
            found[text] = UnwritableText(text, letters)
            if len(found) == LISTED:
                break
    return list(found.values())


def _texts(table: ExportTable) -> Iterator[str]:
    yield from chain.from_iterable(table.header_rows)
    for row in table.rows():
        yield from (cell for cell in row if isinstance(cell, str))


def _lost(text: str, encoding: str) -> str:
    if _survives(text, encoding):
        return ""
    return "".join(letter for letter in dict.fromkeys(text) if not _survives(letter, encoding))


def _survives(text: str, encoding: str) -> bool:
    # Some codecs silently substitute look-alikes, so check that the text decodes to itself.
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeEncodeError:
        return False
