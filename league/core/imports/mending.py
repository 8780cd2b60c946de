"""Corrections to cells of an imported file; the file itself is never changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from league.core.spreadsheets.headers import split_target
from league.core.spreadsheets.tables import FileRow


class Mending(NamedTuple):
    """A correction of cells with the text `before`. `line`: None for all such cells of the column."""

    line: int | None
    column: int
    before: str
    after: str


def cell_of(row: FileRow, column: int) -> str:
    return row.cells[column] if column < len(row.cells) else ""


def mended(rows: Iterable[FileRow], mendings: Iterable[Mending]) -> tuple[FileRow, ...]:
    """Apply the corrections in order and drop rows left empty.

    A correction only applies if the cell still has the expected text. Linear in rows times corrected columns.
    """
    steps: dict[tuple[int | None, int], list[tuple[int, Mending]]] = {}
    columns: dict[int | None, set[int]] = {None: set()}
    for order, mending in enumerate(mendings):
        steps.setdefault((mending.line, mending.column), []).append((order, mending))
        columns.setdefault(mending.line, set()).add(mending.column)
    return tuple(_over(rows, steps, columns))


def _over(
    rows: Iterable[FileRow],
    steps: Mapping[tuple[int | None, int], list[tuple[int, Mending]]],
    columns: Mapping[int | None, set[int]],
) -> Iterator[FileRow]:
    for row in rows:
        cells = list(row.cells)
        for at in columns[None] | columns.get(row.line, set()):
            cells += [""] * (at + 1 - len(cells))
            for _order, mending in sorted([*steps.get((None, at), ()), *steps.get((row.line, at), ())]):
                if mending.before == cells[at]:
                    cells[at] = mending.after
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield FileRow(row.line, tuple(cells))


# --- Cells to blame for a problem ------------------------------------------------------------------------------------

Cell = tuple[int, int]
"""Line number and column index of a cell."""

COLUMNS_OF: Mapping[str, tuple[str, ...]] = {
    "date_missing": ("date",),
    "in_the_future": ("date",),
    "session_unclear": ("session", "date"),
    "player_missing": ("player",),
    "player_twice": ("player",),
    "name_unknown": ("player",),
    "key_twice": ("key",),
    "rules_unknown": ("rules", "session_rules"),
    "seat_twice": ("seat", "player"),
    "seat_missing": ("seat", "player"),
    "seat_gap": ("seat", "player"),
    "raw_missing": ("raw",),
    "raw_fraction": ("raw",),
    "bust_unreadable": ("bust",),
    "scoring": ("raw",),
}
"""Columns to blame for each problem code; the first of them that the file has is used."""

REPEATED = frozenset({
    "number_unreadable", "date_unreadable", "date_ambiguous", "word_unreadable", "out_of_range", "too_long",
    "seat_unreadable", "bust_unreadable", "name_unknown", "rules_unknown", "in_the_future",
})  # fmt: skip
"""Problems caused by the cell's text alone, so the same text fails wherever it occurs."""


def wrong_cells(
    code: str, values: Mapping[str, Any], rows: Sequence[FileRow], columns: Sequence[str]
) -> tuple[Cell, ...]:
    """Return the cells of a game that caused a problem; () if the file has no such column.

    `columns`: targets of the file's columns.
    """
    key = _key(code, values, columns)
    cells = [(row, at) for row in rows for at, target in enumerate(columns) if key and split_target(target)[0] == key]
    if text := _text(code, values):
        if said := [(row.line, at) for row, at in cells if cell_of(row, at) == text]:
            return tuple(said)
    elif person := _person(code, values):
        cells = [(row, at) for row, at in cells if _is_of(person, row, columns[at], columns)] or cells
    if "line" in values and not _person(code, values):
        cells = [(row, at) for row, at in cells if row.line == values["line"]] or cells
    if code.endswith("_missing"):
        cells = [(row, at) for row, at in cells if not cell_of(row, at)] or cells
    return tuple((row.line, at) for row, at in cells)


def _key(code: str, values: Mapping[str, Any], columns: Sequence[str]) -> str:
    keys = {split_target(target)[0] for target in columns}
    wanted = (values["column"],) if "column" in values else COLUMNS_OF.get(code, ())
    if code == "scoring" and values["scoring"] == "bust_unexplained":
        wanted = ("bust", "raw")
    return next((key for key in wanted if key in keys), "")


def _text(code: str, values: Mapping[str, Any]) -> str:
    told = {"name_unknown": "name", "player_twice": "name", "key_twice": "key", "raw_fraction": ""}
    return str(values.get(told.get(code, "text"), "")) if code != "scoring" else ""


def _person(code: str, values: Mapping[str, Any]) -> str:
    if code == "scoring":
        seat = values["seat"]
        return values["names"][seat] if seat is not None else ""
    return str(values.get("name", ""))


def _is_of(person: str, row: FileRow, target: str, columns: Sequence[str]) -> bool:
    _key, seat = split_target(target)
    return any(
        cell_of(row, at) == person and (seat is None or split_target(other)[1] == seat)
        for at, other in enumerate(columns)
        if split_target(other)[0] == "player"
    )
