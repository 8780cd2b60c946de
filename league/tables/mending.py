"""The games of an upload that have errors, as their page prints them: every cell a field, what is wrong beside it."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from django.forms import BoundField

from league.core.imports.mending import REPEATED, Cell, cell_of
from league.core.spreadsheets.tables import FileRow
from league.messages.imports import column_label, sentence
from league.models import ImportMending
from league.services.imports.mending import MAX_CELL, MendableFile, WrongGame, WrongText


class MendableCell(NamedTuple):
    """A cell as a field. `sentences` say what is wrong with it; `is_long` that it is too long to be shown."""

    label: str
    field: BoundField
    is_wrong: bool
    sentences: tuple[str, ...]
    is_long: bool


class RowFields(NamedTuple):
    line: int
    cells: tuple[MendableCell, ...]


class GameFields(NamedTuple):
    """A game with errors: its rows, and what is wrong with it as a whole. `more` of its rows are not shown."""

    label: str
    lines: str
    sentences: tuple[str, ...]
    rows: tuple[RowFields, ...]
    more: int


class TextField(NamedTuple):
    """A text that is wrong in many cells, as one field."""

    label: str
    text: str
    field: BoundField
    cells: int


class MendedCell(NamedTuple):
    """A cell that was changed beside the file; `line` is None where it holds wherever the column says so."""

    line: int | None
    column: str
    mending: ImportMending


FieldOf = Callable[[Cell], BoundField]


def text_fields(texts: Iterable[WrongText], field_of: Callable[[WrongText], BoundField]) -> list[TextField]:
    return [TextField(column_label(wrong.key), wrong.text, field_of(wrong), wrong.cells) for wrong in texts]


def game_fields(game: WrongGame, file: MendableFile, field_of: FieldOf) -> GameFields:
    first, last = min(game.lines, default=0), max(game.lines, default=0)
    shown = {(row.line, column) for row in game.rows for column in file.columns}
    beside: dict[Cell, list[str]] = {cell: [] for cell in shown}
    above: list[str] = []
    wrong: set[Cell] = set()
    for note, cells in game.notes:
        said, here = sentence(note.code, note.values), [cell for cell in cells if cell in shown]
        wrong |= set(here)
        # Said once: beside the first of the cells that it is about, above all of them where these are wrong together.
        is_of_a_cell = here and (len(here) == 1 or note.code in REPEATED)
        (beside[here[0]] if is_of_a_cell else above).append(said)

    def field(row: FileRow, column: int) -> MendableCell:
        cell, is_long = (row.line, column), len(cell_of(row, column)) > MAX_CELL
        sentences = tuple(dict.fromkeys(beside[cell]))
        return MendableCell(header_of(file, column), field_of(cell), cell in wrong, sentences, is_long)

    return GameFields(
        label=game.label,
        lines=f"{first}" if first == last else f"{first}–{last}",
        sentences=tuple(dict.fromkeys(above)),
        rows=tuple(RowFields(row.line, tuple(field(row, column) for column in file.columns)) for row in game.rows),
        more=game.more,
    )


def header_of(file: MendableFile, column: int) -> str:
    """Return what a column is called: as in the file, else what it holds."""
    headers, targets = file.source.headers, file.source.reading.columns
    header = headers[column] if column < len(headers) else ""
    return header or (column_label(targets[column]) if column < len(targets) and targets[column] else str(column + 1))


def mended_cells(mendings: Sequence[ImportMending], headers: Sequence[str]) -> list[MendedCell]:
    names = dict(enumerate(headers))
    return [MendedCell(each.line, names.get(each.column) or str(each.column + 1), each) for each in mendings]
