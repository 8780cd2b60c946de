"""The check of an upload as shown on pages."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from league.core.imports.games import ImportNote
from league.core.spreadsheets.tables import ImportFileError
from league.models import ImportBatch, Job
from league.services.boards import Progress
from league.services.imports.checks import CheckResult, check
from league.services.imports.sessions import renumbered
from league.services.imports.values import LISTED_OF_A_KIND, ImportReport, RowStatus
from league.services.imports.wanted import CheckedGame
from league.services.job_requests import UNDER_WAY
from league.services.stored_json import as_stored, from_stored
from scoring.core import format_points

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


def choices_of(batch: ImportBatch) -> tuple[object, ...]:
    """Return all choices that affect a check; DECISIONS are left out, as they are about its findings."""
    options = {name: each for name, each in batch.options.items() if name not in DECISIONS}
    return batch.reading, batch.names, options


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
    rows = [_row(outcome) for outcome in found.outcomes]
    status = Counter(row.status for row in rows)
    sessions, league = found.new_sessions, found.places.league
    moved = renumbered(league, sessions, league.day_of(timezone.now())) if sessions else []
    wrong = [RowStatus((each.total.line,), "error", each.total.written.name, each.notes) for each in found.totals]
    wrong = [row for row in wrong if row.notes]
    totals = [each.total for each in found.totals if each.status == "added"]
    return ImportReport(
        games=len(rows),
        added=status["added"],
        changed=status["changed"],
        same=status["same"] + sum(each.status == "same" for each in found.totals),
        errors=status["error"] + len(wrong),
        warnings=sum(row.is_warned for row in rows),
        asked=sum(row.is_asked for row in rows),
        unbalanced=sum(row.is_unbalanced for row in rows),
        as_is=sum(row.is_as_it_is for row in rows),
        busts=sum(bool(row.busted) for row in rows),
        open_busts=sum(bool(row.busted) and row.is_wrong for row in rows),
        is_asking=found.contents.questions.is_open(found.contents.reading),
        people=tuple(found.new_names),
        names=len(found.contents.people),
        totals=tuple((each.written.name, format_points(each.points), each.hanchan) for each in totals),
        sessions=tuple(place.label for place in sessions),
        renumbered=tuple(f"{session.date}: {session.number} → {number}" for session, number in moved),
        rows=tuple(_listed([*wrong, *rows])),
        problems=found.contents.problems,
        notes=found.contents.notes,
    )


def _row(outcome: CheckedGame) -> RowStatus:
    raw = outcome.finished.raw if outcome.finished else ()
    seats = tuple(
        (
            name,
            f"{raw[seat]:,}" if raw else "",
            format_points(outcome.points[seat]) if outcome.points else "",
        )
        for seat, name in enumerate(outcome.game.names)
    )
    facts = outcome.game.lines, outcome.status, outcome.label, tuple(outcome.notes)
    return RowStatus(*facts, number=outcome.number, seats=seats, busted=outcome.busted)


def _listed(rows: Iterable[RowStatus]) -> Iterator[RowStatus]:
    """Yield the first rows of each kind: errors first, then rows with notes, then the others."""
    counts: Counter[tuple[str, bool, bool]] = Counter()
    for row in sorted(rows, key=lambda row: (row.status != "error", not row.notes)):
        kind = row.status, row.is_warned, bool(row.busted)
        counts[kind] += 1
        if counts[kind] <= LISTED_OF_A_KIND:
            yield row
