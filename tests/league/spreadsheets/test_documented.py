"""Whoever prepares a file reads what its columns are called."""

from league.core.spreadsheets.columns import COLUMNS
from tests.conftest import ROOT


def test_every_column_is_documented_with_its_japanese_header() -> None:
    told = (ROOT / "docs" / "spreadsheets.md").read_text("utf-8")
    _forms, _, columns = told.partition("\n## Columns\n")
    listed = " ".join(columns.split())
    shown = {"date", "session", "table", "game", "seat", "player", "raw"}
    assert [each.key for each in COLUMNS if each.key not in shown and f"`{each.key}` {each.ja}" not in listed] == []
    assert [each.ja for each in COLUMNS if each.key in shown and f"| {each.ja} |" not in told] == []
