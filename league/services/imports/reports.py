"""The check of an upload as shown on pages."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal

from django.utils import timezone

from league.core.imports.games import ImportNote
from league.core.spreadsheets.tables import ImportFileError
from league.models import ImportBatch, Job
from league.services.boards import Progress
from league.services.imports.checks import CheckedGame, CheckResult, check
from league.services.imports.sessions import renumbered
from league.services.imports.values import LISTED_OF_A_KIND, ImportReport, RowStatus
from league.services.stored_json import as_stored, from_stored

ABOUT_FILE = frozenset({"date_ambiguous", "date_missing", "number_unreadable"})
"""Errors that the answer to a question about the file removes."""

NAMED = 8
"""People to name in a note."""


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


def progress(done: int, total: int, item: str) -> Progress:
    return Progress(done, total, item[: Job._meta.get_field("last_item").max_length])


def seen(batch: ImportBatch) -> str:
    """Return a digest of what determines a run: the choices and the last check."""
    decided = json.dumps([batch.reading, batch.names, batch.report], sort_keys=True, default=str)
    return hashlib.sha256(decided.encode()).hexdigest()


def report_of(batch: ImportBatch) -> ImportReport | None:
    """Return the last check; None if there is none."""
    return from_stored(ImportReport, batch.report) if batch.report is not None else None


def report_on(found: CheckResult) -> ImportReport:
    rows = [_row(outcome) for outcome in found.outcomes]
    status, contents, reading = Counter(row.status for row in rows), found.contents, found.contents.reading
    answers = ABOUT_FILE if contents.is_asking else frozenset()
    wrong = [RowStatus(str(each.total.line), "error", each.total.written.name, each.notes) for each in found.totals]
    wrong = [row for row in wrong if row.notes]
    waits = [row.status == "error" and row.errors <= answers for row in (*rows, *wrong)]
    coming = [game for game, waiting in zip(found.outcomes, waits, strict=False) if game.status == "added" or waiting]
    sessions, league = found.new_sessions(coming), found.places.league
    moved = renumbered(league, sessions, league.day_of(timezone.now())) if sessions else []
    totals = [each.total for each in found.totals if each.status == "added"]
    listed = _listed([*wrong, *rows])
    return ImportReport(
        games=len(rows),
        added=status["added"],
        same=status["same"] + sum(each.status == "same" for each in found.totals),
        errors=status["error"] + len(wrong),
        warnings=sum(row.is_warned for row in rows),
        asked=sum(row.is_asked for row in rows),
        unbalanced=sum(row.is_unbalanced for row in rows),
        as_is=sum(row.is_as_it_is for row in rows),
        busts=sum(bool(row.busted) for row in rows),
        waiting=sum(waits),
        is_asking=contents.is_asking,
        leaves_out_errors=reading.leaves_out,
        is_asked_decided=bool(reading.asked),
        people=tuple(found.new_names(coming)),
        totals=tuple((each.written.name, each.points, each.hanchan) for each in totals),
        sessions=tuple(sorted((place.ref.day, place.ref.label) for place in sessions)),
        days=tuple(sorted(place.ref.day for place in found.sessions(coming))),
        renumbered=tuple((session.date, session.number or 0, number) for session, number in moved),
        rows=tuple(replace(row, status="left_out") if reading.leaves_out and row.is_wrong else row for row in listed),
        problems=tuple(contents.problems),
        notes=(*contents.notes, *_on_totals(found)),
    )


def _on_totals(found: CheckResult) -> Iterator[ImportNote]:
    """Compare the totals in the file with the scores above them, and with the points that the rules give."""
    points = {
        (outcome.number, name): scored
        for outcome in found.outcomes
        for name, scored in zip(outcome.game.names, outcome.points, strict=False)
    }
    recognised = found.contents.recognised
    totals = recognised.said if recognised else []
    differing = {}
    for each in totals:
        ours = sum(points.get((number, each.name), 0) for number in each.games)
        if each.said not in {each.summed, Decimal(ours) / 1000}:
            differing[each.name] = each.name, f"{each.said:f}", f"{each.summed:f}"
    if agreeing := {each.name for each in totals if points or each.said == each.summed} - differing.keys():
        yield ImportNote("totals_agree", {"count": len(agreeing)})
    if differing:
        yield ImportNote("totals_differ", {"names": [*differing.values()][:NAMED]})


def _row(outcome: CheckedGame) -> RowStatus:
    raw = outcome.finished.raw if outcome.finished and not outcome.worked_out else ()
    points, names = outcome.points or (outcome.finished.points if outcome.finished else ()), outcome.game.names
    seats = tuple(
        (name, raw[seat] if raw else None, points[seat] if points else None) for seat, name in enumerate(names)
    )
    return RowStatus(
        lines="–".join(dict.fromkeys((str(min(outcome.game.lines)), str(max(outcome.game.lines))))),
        status=outcome.status,
        label=" · ".join(filter(None, names)),
        notes=tuple(outcome.notes),
        day=outcome.game.session.day if outcome.game.session else None,
        number=outcome.number,
        seats=seats,
        busted=outcome.busted,
    )


def _listed(rows: Iterable[RowStatus]) -> Iterator[RowStatus]:
    """Yield the first rows of each kind: errors first, then rows with notes, then the others."""
    counts: Counter[tuple[str, bool, bool]] = Counter()
    for row in sorted(rows, key=lambda row: (row.status != "error", not row.notes)):
        kind = row.status, row.is_warned, bool(row.busted)
        counts[kind] += 1
        if counts[kind] <= LISTED_OF_A_KIND:
            yield row
