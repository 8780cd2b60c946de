"""Corrections of an upload's errors, stored beside the unchanged file."""

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet

from league.core.imports.games import ImportNote
from league.core.imports.mending import REPEATED, Cell, Mending, cell_of, wrong_cells
from league.core.spreadsheets.columns import RowShape
from league.core.spreadsheets.headers import split_target
from league.core.spreadsheets.tables import FileRow, ImportFileError
from league.models import ImportBatch, ImportMending
from league.services.history import Actor
from league.services.imports.source import ADDS_BUST, FileSource, bust_columns, source_of
from league.services.imports.values import ImportReport, RowStatus

MAX_CELL = 1000
"""Characters per typed cell; more than a hanchan's note may have."""

MAX_FIELDS = 800
"""Cells per page."""

MAX_ROWS = 50
"""Rows per page."""

ROWS_OF_A_GAME = 6
"""Rows shown per game; if a game has more, the file's games were not separated."""

MAX_ALIKE = 20
"""Repeated wrong texts offered per page."""

MOST_MENDINGS = 200_000
"""Corrections per upload; beyond this the file itself should be corrected."""


class WrongText(NamedTuple):
    """A wrong text found in several cells: target key, text, columns and number of cells."""

    key: str
    text: str
    columns: tuple[int, ...]
    cells: int


@dataclass(frozen=True, slots=True)
class WrongGame:
    """A game with errors: its rows as corrected so far, and each error with its cells. `more`: rows not shown."""

    label: str
    lines: tuple[int, ...]
    rows: tuple[FileRow, ...]
    notes: tuple[tuple[ImportNote, tuple[Cell, ...]], ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class MendableFile:
    """An upload under correction: data rows by line number, and indexes of the mapped columns."""

    source: FileSource
    rows: dict[int, FileRow]
    columns: tuple[int, ...]

    def text(self, line: int, column: int) -> str:
        return cell_of(self.rows[line], column)

    def games(self, wrong: Iterable[RowStatus], lines: Set[int] | None = None) -> list[WrongGame]:
        targets, games = self.source.reading.columns, []
        for status in wrong:
            every = [self.rows[line] for line in status.lines if line in self.rows]
            rows = tuple(every[:ROWS_OF_A_GAME] if lines is None else [row for row in every if row.line in lines])
            notes = tuple((note, wrong_cells(note.code, note.values, rows, targets)) for note in status.notes)
            games.append(WrongGame(status.label, status.lines, rows, notes, len(every) - len(rows)))
        return games

    def wrong_texts(self, wrong: Iterable[RowStatus]) -> list[WrongText]:
        """Return the texts that are wrong in several cells, most frequent first."""
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
    source = source_of(batch)
    columns = tuple(at for at, target in enumerate(source.reading.columns) if target)
    return MendableFile(source, {row.line: row for row in source.body}, columns)


def wrong_rows(report: ImportReport) -> list[RowStatus]:
    return sorted((row for row in report.rows if row.is_wrong), key=lambda row: row.lines)


def games_on_a_page(file: MendableFile) -> int:
    usual, most = (1, 1) if file.source.reading.form == RowShape.WIDE else (4, ROWS_OF_A_GAME)
    return max(1, min(MAX_ROWS // usual, MAX_FIELDS // max(1, most * len(file.columns))))


def mend(batch: ImportBatch, mendings: Sequence[Mending], by: Actor) -> None:
    """Store corrections and drop the last check's report. Lock the batch first (`held_batch`).

    Raise ImportFileError "too_many_mendings".
    """
    changes = [each for each in mendings if each.before != each.after]
    if not changes:
        return
    if batch.mended + len(changes) > MOST_MENDINGS:
        raise ImportFileError("too_many_mendings", most=MOST_MENDINGS)
    rows = (ImportMending(batch=batch, by=by.user, **each._asdict()) for each in changes)
    ImportMending.objects.bulk_create(rows, batch_size=500)
    batch.mended += len(changes)
    batch.report = None
    batch.save(update_fields=["mended", "report"])


def lacks_busts(file: MendableFile, report: ImportReport) -> bool:
    asked = any(note.values.get("scoring") == "bust_unexplained" for row in wrong_rows(report) for note in row.notes)
    return asked and bool(bust_columns(file.source.reading))


def add_busts(batch: ImportBatch) -> None:
    """Add columns for busts to the file as it is read. Lock the batch first (`held_batch`)."""
    batch.options = {**batch.options, ADDS_BUST: True}
    batch.save(update_fields=["options"])


def mendings_of(batch: ImportBatch) -> QuerySet[ImportMending]:
    return batch.mendings.select_related("by").order_by("pk")


def headers_of(batch: ImportBatch) -> list[str]:
    """Return the file's column headers; an empty list if unreadable."""
    kept = batch.reading.get("headers")
    if kept is not None:
        return list(kept)
    try:
        return source_of(batch).headers
    except ImportFileError:
        return []
