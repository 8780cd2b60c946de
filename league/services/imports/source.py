"""A stored upload as rows of text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.utils import timezone

from league.core.imports.games import ImportNote
from league.core.imports.mending import Mending, mended
from league.core.imports.records import UNDATED
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.headers import MAX_SEATS, all_targets, columns_of, form_of, suggest_layout
from league.core.spreadsheets.logs import LOG, read_log
from league.core.spreadsheets.tables import FileRow, FileTable, ImportFileError, decode, is_workbook, read_table
from league.models import ImportBatch
from league.services.imports.values import IGNORED, FileReading
from league.services.imports.workbook import ALL_SHEETS, open_workbook
from league.services.stored_json import from_stored

ADDS_BUST = "adds_bust"
"""Key of `ImportBatch.options`: whether the file is read as if it had columns for busts."""

REMEMBERED = 20
"""Earlier imports searched for the same headers."""


@dataclass(frozen=True, slots=True)
class FileSource:
    """All rows of a file, how they were read, and the alternatives.

    `fitting`: encodings that fit; `is_suggested`: the user has not chosen the columns; `width`: number of columns in
    the original file, None if not known yet.
    """

    rows: tuple[FileRow, ...]
    reading: FileReading
    fitting: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    notes: tuple[ImportNote, ...] = ()
    is_suggested: bool = False
    width: int | None = None

    @property
    def is_workbook(self) -> bool:
        return bool(self.sheets)

    @property
    def header(self) -> tuple[FileRow, ...]:
        return self.rows[self.reading.header_row : self.reading.header_row + self.reading.header_rows]

    @property
    def body(self) -> tuple[FileRow, ...]:
        return self.rows[self.reading.header_row + self.reading.header_rows :]

    @property
    def headers(self) -> list[str]:
        """One header per column of the original file, "" if the column has none."""
        width = self.width
        if width is None:
            width = max((len(row.cells) for row in self.rows[:LOOKED_AT]), default=0)
        texts = [[row.cells[at] for row in self.header if at < len(row.cells)] for at in range(width)]
        return [" ".join(dict.fromkeys(text for text in parts if text)) for parts in texts]


LOOKED_AT = 200


def source_of(batch: ImportBatch, reading: FileReading | None = None) -> FileSource:
    """Return an upload's rows, with corrections applied.

    Read by `reading`, else by the stored reading, else as the file suggests. Raise ImportFileError.
    """
    stored = reading or (from_stored(FileReading, batch.reading) if batch.reading else FileReading())
    asked = stored.encoding, stored.delimiter, stored.sheet
    # A step needs the same rows several times, so they are cached on the batch.
    read: dict[tuple[str, ...], FileSource] = batch.__dict__.setdefault("_read", {})
    if asked not in read:
        read[asked] = _read(bytes(batch.data), stored)
    way = read[asked].reading
    reading_now = replace(stored, encoding=way.encoding, delimiter=way.delimiter, sheet=way.sheet)
    found = replace(read[asked], reading=reading_now)
    if not found.rows:
        raise ImportFileError("empty")
    chosen = reading is not None or bool(batch.reading)
    completed = _completed(found.rows, found.reading, is_chosen=chosen)
    source = replace(found, reading=completed, is_suggested=not (chosen and stored.columns))
    return _mended(batch, source if chosen else _remembered(batch, source))


def _mended(batch: ImportBatch, source: FileSource) -> FileSource:
    """Apply corrections to the rows below the header."""
    source = replace(source, width=len(source.headers))
    if batch.options.get(ADDS_BUST):
        source = _with_busts(source)
    if not batch.mended:
        return source
    mendings = batch.mendings.values_list("line", "column", "before", "after")
    above = source.rows[: len(source.rows) - len(source.body)]
    return replace(source, rows=(*above, *mended(source.body, [Mending(*each) for each in mendings])))


def _read(data: bytes, reading: FileReading) -> FileSource:
    return _workbook(data, reading) if is_workbook(data) else _text(data, reading)


def _workbook(data: bytes, reading: FileReading) -> FileSource:
    book = open_workbook(data)
    names, alike = book.names, book.alike()
    sheet = reading.sheet or (ALL_SHEETS if len(names) == len(alike) > 1 else alike[0])
    sheets = (ALL_SHEETS, *names) if len(names) > 1 else names
    return FileSource(book.rows(sheet), replace(reading, encoding="", delimiter="", sheet=sheet), sheets=sheets)


def _text(data: bytes, reading: FileReading) -> FileSource:
    decoded, notes = decode(data, reading.encoding), []
    log = read_log(decoded.text) if reading.delimiter in {"", LOG} else None
    if reading.delimiter == LOG and log is None:
        raise ImportFileError("no_log")
    table = FileTable(log.rows, LOG) if log else read_table(decoded.text, reading.delimiter)
    if table.quotes_ignored:
        notes.append(ImportNote("quotes_ignored"))
    if log and log.passed_over:
        notes.append(ImportNote("lines_passed_over", {"count": log.passed_over}))
    if len(decoded.fitting) > 1 and not decoded.text.isascii() and not reading.encoding:
        notes.append(ImportNote("encoding_unsure"))
    read = replace(reading, encoding=decoded.encoding, delimiter=table.delimiter, sheet="")
    return FileSource(table.rows, read, fitting=decoded.fitting, notes=tuple(notes))


def _completed(rows: Sequence[FileRow], reading: FileReading, *, is_chosen: bool) -> FileReading:
    """Return a reading with defaults filled in. Raise ImportFileError for invalid choices."""
    if not is_chosen:
        layout = suggest_layout(rows)
        return replace(
            reading,
            header_row=layout.header_row,
            header_rows=layout.header_rows,
            form=layout.form,
            columns=layout.columns,
        )
    if not (0 <= reading.header_row < len(rows) and 0 <= reading.header_rows <= 2):
        raise ImportFileError("unknown_header", row=reading.header_row + 1)
    if not reading.columns:
        columns = columns_of(rows[reading.header_row : reading.header_row + reading.header_rows])
        return replace(reading, columns=columns, form=form_of(columns))
    known = {IGNORED, *all_targets(RowShape.LONG), *all_targets(RowShape.WIDE)}
    if unknown := [column for column in reading.columns if column not in known]:
        raise ImportFileError("unknown_column", column=unknown[0])
    return replace(reading, form=form_of(reading.columns))


def _remembered(batch: ImportBatch, source: FileSource) -> FileSource:
    """Use the reading of the league's latest import with the same headers, if any."""
    earlier = batch.league.imports.exclude(pk=batch.pk).exclude(run_at=None).order_by("-run_at")
    for reading in earlier.values_list("reading", flat=True)[:REMEMBERED]:
        if reading.get("headers") == source.headers:
            old = from_stored(FileReading, reading)
            # A date for undated games is valid for one file only.
            undated = old.undated if old.undated in UNDATED else ""
            # Without the columns that were added to that file.
            columns = old.columns[: len(source.headers)]
            kept = replace(source.reading, columns=columns, form=old.form, date_order=old.date_order, undated=undated)
            return replace(source, reading=kept, is_suggested=False)
    return source


def bust_columns(reading: FileReading) -> tuple[str, ...]:
    """Return the targets of columns for busts; an empty tuple if the file has one."""
    form = RowShape(reading.form)
    wanted = tuple(f"bust{seat}" for seat in range(1, MAX_SEATS + 1)) if form is RowShape.WIDE else ("bust",)
    return () if set(wanted) & set(reading.columns) else wanted


def _with_busts(source: FileSource) -> FileSource:
    columns = source.reading.columns
    width = max(len(columns), *(len(row.cells) for row in source.rows))
    padded = (*columns, *(IGNORED for _ in range(width - len(columns))))
    return replace(source, reading=replace(source.reading, columns=padded + bust_columns(source.reading)))


def today_of(batch: ImportBatch) -> date:
    return batch.league.day_of(timezone.now())


def texts_under(source: FileSource, key: str) -> list[str]:
    """Return the distinct texts in columns with the target `key`, in file order."""
    places = [place for place, target in enumerate(source.reading.columns) if target == key]
    cells = (row.cells[place] for row in source.body for place in places if place < len(row.cells))
    return [text for text in dict.fromkeys(cells) if text]
