"""The check of an upload as shown on pages, and the export of its rows with errors."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import xlsxwriter
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.imports.games import ImportNote
from league.core.spreadsheets.cells import escaped
from league.core.spreadsheets.logs import LOG
from league.core.spreadsheets.numbers import NumberError, parse_number
from league.core.spreadsheets.tables import FileRow, ImportFileError
from league.messages.imports import column_label, sentence
from league.models import ImportBatch, Job
from league.services.boards import Progress
from league.services.imports.checks import CheckResult, check
from league.services.imports.sessions import renumbered
from league.services.imports.source import FileSource
from league.services.imports.values import LISTED_ERRORS, LISTED_OF_A_KIND, ImportReport, RowStatus
from league.services.job_requests import UNDER_WAY
from league.services.stored_json import as_stored, from_stored

LEAVE_OUT, TAKE_ASKED, BY_DATE = DECISIONS = ("leave_out_errors", "take_asked", "by_date")
"""Decisions about a check's findings, as stored in `ImportBatch.options`."""

OVER = (ImportBatch.State.DONE, ImportBatch.State.UNDONE)


def must_be_open(batch: ImportBatch) -> None:
    if batch.state in OVER:
        raise ImportFileError("already_run")
    if batch.state == ImportBatch.State.RUNNING and batch.job is not None and batch.job.state in UNDER_WAY:
        raise ImportFileError("running")


def locked_batch(batch: ImportBatch) -> ImportBatch | None:
    """Lock the batch until the transaction ends and return it as stored, without its file."""
    return ImportBatch.objects.select_for_update(of=("self",)).defer("data").filter(pk=batch.pk).first()


def held_batch(batch: ImportBatch) -> ImportBatch:
    """Lock a batch until the transaction ends. Raise ImportFileError if it has been run, is running or is gone."""
    held = locked_batch(batch)
    if held is None:
        raise ImportFileError("not_ready")
    held.league, held.data = batch.league, batch.data
    must_be_open(held)
    return held


def choices_of(batch: ImportBatch) -> tuple[object, ...]:
    """Return all choices that affect a check; DECISIONS are left out, as they are about its findings."""
    options = {name: each for name, each in batch.options.items() if name not in DECISIONS}
    return batch.reading, batch.names, batch.mended, options


def checked(batch: ImportBatch) -> ImportReport:
    """Check the upload and store the report, unless the choices have changed meanwhile.

    An unreadable file gives a report with problems. A batch that was run keeps its report.
    """
    if batch.state in OVER and (kept := report_of(batch)) is not None:
        return kept
    try:
        found = report_on(check(batch))
    except ImportFileError as error:
        found = ImportReport(problems=(ImportNote(error.code, error.values),))
    with transaction.atomic():
        locked = locked_batch(batch)
        if locked is not None and locked.state not in OVER and choices_of(batch) == choices_of(locked):
            batch.report = as_stored(found)
            batch.save(update_fields=["report"])
    return as_decided(found, batch)


def progress(done: int, total: int, item: str) -> Progress:
    return Progress(done, total, item[: Job._meta.get_field("last_item").max_length])


def report_of(batch: ImportBatch) -> ImportReport | None:
    """Return the last check with the current decisions about errors; None if there is none."""
    return as_decided(from_stored(ImportReport, batch.report), batch) if batch.report is not None else None


def as_decided(found: ImportReport, batch: ImportBatch) -> ImportReport:
    leaves_out, takes_asked = bool(batch.options.get(LEAVE_OUT)), bool(batch.options.get(TAKE_ASKED))
    wrong = "left_out" if leaves_out else "error"
    rows = tuple(replace(row, status=wrong) if row.is_wrong else row for row in found.rows)
    return replace(found, leaves_out_errors=leaves_out, takes_asked=takes_asked, rows=rows)


def report_on(found: CheckResult) -> ImportReport:
    rows = [
        RowStatus(outcome.game.lines, outcome.status, outcome.label, tuple(outcome.notes)) for outcome in found.outcomes
    ]
    status = Counter(row.status for row in rows)
    sessions, league = found.new_sessions, found.places.league
    moved = renumbered(league, sessions, league.day_of(timezone.now())) if sessions else []
    return ImportReport(
        games=len(rows),
        added=status["added"],
        changed=status["changed"],
        same=status["same"],
        errors=status["error"],
        warnings=sum(row.is_warned for row in rows),
        asked=sum(row.is_asked for row in rows),
        unbalanced=sum(row.is_unbalanced for row in rows),
        as_is=sum(row.is_as_it_is for row in rows),
        people=tuple(found.new_names),
        sessions=tuple(place.label for place in sessions),
        renumbered=tuple(f"{session.date}: {session.number} → {number}" for session, number in moved),
        rows=tuple(_listed(rows)),
        problems=found.contents.problems,
        notes=found.contents.notes,
    )


def _listed(rows: Iterable[RowStatus]) -> Iterator[RowStatus]:
    """Yield the first rows of each kind: errors first, then rows with notes, then the others."""
    counts: Counter[tuple[str, bool]] = Counter()
    for row in sorted(rows, key=lambda row: (row.status != "error", not row.notes)):
        kind = row.status, row.is_warned
        counts[kind] += 1
        if counts[kind] <= (LISTED_ERRORS if row.status == "error" else LISTED_OF_A_KIND):
            yield row


_MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


def error_file(batch: ImportBatch) -> tuple[str, bytes]:
    """Return file name and content of the rows with errors, with a column of reasons. Raise ImportFileError."""
    found, name = check(batch), batch.file_name
    source = found.contents.source
    reasons = {
        line: " ".join(sentence(note.code, note.values) for note in outcome.notes)
        for outcome in found.with_status("error")
        for line in outcome.game.lines
    }
    rows = list(_rows(source, reasons))
    stem, _dot, ending = name.rpartition(".")
    stem = stem or name or "import"
    if source.is_workbook:
        return f"{stem}-errors.xlsx", _workbook(rows)
    # A chat log was converted to a table, and is exported as one.
    text = _text(rows, "," if source.reading.delimiter == LOG else source.reading.delimiter)
    ending = ending.lower() if ending.lower() in {"csv", "tsv", "txt"} else "csv"
    return f"{stem}-errors.{ending}", _encoded(text, source.reading.encoding)


def _rows(source: FileSource, reasons: dict[int, str]) -> Iterable[list[str]]:
    own = len(source.headers)
    # Columns that the file does not have come last, with the name of their target.
    added = [column_label(target) if target else "" for target in source.reading.columns[own:]]
    width = own + len(added)
    for at, row in enumerate(source.header):
        # With two header rows, the upper one, as its cells span several columns.
        beside = added if at == 0 else [""] * len(added)
        yield [*_padded(row, own), *beside, _("reason") if row is source.header[-1] else ""]
    for row in source.body:
        if row.line in reasons:
            yield [*_padded(row, width), reasons[row.line]]


def _padded(row: FileRow, width: int) -> list[str]:
    cells = row.cells[:width]
    return [_safe(cell) for cell in cells] + [""] * (width - len(cells))


def _safe(cell: str) -> str:
    """Escape a cell that spreadsheets would treat as a formula; numbers are unchanged."""
    try:
        parse_number(cell)
    except NumberError:
        return escaped(cell)
    return cell


def _text(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    output = io.StringIO(newline="")
    csv.writer(output, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return output.getvalue()


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return _MARKS.get(encoding, b"") + text.encode(encoding)
    except UnicodeEncodeError:
        return codecs.BOM_UTF8 + text.encode()


def _workbook(rows: Iterable[Sequence[str]]) -> bytes:
    output = io.BytesIO()
    with xlsxwriter.Workbook(output) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(rows):
            for column, text in enumerate(row):
                sheet.write_string(at, column, "".join(char for char in text if char >= " " or char in "\t\n\r"))
    return output.getvalue()
