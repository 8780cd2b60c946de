"""Errors of an upload mended in the table of its check: what is changed is kept beside the file, which stays as it came."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.db.models import QuerySet

from league.core.imports.mending import Mending, cell_of
from league.core.imports.wrong_cells import REPEATED, Cell, wrong_cells
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.headers import split_target
from league.core.spreadsheets.tables import FileRow
from league.models import ImportBatch, ImportMending
from league.services.history import Actor
from league.services.imports.checking import is_long
from league.services.imports.checks import ToBeMade, begin_check
from league.services.imports.outcomes import CheckedGame
from league.services.imports.reports import counts_of, row_of
from league.services.imports.running import locked_batch
from league.services.imports.source import ADDS_BUST, FileSource, bust_columns, source_of
from league.services.imports.steps import must_be_open
from league.services.imports.values import ImportFileError, ImportNote, ImportReport, RowStatus
from league.services.stored_json import as_stored, from_stored

MAX_CELL = 1000
"""Characters of a cell that can be typed; more than a note of a hanchan may have."""

MAX_FIELDS = 800
"""So many cells are shown on a page at most."""

MAX_ROWS = 50
"""So many rows of the file are shown on a page at most."""

ROWS_OF_A_GAME = 6
"""So many rows of one hanchan are shown: more belong to no table, but to a file that tells its hanchan apart badly."""

MAX_ALIKE = 20
"""So many texts that are wrong in several cells are offered to be mended at once."""

MOST_MENDINGS = 200_000
"""Of one upload: beyond that the file is mended where it comes from."""

RECHECKED_AT_ONCE = 500
"""More hanchan than this are not looked at by themselves: the whole file is checked again."""

WRONG = ("error", "left_out")


class WrongText(NamedTuple):
    """A text that is wrong wherever it stands: under which columns, and in how many cells of the file."""

    key: str
    text: str
    columns: tuple[int, ...]
    cells: int


@dataclass(frozen=True, slots=True)
class WrongGame:
    """A game that cannot be stored: its rows as they read now, what is wrong, and in which cells.

    `more` are rows that are not shown.
    """

    label: str
    lines: tuple[int, ...]
    rows: tuple[FileRow, ...]
    notes: tuple[tuple[ImportNote, tuple[Cell, ...]], ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class MendableFile:
    """An upload as it is mended: the rows below the header by line, and the columns that are read."""

    source: FileSource
    rows: dict[int, FileRow]
    columns: tuple[int, ...]

    def text(self, line: int, column: int) -> str:
        """Return what a cell says now."""
        return cell_of(self.rows[line], column)

    def games(self, wrong: Iterable[RowStatus], lines: Set[int] | None = None) -> list[WrongGame]:
        """Return games with errors as they are shown, with `lines` only these of their rows."""
        return [self._game(status, lines) for status in wrong]

    def _game(self, status: RowStatus, lines: Set[int] | None = None) -> WrongGame:
        every = [self.rows[line] for line in status.lines if line in self.rows]
        wanted = every[:ROWS_OF_A_GAME] if lines is None else [row for row in every if row.line in lines]
        rows, targets = tuple(wanted), self.source.reading.columns
        notes = tuple((note, wrong_cells(note.code, note.values, rows, targets)) for note in status.notes)
        return WrongGame(status.label, status.lines, rows, notes, len(every) - len(rows))

    def wrong_texts(self, wrong: Iterable[RowStatus]) -> list[WrongText]:
        """Return the texts that are wrong in several cells, the most frequent first."""
        targets = self.source.reading.columns
        found = {
            (split_target(targets[column])[0], self.text(line, column))
            for game in self.games(wrong)
            for note, cells in game.notes
            if note.code in REPEATED
            for line, column in cells
        }
        by_key = {key: tuple(at for at in self.columns if split_target(targets[at])[0] == key) for key, _text in found}
        counts = Counter(
            (key, text) for row in self.rows.values() for key, ats in by_key.items() for at in ats
            if (key, text := cell_of(row, at)) in found
        )  # fmt: skip
        texts = [WrongText(key, text, by_key[key], n) for (key, text), n in counts.most_common() if text and n > 1]
        return texts[:MAX_ALIKE]


def mendable(batch: ImportBatch) -> MendableFile:
    """Return an upload as it is mended. Raises ImportFileError."""
    source = source_of(batch)
    columns = tuple(at for at, target in enumerate(source.reading.columns) if target)
    return MendableFile(source, {row.line: row for row in source.body}, columns)


def wrong_rows(report: ImportReport) -> list[RowStatus]:
    """Return the games with errors as far as they are listed, in the order of the file."""
    return sorted((row for row in report.rows if row.status in WRONG), key=lambda row: row.lines)


def games_on_a_page(file: MendableFile) -> int:
    """Return how many games with errors fit on a page."""
    usual, most = (1, 1) if file.source.reading.form == RowShape.WIDE else (4, ROWS_OF_A_GAME)
    return max(1, min(MAX_ROWS // usual, MAX_FIELDS // max(1, most * len(file.columns))))


def held_batch(batch: ImportBatch) -> ImportBatch:
    """Return an upload that nobody else mends until the transaction ends. Raises ImportFileError if it is not open."""
    held = locked_batch(batch)
    if held is None:
        raise ImportFileError("not_ready")
    held.league, held.data = batch.league, batch.data
    must_be_open(held)
    return held


def mend(batch: ImportBatch, file: MendableFile, mendings: Sequence[Mending], by: Actor) -> None:
    """Keep what was changed beside the file, and look at the games that it stands in again.

    A short file is checked as a whole where that is shown next. Of a long one only these games are, and the whole when
    somebody goes on; where they cannot be told from the others it is checked as a whole. Hold the batch first
    (`held_batch`). Raises ImportFileError "too_many_mendings".
    """
    changes = [each for each in mendings if each.before != each.after]
    if not changes:
        return
    if batch.mended + len(changes) > MOST_MENDINGS:
        raise ImportFileError("too_many_mendings", most=MOST_MENDINGS)
    rows = (ImportMending(batch=batch, by=by.user, **each._asdict()) for each in changes)
    ImportMending.objects.bulk_create(rows, batch_size=500)
    batch.mended += len(changes)
    report = _rechecked(batch, set(_lines_of(changes, file))) if is_long(batch) and batch.report else None
    batch.report = report and as_stored(report)
    batch.save(update_fields=["mended", "report"])


def _lines_of(changes: Iterable[Mending], before: MendableFile) -> Iterator[int]:
    """Yield the lines in which anything changes."""
    shared = {(each.column, each.before) for each in changes if each.line is None}
    columns = {column for column, _text in shared}
    yield from (each.line for each in changes if each.line is not None)
    yield from (
        line for line, row in before.rows.items() for at in columns if (at, cell_of(row, at)) in shared
    )  # fmt: skip


def _rechecked(batch: ImportBatch, lines: set[int]) -> ImportReport | None:
    """Return the last findings with the games in these lines looked at again; None where the whole file must be."""
    last = from_stored(ImportReport, batch.report or {})
    known = {line for row in last.rows for line in row.lines}
    touched = {line for row in last.rows if lines & set(row.lines) for line in row.lines}
    if not lines <= touched or len(touched) > RECHECKED_AT_ONCE * 4:
        return None
    begun, outcomes = begin_check(batch, lines=touched)
    fresh = list(outcomes)
    met = {line for outcome in fresh for line in outcome.game.lines}
    if begun.contents.problems or len(fresh) > RECHECKED_AT_ONCE or not met <= touched & known:
        return None
    made = ToBeMade(begun.people)
    for outcome in fresh:
        made.take(outcome)
    return _replaced(replace(last, games=len(begun.contents.games)), touched, fresh, made)


def _replaced(last: ImportReport, touched: Set[int], fresh: Sequence[CheckedGame], made: ToBeMade) -> ImportReport:
    """Return findings in which the games in the touched lines are what they were found to be now."""
    gone = [row for row in last.rows if touched & set(row.lines)]
    rows = [row_of(outcome) for outcome in fresh]
    kept = [row for row in last.rows if not touched & set(row.lines)]
    more = counts_of(rows)
    more.subtract(counts_of(gone))
    return replace(
        last,
        added=last.added + more["added"],
        changed=last.changed + more["changed"],
        same=last.same + more["same"],
        errors=last.errors + more["error"],
        warnings=last.warnings + more["warned"],
        asked=last.asked + more["asked"],
        unbalanced=last.unbalanced + more["unbalanced"],
        as_is=last.as_is + more["as_is"],
        people=tuple(dict.fromkeys((*last.people, *made.names))),
        sessions=tuple(dict.fromkeys((*last.sessions, *(place.label for place in made.sessions)))),
        rows=tuple(sorted((*kept, *rows), key=lambda row: (row.status != "error", not row.notes, row.lines))),
        is_partial=True,
    )


def lacks_busts(file: MendableFile, report: ImportReport) -> bool:
    """Whether a bust is to be explained and the file has no column for that."""
    asked = any(note.values.get("scoring") == "bust_unexplained" for row in wrong_rows(report) for note in row.notes)
    return asked and bool(bust_columns(file.source.reading))


def add_busts(batch: ImportBatch) -> None:
    """Read the file as if it had columns for busts. Hold the batch first (`held_batch`)."""
    batch.options = {**batch.options, ADDS_BUST: True}
    batch.save(update_fields=["options"])


def mendings_of(batch: ImportBatch) -> QuerySet[ImportMending]:
    """Return what was changed beside the file, in order."""
    return batch.mendings.select_related("by").order_by("pk")


def headers_of(batch: ImportBatch) -> list[str]:
    """Return what the columns of the file are called; nothing where it cannot be read any more."""
    kept = batch.reading.get("headers")
    if kept is not None:
        return list(kept)
    try:
        return source_of(batch).headers
    except ImportFileError:
        return []
