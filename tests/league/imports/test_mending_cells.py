"""Edited cells applied over the rows of a file, and the positions of errors."""

from typing import Any

import pytest

from league.core.imports.mending import Mending, mended, wrong_cells
from league.core.spreadsheets.tables import FileRow

ROWS = (
    FileRow(2, ("2026-13-01", "青木", "31700")),
    FileRow(3, ("2026-13-01", "石田", "abc")),
    FileRow(5, ("2026-05-01", "上野")),
)


@pytest.mark.parametrize(
    ("mendings", "expected"),
    [
        pytest.param([], ROWS, id="nothing"),
        pytest.param(
            [Mending(3, 2, "abc", "313")], (ROWS[0], FileRow(3, ("2026-13-01", "石田", "313")), ROWS[2]), id="one"
        ),
        pytest.param(
            [Mending(5, 3, "", "note")], (*ROWS[:2], FileRow(5, ("2026-05-01", "上野", "", "note"))), id="beyond"
        ),
        pytest.param([Mending(3, 2, "abc", "")], (ROWS[0], FileRow(3, ("2026-13-01", "石田")), ROWS[2]), id="emptied"),
        pytest.param([Mending(3, 2, "other", "1")], ROWS, id="the cell says something else"),
        pytest.param([Mending(9, 0, "", "x")], ROWS, id="no such line"),
        pytest.param(
            [Mending(5, 0, "2026-05-01", ""), Mending(5, 1, "上野", "")], ROWS[:2], id="nothing is left of a row"
        ),
        pytest.param(
            [Mending(None, 0, "2026-13-01", "2026-12-01")],
            (FileRow(2, ("2026-12-01", "青木", "31700")), FileRow(3, ("2026-12-01", "石田", "abc")), ROWS[2]),
            id="everywhere",
        ),
        pytest.param(
            [Mending(None, 0, "2026-13-01", "2026-12-01"), Mending(3, 0, "2026-12-01", "2026-12-02")],
            (FileRow(2, ("2026-12-01", "青木", "31700")), FileRow(3, ("2026-12-02", "石田", "abc")), ROWS[2]),
            id="everywhere, then one of them",
        ),
        pytest.param(
            [Mending(3, 0, "2026-13-01", "2026-12-02"), Mending(None, 0, "2026-13-01", "2026-12-01")],
            (FileRow(2, ("2026-12-01", "青木", "31700")), FileRow(3, ("2026-12-02", "石田", "abc")), ROWS[2]),
            id="one of them, then everywhere else",
        ),
        pytest.param([Mending(3, 2, "abc", "1"), Mending(3, 2, "1", "abc")], ROWS, id="and back"),
    ],
)
def test_corrections_overlay_the_rows(mendings: list[Mending], expected: tuple[FileRow, ...]) -> None:
    assert mended(ROWS, mendings) == expected


LONG = ("date", "player", "raw")
GAME = (FileRow(2, ("x", "青木", "31700")), FileRow(3, ("x", "石田", "abc")), FileRow(4, ("", "上野", "25500")))
WIDE = ("date", "player1", "raw1", "player2", "raw2", "")
ONE = (FileRow(2, ("2026-05-01", "青木", "31700", "石田")),)
SUM: dict[str, Any] = {"scoring": "sum", "seat": None, "values": {}, "names": ["青木", "石田", "上野"]}


@pytest.mark.parametrize(
    ("code", "values", "rows", "columns", "expected"),
    [
        ("number_unreadable", {"column": "raw", "text": "abc", "line": 3}, GAME, LONG, [(3, 2)]),
        ("date_unreadable", {"column": "date", "text": "x", "line": 2}, GAME, LONG, [(2, 0), (3, 0)]),
        ("date_unreadable", {"column": "date", "text": "from above", "line": 4}, GAME, LONG, [(4, 0)]),
        ("date_missing", {"line": 2}, GAME, LONG, [(2, 0)]),
        ("name_unknown", {"name": "石田"}, GAME, LONG, [(3, 1)]),
        ("differs", {"column": "date", "line": 2}, GAME, LONG, [(2, 0)]),
        ("session_unclear", {"date": "2026-05-01", "count": 2}, GAME, LONG, [(2, 0), (3, 0), (4, 0)]),
        ("key_twice", {"key": "a"}, GAME, LONG, []),
        ("twice_in_file", {}, GAME, LONG, []),
        ("scoring", SUM, GAME, LONG, [(2, 2), (3, 2), (4, 2)]),
        ("scoring", {**SUM, "seat": 1}, GAME, LONG, [(3, 2)]),
        ("scoring", {**SUM, "scoring": "bust_unexplained", "seat": 1}, GAME, (*LONG, "bust"), [(3, 3)]),
        ("raw_missing", {"name": "石田", "line": 2}, ONE, WIDE, [(2, 4)]),
        ("raw_fraction", {"name": "青木", "line": 2, "text": "1.5"}, ONE, WIDE, [(2, 2)]),
        ("player_missing", {"line": 2}, ONE, (*WIDE[:5], "player3"), [(2, 5)]),
        ("raw_missing", {"name": "nobody here", "line": 2}, ONE, WIDE, [(2, 4)]),
    ],
)
def test_errors_are_located_in_their_cells(
    code: str, values: dict[str, Any], rows: tuple[FileRow, ...], columns: tuple[str, ...], expected: list[Any]
) -> None:
    assert list(wrong_cells(code, values, rows, columns)) == expected
