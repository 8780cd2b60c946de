"""From text to rows."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets import tables
from league.core.spreadsheets.tables import FileRow, ImportFileError, read_table


def cells(text: str, delimiter: str = "") -> list[tuple[str, ...]]:
    return [row.cells for row in read_table(text, delimiter).rows]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiter_is_found(delimiter: str) -> None:
    text = "\n".join(delimiter.join(line) for line in (["日付", "選手", "素点"], ["11/21", "青木", "31700"]))
    table = read_table(text)
    assert table.delimiter == delimiter
    assert table.rows == (FileRow(1, ("日付", "選手", "素点")), FileRow(2, ("11/21", "青木", "31700")))


def test_commas_inside_numbers_do_not_win_over_tabs() -> None:
    assert cells('青木\t31,700\n石田\t"31,300"') == [("青木", "31,700"), ("石田", "31,300")]


def test_one_column_is_a_table_too() -> None:
    assert cells("日付\n11/21") == [("日付",), ("11/21",)]


def test_blank_rows_and_blank_ends_are_dropped_and_lines_still_count() -> None:
    text = '日付,選手,,\r\n,, ,\r\n\r\n"二\n行",x\r青木\n'
    assert read_table(text, ",").rows == (
        FileRow(1, ("日付", "選手")),
        FileRow(4, ("二\n行", "x")),
        FileRow(6, ("青木",)),
    )


def test_lone_quotation_marks_are_text() -> None:
    table = read_table('a,b\n"青木,1\n石田,"2"\n"上"野,""""\n', ",")
    assert table.quotes_ignored
    assert [row.cells for row in table.rows] == [("a", "b"), ('"青木', "1"), ("石田", "2"), ('"上"野', '"')]


def test_a_cell_of_a_megabyte_is_read() -> None:
    (row,) = read_table("x" * 1_000_000 + ",1").rows
    assert len(row.cells[0]) == 1_000_000


def test_two_hundred_columns_and_ragged_rows_are_read() -> None:
    rows = cells(",".join(map(str, range(200))) + "\n1\n1,2,3")
    assert [len(row) for row in rows] == [200, 1, 3]


def test_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImportFileError) as wide:
        read_table("a\n" + "x," * 501, ",")
    assert (wide.value.code, wide.value.values) == ("too_many_columns", {"most": 500, "line": 2})
    monkeypatch.setattr(tables, "MAX_ROWS", 2 - tables.BESIDE)
    with pytest.raises(ImportFileError) as long:
        read_table("a\nb\nc", ",")
    assert long.value.code == "too_many_rows"


def test_blank_rows_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_BLANK", 3)
    assert len(read_table("a,b\n" + 3 * ",\n" + "1,2").rows) == 2
    with pytest.raises(ImportFileError, match="too_many_rows"):
        read_table("a,b\n" + 4 * ",\n" + "1,2")
    with pytest.raises(ImportFileError, match="unknown_delimiter"):
        read_table("a", "x")


def test_equal_cells_share_one_text() -> None:
    (first, second) = read_table("青木さん,1\n青木さん,2", ",").rows
    assert first.cells[0] is second.cells[0]


ROWS = st.lists(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=5))


@given(ROWS, st.sampled_from([",", "\t", ";", "|"]))
def test_what_a_writer_quotes_is_read_as_it_was(rows: list[list[str]], delimiter: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    expected = [[cell.strip() for cell in row] for row in rows]
    for row in expected:
        while row and not row[-1]:
            row.pop()
    assert [list(row) for row in cells(written.getvalue(), delimiter)] == [row for row in expected if row]
