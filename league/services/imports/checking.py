"""The check of an upload: made anew while that is quick, else by a job, and kept with the upload."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils import timezone

from league.models import ImportBatch, Job
from league.services.boards import Progress, StoppedError
from league.services.imports.checks import check
from league.services.imports.reports import report_on
from league.services.imports.running import LEAVE_OUT, OVER, progress_on, take_choices
from league.services.imports.values import ImportFileError, Note, Report

CHECKED_AT_ONCE = 150_000
"""A longer upload, in bytes, is checked by a job: some 1,500 hanchan."""

Heard = Callable[[Progress], None]


def checked(batch: ImportBatch, heard: Heard | None = None) -> Report:
    """Return what running it would do, and keep that with the batch unless somebody chose otherwise meanwhile.

    `heard` hears of the games done. A file that cannot be read at all is a report with problems. A batch that was run
    keeps what it did.
    """
    if batch.state in OVER and batch.report is not None:
        return Report.read(batch.report)
    begun = timezone.now()
    try:
        found = report_on(
            check(batch, heard and (lambda done, games: heard(progress_on(batch, done, games)))),
            leaves_out_errors=bool(batch.options.get(LEAVE_OUT)),
        )
    except ImportFileError as error:
        found = Report(problems=(Note(error.code, error.values),))
    with transaction.atomic():
        locked = ImportBatch.objects.select_for_update(of=("self",)).filter(pk=batch.pk).exclude(state__in=OVER).first()
        if locked is not None and not take_choices(batch, locked):
            batch.report, batch.checked_at = found.plain(), begun
            batch.save(update_fields=["report", "checked_at"])
    return found


def is_long(batch: ImportBatch) -> bool:
    """Return whether checking it takes longer than a page may."""
    return len(batch.data) > CHECKED_AT_ONCE


def is_outdated(batch: ImportBatch) -> bool:
    """Return whether what a job found is shown although the league has changed since. One query."""
    begun = batch.checked_at
    return begun is not None and is_long(batch) and batch.league.revisions.filter(at__gte=begun).exists()


def check_job(job: Job, heard: Heard) -> dict[str, Any]:
    """Check the upload that a job was started for. Raises StoppedError if it was thrown away."""
    batch = ImportBatch.objects.select_related("league__current_version").filter(pk=job.parameters["batch"]).first()
    if batch is None:
        raise StoppedError
    report = checked(batch, heard)
    return {"batch": batch.pk, "games": report.games, "errors": report.errors}
