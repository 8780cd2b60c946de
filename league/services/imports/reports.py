"""The check of an upload as pages show it, kept with the upload until something is chosen otherwise."""

from collections import Counter
from collections.abc import Iterable, Iterator

from django.db import transaction
from django.utils import timezone

from league.core.imports.games import ImportNote
from league.core.spreadsheets.tables import ImportFileError
from league.models import ImportBatch, Job, League
from league.services.boards import Progress
from league.services.imports.checks import CheckResult, check
from league.services.imports.sessions import renumbered
from league.services.imports.values import LISTED_ERRORS, LISTED_OF_A_KIND, ImportReport, RowStatus
from league.services.job_requests import UNDER_WAY
from league.services.stored_json import as_stored, from_stored

LEAVE_OUT, TAKE_ASKED, BY_DATE = DECISIONS = ("leave_out_errors", "take_asked", "by_date")
"""What is decided about the findings of a check, as `ImportBatch.options` keeps it."""

OVER = (ImportBatch.State.DONE, ImportBatch.State.UNDONE)


def must_be_open(batch: ImportBatch) -> None:
    if batch.state in OVER:
        raise ImportFileError("already_run")
    if batch.state == ImportBatch.State.RUNNING and batch.job is not None and batch.job.state in UNDER_WAY:
        raise ImportFileError("running")


def locked_batch(batch: ImportBatch) -> ImportBatch | None:
    """Return the import as it is stored, without its file, and keep others from changing it until the transaction ends."""
    return ImportBatch.objects.select_for_update(of=("self",)).defer("data").filter(pk=batch.pk).first()


def held_batch(batch: ImportBatch) -> ImportBatch:
    """Return an upload that nobody else mends until the transaction ends. Raises ImportFileError if it is not open."""
    held = locked_batch(batch)
    if held is None:
        raise ImportFileError("not_ready")
    held.league, held.data = batch.league, batch.data
    must_be_open(held)
    return held


def choices_of(batch: ImportBatch) -> tuple[object, ...]:
    """Return everything that decides what a check finds; DECISIONS are made about its findings."""
    options = {name: each for name, each in batch.options.items() if name not in DECISIONS}
    return batch.reading, batch.names, batch.mended, options


def checked(batch: ImportBatch) -> ImportReport:
    """Return what running it would do, and keep that with the batch unless somebody chose otherwise meanwhile.

    A file that cannot be read at all is a report with problems. A batch that was run keeps what it did.
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
    """Return what the last check found, with errors left out or not as that is decided now."""
    return as_decided(from_stored(ImportReport, batch.report), batch) if batch.report is not None else None


def as_decided(found: ImportReport, batch: ImportBatch) -> ImportReport:
    return found.decided(
        leaves_out_errors=bool(batch.options.get(LEAVE_OUT)), takes_asked=bool(batch.options.get(TAKE_ASKED))
    )


def report_on(found: CheckResult) -> ImportReport:
    rows = [
        RowStatus(outcome.game.lines, outcome.status, outcome.label, tuple(outcome.notes)) for outcome in found.outcomes
    ]
    status = Counter(row.status for row in rows)
    sessions = found.new_sessions
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
        renumbered=tuple(_renumbered(found.places.league, found)) if sessions else (),
        rows=tuple(_listed(rows)),
        problems=found.contents.problems,
        notes=found.contents.notes,
    )


def _renumbered(league: League, found: CheckResult) -> Iterator[str]:
    for session, number in renumbered(league, found.new_sessions, league.day_of(timezone.now())):
        yield f"{session.date}: {session.number} → {number}"


def _listed(rows: Iterable[RowStatus]) -> Iterator[RowStatus]:
    """Yield the first rows of each kind: those with errors, those with something to say, the others."""
    counts: Counter[tuple[str, bool]] = Counter()
    for row in sorted(rows, key=lambda row: (row.status != "error", not row.notes)):
        kind = row.status, row.is_warned
        counts[kind] += 1
        if counts[kind] <= (LISTED_ERRORS if row.status == "error" else LISTED_OF_A_KIND):
            yield row
