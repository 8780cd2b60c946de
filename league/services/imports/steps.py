"""An import from upload to undo. Nothing is stored in the league before the run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import PurePath

from django.db.models import QuerySet

from league.core.imports.games import ImportNote
from league.core.spreadsheets.tables import ImportFileError, is_workbook
from league.models import ImportBatch, Job, League
from league.services.boards import unwatched
from league.services.history import Actor
from league.services.imports import undoing
from league.services.imports.checks import check, report_on
from league.services.imports.contents import FileContents, contents_of, read_rows
from league.services.imports.people import NameMatch, people_of
from league.services.imports.running import run_import
from league.services.imports.values import MADE, SAME, FileReading, ImportReport, ImportUndoReport
from league.services.job_requests import start_job
from league.services.stored_json import as_stored, from_stored

MAX_MEGABYTES = 8
MAX_BYTES = MAX_MEGABYTES * 1024 * 1024
"""Upload limit."""

WORKBOOK_ENDINGS = (".xlsx", ".xlsm")

AT_ONCE = 200
"""An import of more games runs as a job."""

UNDONE_AT_ONCE = 2000
"""Undoing more hanchan is a job."""

MAX_FILE_NAME_LENGTH = 200


def create_batch(*, league: League, file_name: str, data: bytes, by: Actor) -> ImportBatch:
    """Store an upload (pasted text as UTF-8). Raise ImportFileError if it contains no table."""
    if len(data) > MAX_BYTES:
        raise ImportFileError("too_large", most=MAX_MEGABYTES)
    name = PurePath(file_name.replace("\\", "/")).name.replace("\0", "")[-MAX_FILE_NAME_LENGTH:]
    if name.lower().endswith(WORKBOOK_ENDINGS) and not is_workbook(data):
        raise ImportFileError("not_a_workbook")
    batch = ImportBatch(league=league, file_name=name, data=data, created_by=by.user)
    read_rows(batch)
    batch.save()
    return batch


def import_again(batch: ImportBatch, by: Actor) -> ImportBatch:
    """Return a new upload of an import's file, to be read as before. The answers about names are proposed."""
    again = create_batch(league=batch.league, file_name=batch.file_name, data=bytes(batch.data), by=by)
    again.reading = batch.reading
    again.save(update_fields=["reading"])
    return again


def change_reading(batch: ImportBatch, reading: FileReading) -> FileContents:
    """Store another reading of the file and return its contents. Without columns they are suggested again.

    Answers about single games are dropped if these may now be others. For an invalid reading, raise ImportFileError and
    keep the old one.
    """
    must_be_open(batch)
    if _rows_of(contents_of(batch, reading).reading) != _rows_of(contents_of(batch).reading):
        reading = replace(reading, payers=())
    preview = contents_of(batch, reading)
    batch.reading, batch.report = as_stored(preview.reading), None
    batch.save(update_fields=["reading", "report"])
    return preview


def _rows_of(reading: FileReading) -> tuple[object, ...]:
    return reading.sheet, reading.encoding, reading.layout, reading.header_row, reading.columns


def must_be_open(batch: ImportBatch) -> None:
    if batch.is_over:
        raise ImportFileError("already_run")
    if batch.is_running:
        raise ImportFileError("running")


def checked(batch: ImportBatch) -> ImportReport:
    """Check the upload and store the report, unless the choices have changed meanwhile.

    An unreadable file gives a report with problems. A batch that was run keeps its report.
    """
    if batch.is_over and (kept := report_of(batch)) is not None:
        return kept
    try:
        found = report_on(check(batch))
    except ImportFileError as error:
        found = ImportReport(problems=(ImportNote(error.code, error.values),))
    unchanged = ImportBatch.objects.filter(pk=batch.pk, state=batch.state, reading=batch.reading, names=batch.names)
    report = as_stored(found)
    if unchanged.update(report=report):
        batch.report = report
    return found


def seen(batch: ImportBatch) -> str:
    """Return a digest of what determines a run: the choices and the last check."""
    decided = json.dumps([batch.reading, batch.names, batch.report], sort_keys=True, default=str)
    return hashlib.sha256(decided.encode()).hexdigest()


def report_of(batch: ImportBatch) -> ImportReport | None:
    """Return the last check; None if there is none."""
    return from_stored(ImportReport, batch.report) if batch.report is not None else None


def match_names(batch: ImportBatch) -> list[NameMatch]:
    """Return the names of the file, first those that are asked about, then other new ones."""
    contents = contents_of(batch)
    names = people_of(batch, contents.people, contents.reading.unknown, contents.games).names
    return sorted(names.values(), key=lambda match: (not match.is_asked, match.found.how != "ask"))


def decide_names(batch: ImportBatch, choices: Mapping[str, str]) -> None:
    """Assign names: `choices` maps NameMatch.key to a primary key as text, NEW, GUEST, SAME, or "" for automatic.

    Names not in `choices` keep theirs. Raise ImportFileError "not_in_league".
    """
    must_be_open(batch)
    known = {str(pk) for pk in batch.league.players.filter(merged_into=None).values_list("pk", flat=True)}
    if any(choice and choice not in {*MADE, SAME} and choice not in known for choice in choices.values()):
        raise ImportFileError("not_in_league")
    batch.names = {key: choice for key, choice in {**batch.names, **choices}.items() if choice}
    batch.report = None
    batch.save(update_fields=["names", "report"])


def start_import(batch: ImportBatch, by: Actor) -> Job | None:
    """Run the import now, or start a job and return it. Idempotent.

    Raise ImportFileError "not_ready" (see `checked`) or JobRunningError.
    """
    batch.refresh_from_db()
    if batch.is_over or batch.is_running:
        return batch.job if batch.is_running else None
    # The run checks again; the earlier report only tells how large the import is and whether it can be run.
    found = report_of(batch) or checked(batch)
    if not found.is_ready:
        raise ImportFileError("nothing_left" if found.is_decided else "not_ready")
    if found.added <= AT_ONCE:
        run_import(batch.pk, by, unwatched)
        batch.refresh_from_db()
        return None
    batch.job = start_job(league=batch.league, kind=Job.Kind.IMPORT, by=by, parameters={"batch": batch.pk})
    # The job may have finished already: do not overwrite a final state.
    open_states = (ImportBatch.State.DRAFT, ImportBatch.State.FAILED)
    ImportBatch.objects.filter(pk=batch.pk).update(job=batch.job)
    ImportBatch.objects.filter(pk=batch.pk, state__in=open_states).update(state=ImportBatch.State.RUNNING)
    batch.refresh_from_db()
    return batch.job


def undo_import(batch: ImportBatch, *, by: Actor) -> ImportUndoReport:
    undone = undoing.undo(batch.pk, by, unwatched)
    batch.refresh_from_db()
    return undone


def start_undo(batch: ImportBatch, *, by: Actor) -> Job | None:
    """Undo the import now, or start a job for a large one and return it. Raise the errors of `undo_import`."""
    made = batch.made or {}
    if len(made.get("hanchan", ())) <= UNDONE_AT_ONCE:
        undo_import(batch, by=by)
        return None
    undoing.must_be_undoable(batch)
    return start_job(league=batch.league, kind=Job.Kind.IMPORT, by=by, parameters={"batch": batch.pk, "undo": True})


KEPT = timedelta(days=30)
"""Unused uploads are deleted after this time, because they contain names."""


def discard_draft(batch: ImportBatch) -> bool:
    """Delete an upload that was never run; return whether it was deleted."""
    deleted, _ = _unrun().filter(pk=batch.pk).delete()
    return bool(deleted)


def discard_old_drafts(now: datetime) -> int:
    deleted, _ = _unrun().filter(created_at__lt=now - KEPT).delete()
    return deleted


def _unrun() -> QuerySet[ImportBatch]:
    found = ImportBatch.objects.filter(state__in=(ImportBatch.State.DRAFT, ImportBatch.State.FAILED), run_at=None)
    return found.exclude(job__state__in=(Job.State.WAITING, Job.State.RUNNING))
