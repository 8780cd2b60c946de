"""How names are looked up: readings in any script, and the row of the index they stand in."""

import pytest

from league.core.readings import folded, index_row


@pytest.mark.parametrize("written", ["あおき", "アオキ", "ｱｵｷ", " アオ キ "])
def test_readings_fold_together(written: str) -> None:
    assert folded(written) == "あおき"


@pytest.mark.parametrize(
    ("reading", "row"),
    [
        ("あおき", "あ"),
        ("がもう", "か"),
        ("ぱく", "は"),
        ("ッキ", "た"),
        ("ゃ", "や"),
        ("ん", "わ"),
        ("を", "わ"),
        ("Wilson", "W"),
        ("ｗilson", "W"),
        ("青木", "#"),
        ("7", "#"),
        ("", "#"),
    ],
)
def test_index_rows(reading: str, row: str) -> None:
    assert index_row(reading) == row
