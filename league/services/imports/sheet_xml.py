"""A sheet as XML, looked at cell by cell: slow, for what the library does not tell.

A sheet is read with Python's own parser after declarations of entities were refused.
"""

import re
from dataclasses import dataclass, field
from xml.parsers.expat import ParserCreate

from league.core.spreadsheets.tables import MAX_BLANK, MAX_COLUMNS, MAX_ROWS
from league.services.imports.refusals import ImportFileError

_REFERENCE = re.compile(r"([A-Za-z]{1,9})([0-9]{1,18})")

FORMULA_SHOWN = 60


@dataclass(slots=True)
class _Cell:
    row: int
    column: int
    formula: str | None = None
    value: str = ""


@dataclass(slots=True)
class _Walk:
    """Where the parser is in a sheet, and what it has come across."""

    row: int = 0
    column: int = 0
    cells: int = 0
    highest: int = 0
    widest: tuple[int, int] = (0, 0)
    cell: _Cell | None = None
    inside: str = ""
    shared: dict[str, str] = field(default_factory=dict)
    group: str = ""
    bare: _Cell | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match _local(name):
            case "row":
                self._begin_row(attributes.get("r", ""))
            case "c":
                self._begin_cell(attributes.get("r", ""))
            case "f" | "v" | "t" as inside:
                self.inside = inside
                if inside == "f" and self.cell is not None:
                    self.cell.formula = ""
                    self.group = attributes.get("si", "")

    def _begin_row(self, number: str) -> None:
        row = int(number) if number.isascii() and number.isdigit() else self.row + 1
        if row > self.row + MAX_BLANK + 1:
            raise ImportFileError("too_many_rows", most=MAX_ROWS)
        self.row, self.column = row, 0

    def _begin_cell(self, reference: str) -> None:
        found = _REFERENCE.fullmatch(reference.strip())
        self.column = column_number(found[1]) if found else self.column + 1
        row = int(found[2]) if found else self.row
        if row > self.row + MAX_BLANK + 1:
            raise ImportFileError("too_many_rows", most=MAX_ROWS)
        self.cell = _Cell(row, self.column)

    def text(self, text: str) -> None:
        if self.cell is not None and self.inside == "f":
            self.cell.formula = (self.cell.formula or "") + text
        elif self.cell is not None and self.inside:
            self.cell.value += text

    def end(self, name: str) -> None:
        match _local(name):
            case "c" if self.cell is not None:
                self._end_cell(self.cell)
                self.cell = None
            case "f" if self.cell is not None and self.group:
                self.cell.formula = self.shared.setdefault(self.group, self.cell.formula or "")
                self.inside = ""
            case "f" | "v" | "t":
                self.inside = ""
            case "row":
                self.cells += self.column

    def _end_cell(self, cell: _Cell) -> None:
        if cell.value:
            self.highest = max(self.highest, cell.row)
            self.widest = max(self.widest, (cell.column, cell.row))
        elif cell.formula is not None and self.bare is None:
            self.bare = cell


def column_number(letters: str) -> int:
    """Return the number of a column from its letters, A being 1."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _walked(sheet: bytes) -> _Walk:
    walk, parser = _Walk(), ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = walk.start, walk.end
    parser.CharacterDataHandler = walk.text
    parser.Parse(sheet, True)  # noqa: FBT003 - positional only
    return walk


def check_extent(sheet: bytes, most: int) -> int:
    """Return how many cells the rectangle has that the values of a sheet lie in.

    Raises ImportFileError "too_many_rows" or "too_many_columns" for more than `most`, and for more in its rows, ExpatError.
    """
    walk = _walked(sheet)
    (columns, row), rows = walk.widest, walk.highest
    if rows * columns > most or walk.cells > most:
        raise ImportFileError("too_many_columns", most=MAX_COLUMNS, line=row or walk.row)
    return rows * columns


def elements(part: bytes) -> list[tuple[str, dict[str, str]]]:
    """Return the elements of a small part, each without its prefix and with its attributes. Raises ExpatError."""
    found: list[tuple[str, dict[str, str]]] = []
    parser = ParserCreate()
    parser.StartElementHandler = lambda name, attributes: found.append((_local(name), attributes))
    parser.Parse(part, True)  # noqa: FBT003 - positional only
    return found


def bare_formula(sheet: bytes) -> tuple[int, str] | None:
    """Return row and text of the first formula without a value, as no spreadsheet ever worked it out; None if there is none.

    Raises ExpatError.
    """
    bare = _walked(sheet).bare
    return (bare.row, f"={bare.formula}"[:FORMULA_SHOWN]) if bare is not None else None
