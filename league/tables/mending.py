"""The games of an upload that have errors, as their page prints them: every cell a field, what is wrong beside it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.forms import BoundField

from league.core.imports.mending import cell_of
from league.core.imports.wrong_cells import REPEATED, Cell
from league.core.spreadsheets.tables import FileRow
from league.messages.imports import column_label, sentence
from league.models import ImportMending
from league.services.imports.mending import MAX_CELL, MendableFile, WrongGame, WrongText


@dataclass(frozen=True, slots=True)
class MendableCell:
    """A cell as a field. `sentences` say what is wrong with it; `is_long` that it is too long to be shown."""

    label: str
    field: BoundField
    is_wrong: bool
    sentences: tuple[str, ...]
    is_long: bool


@dataclass(frozen=True, slots=True)
class RowFields:
    """A row of the file as fields."""

    line: int
    cells: tuple[MendableCell, ...]


@dataclass(frozen=True, slots=True)
class GameFields:
    """A game with errors: its rows, and what is wrong with it as a whole. `more` of its rows are not shown."""

    label: str
    lines: str
    sentences: tuple[str, ...]
    rows: tuple[RowFields, ...]
    more: int


@dataclass(frozen=True, slots=True)
class TextField:
    """A text that is wrong in many cells, as one field."""

    label: str
    text: str
    field: BoundField
    cells: int


@dataclass(frozen=True, slots=True)
class MendedCell:
    """A cell that was changed beside the file; `line` is None where it holds wherever the column says so."""

    line: int | None
    column: str
    mending: ImportMending


FieldOf = Callable[[Cell], BoundField]


def text_fields(texts: Iterable[WrongText], field_of: Callable[[WrongText], BoundField]) -> list[TextField]:
    """Return the fields for texts that are wrong in many cells."""
    return [TextField(column_label(wrong.key), wrong.text, field_of(wrong), wrong.cells) for wrong in texts]


def game_fields(games: Iterable[WrongGame], file: MendableFile, field_of: FieldOf) -> list[GameFields]:
    """Return games with errors as fields."""
    return [_game(game, file, field_of) for game in games]


def _game(game: WrongGame, file: MendableFile, field_of: FieldOf) -> GameFields:
    first, last = min(game.lines, default=0), max(game.lines, default=0)
    shown = {(row.line, column) for row in game.rows for column in file.columns}
    beside: dict[Cell, list[str]] = {}
    above: list[str] = []
    wrong: set[Cell] = set()
    for note, cells in game.notes:
        said, here = sentence(note.code, note.values), [cell for cell in cells if cell in shown]
        wrong |= set(here)
        # Said once: beside the first of the cells that it is about, above all of them where these are wrong together.
        is_of_a_cell = here and (len(here) == 1 or note.code in REPEATED)
        (beside.setdefault(here[0], []) if is_of_a_cell else above).append(said)
    return GameFields(
        label=game.label,
        lines=f"{first}" if first == last else f"{first}–{last}",
        sentences=tuple(dict.fromkeys(above)),
        rows=tuple(_row(row, file, field_of, _Wrong(wrong, beside)) for row in game.rows),
        more=game.more,
    )


@dataclass(frozen=True, slots=True)
class _Wrong:
    """The cells of a game that are wrong, and what is said beside them."""

    cells: set[Cell]
    beside: dict[Cell, list[str]]


def _row(row: FileRow, file: MendableFile, field_of: FieldOf, wrong: _Wrong) -> RowFields:
    cells = [(row.line, column) for column in file.columns]
    return RowFields(
        row.line,
        tuple(
            MendableCell(
                label=header_of(file, cell[1]),
                field=field_of(cell),
                is_wrong=cell in wrong.cells,
                sentences=tuple(dict.fromkeys(wrong.beside.get(cell, ()))),
                is_long=len(cell_of(row, cell[1])) > MAX_CELL,
            )
            for cell in cells
        ),
    )


def header_of(file: MendableFile, column: int) -> str:
    """Return what a column is called: as in the file, else what it holds."""
    headers, targets = file.source.headers, file.source.reading.columns
    header = headers[column] if column < len(headers) else ""
    return header or (column_label(targets[column]) if column < len(targets) and targets[column] else str(column + 1))


def mended_cells(mendings: Sequence[ImportMending], headers: Sequence[str]) -> list[MendedCell]:
    """Return what was changed beside a file, with the names of the columns."""
    names = dict(enumerate(headers))
    return [MendedCell(each.line, names.get(each.column) or str(each.column + 1), each) for each in mendings]
