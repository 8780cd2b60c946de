"""What imports keep in the database stays readable."""

import json

from league.core.imports.games import ImportNote
from league.core.spreadsheets.columns import RowShape
from league.services.imports.values import FileReading, ImportReport, RowStatus
from league.services.stored_json import as_stored, from_stored


def test_reading_of_an_older_row_is_read() -> None:
    """Rows of a run import keep the headers besides; the first ones knew no year."""
    stored = {"encoding": "cp932", "form": "wide", "columns": ["date", "raw1"], "headers": ["日付", "東"]}
    assert from_stored(FileReading, stored) == FileReading("cp932", form="wide", columns=("date", "raw1"))


def test_reading_is_stored_as_before() -> None:
    stored = as_stored(FileReading("utf-8", ",", form=RowShape.WIDE, columns=("date", "")))
    assert json.loads(json.dumps(stored)) == {
        "encoding": "utf-8",
        "delimiter": ",",
        "sheet": "",
        "header_row": 0,
        "header_rows": 1,
        "form": "wide",
        "columns": ["date", ""],
        "year": 0,
        "date_order": "",
        "undated": "",
        "sticks": "",
        "comma": "",
    }


def test_report_is_stored_as_before() -> None:
    note = ImportNote("points_differ", {"name": "青木", "theirs": 1000, "ours": -500})
    report = ImportReport(games=1, added=1, people=("上野",), rows=(RowStatus((2, 5), "added", "第1節", (note,)),))
    stored = {
        "games": 1,
        "added": 1,
        "changed": 0,
        "same": 0,
        "errors": 0,
        "warnings": 0,
        "asked": 0,
        "unbalanced": 0,
        "as_is": 0,
        "leaves_out_errors": False,
        "takes_asked": False,
        "people": ["上野"],
        "sessions": [],
        "rows": [
            {
                "lines": [2, 5],
                "status": "added",
                "label": "第1節",
                "notes": [{"code": "points_differ", "values": {"name": "青木", "theirs": 1000, "ours": -500}}],
            }
        ],
        "problems": [],
        "notes": [],
    }
    assert as_stored(report) == {**stored, "renumbered": []}
    assert from_stored(ImportReport, json.loads(json.dumps(stored))) == report
    older = {name: value for name, value in stored.items() if name not in {"unbalanced", "as_is"}}
    assert from_stored(ImportReport, older) == report
