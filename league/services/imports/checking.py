"""The check of an upload: made anew while that is quick, else by a job, and kept with the upload."""

from typing import Any

from django.db import transaction

from league.models import ImportBatch, Job
from league.services.boards import OnProgress, StoppedError
from league.services.imports.checks import begin_check
from league.services.imports.reports import report_on
from league.services.imports.running import OVER, as_decided, choices_of, last_revision, locked_batch, progress_on
from league.services.imports.values import ImportFileError, ImportNote, ImportReport
from league.services.stored_json import as_stored, from_stored

CHECKED_AT_ONCE = 150_000
"""A longer upload, in bytes, is checked by a job: some 1,500 hanchan."""


def checked(batch: ImportBatch, on_progress: OnProgress | None = None) -> ImportReport:
    """Return what running it would do, and keep that with the batch unless somebody chose otherwise meanwhile.

    `on_progress` is called with the games done. A file that cannot be read at all is a report with problems. A batch
    that was run keeps what it did.
    """
    if batch.state in OVER and (kept := report_of(batch)) is not None:
        return kept
    seen = last_revision(batch.league)
    try:
        found = report_on(
            *begin_check(batch, on_progress and (lambda done, games: on_progress(progress_on(batch, done, games))))
        )
    except ImportFileError as error:
        found = ImportReport(problems=(ImportNote(error.code, error.values),))
    with transaction.atomic():
        locked = locked_batch(batch)
        if locked is not None and locked.state not in OVER and choices_of(batch) == choices_of(locked):
            batch.report, batch.checked_revision = as_stored(found), seen
            batch.save(update_fields=["report", "checked_revision"])
    return as_decided(found, batch)


def report_of(batch: ImportBatch) -> ImportReport | None:
    """Return what the last check found, with errors left out or not as that is decided now."""
    return as_decided(from_stored(ImportReport, batch.report), batch) if batch.report is not None else None


def is_long(batch: ImportBatch) -> bool:
    """Return whether checking it takes longer than a page may."""
    return len(batch.data) > CHECKED_AT_ONCE


def is_outdated(batch: ImportBatch) -> bool:
    """Return whether what a job found is shown although the league has changed since. One query."""
    if not is_long(batch) or batch.report is None:
        return False
    return batch.checked_revision != last_revision(batch.league)


def check_job(job: Job, on_progress: OnProgress) -> dict[str, Any]:
    """Check the upload that a job was started for. Raises StoppedError if it was thrown away."""
    batch = ImportBatch.objects.select_related("league__current_version").filter(pk=job.parameters["batch"]).first()
    if batch is None:
        raise StoppedError
    report = checked(batch, on_progress)
    return {"batch": batch.pk, "games": report.games, "errors": report.errors}
