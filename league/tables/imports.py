"""Hanchan of a file as the page of an import lists them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.functional import Promise

from league.core.imports.games import ImportNote
from league.messages.imports import STATUSES, sentence
from league.services.imports.values import NO_WARNING, WAITING, ImportReport, RowStatus


def said(notes: Iterable[ImportNote]) -> list[str]:
    return [sentence(note.code, note.values) for note in notes]


@dataclass(frozen=True, slots=True)
class CheckRow:
    """The outcome for one hanchan of the file, as text."""

    lines: str
    row: RowStatus
    status_label: str | Promise
    sentences: list[str]

    @property
    def is_bad(self) -> bool:
        """Whether it has an error that no answer removes."""
        return self.row.is_wrong and bool(self.row.errors)


def first_rows(report: ImportReport) -> list[CheckRow]:
    return [check_row(row) for row in sorted(report.rows, key=lambda row: row.number) if row.seats]


def check_rows(report: ImportReport) -> list[CheckRow]:
    """Return the hanchan that need a look: errors, and remarks."""
    return [row for row in map(check_row, report.rows) if row.is_bad or row.row.is_warned]


def rows_in_question(report: ImportReport) -> dict[str, list[CheckRow]]:
    """Return the hanchan that a question is about, by the name of its field."""
    totals = [row for row in report.rows if row.is_unbalanced or row.is_as_it_is]
    wrong = [row for row in report.rows if row.is_wrong and row.errors and not row.is_unbalanced]
    asked = [row for row in report.rows if row.is_asked]
    found = {"as_is": totals, "leave_out_errors": wrong, "asked": asked}
    return {name: [*map(check_row, rows)] for name, rows in found.items()}


def check_row(row: RowStatus) -> CheckRow:
    first, last = min(row.lines, default=0), max(row.lines, default=0)
    return CheckRow(
        f"{first}" if first == last else f"{first}–{last}", row, STATUSES[row.status], said(_told(row.notes))
    )


def _told(notes: Iterable[ImportNote]) -> Iterator[ImportNote]:
    return (note for note in notes if note.values.get("scoring", note.code) not in WAITING | NO_WARNING)
