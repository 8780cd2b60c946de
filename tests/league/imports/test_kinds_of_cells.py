"""What stands in a cell, however a spreadsheet writes it down."""

import io
from datetime import date, datetime, time, timedelta

import pytest
import xlsxwriter

from league.core.spreadsheets.tables import ImportFileError
from league.services.imports.workbook import ALL_SHEETS, open_workbook
from tests.league.imports.files import book_of, books_of
from tests.league.imports.test_hostile_workbooks import FOOT, HEAD, replaced, rows


def cells_in(content: str) -> list[tuple[str, ...]]:
    return [row.cells for row in open_workbook(rows(content)).rows("Sheet")]


def written(**formats: str) -> bytes:
    output = io.BytesIO()
    with xlsxwriter.Workbook(output) as book:
        sheet = book.add_worksheet("Sheet")
        for column, shown in enumerate(formats.values()):
            sheet.write_number(0, column, 45982.8125, book.add_format({"num_format": shown}))
    return output.getvalue()


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        pytest.param('<c r="A1"><v>31700</v></c>', "31700", id="whole"),
        pytest.param('<c r="A1"><v>31.7</v></c>', "31.7", id="part"),
        pytest.param('<c r="A1"><v>0.30000000000000004</v></c>', "0.3", id="machine's rounding"),
        pytest.param('<c r="A1"><v>-1500</v></c>', "-1500", id="below zero"),
        pytest.param('<c r="A1"><v>1E+20</v></c>', "1" + "0" * 20, id="large"),
        pytest.param('<c r="A1" t="b"><v>1</v></c>', "1", id="yes"),
        pytest.param('<c r="A1" t="b"><v>0</v></c>', "0", id="no"),
        pytest.param('<c r="A1" t="e"><v>#N/A</v></c>', "#N/A", id="error"),
        pytest.param("<c t='e' r='A1'><f>1/0</f><v>#DIV/0!</v></c>", "#DIV/0!", id="error of a formula"),
        pytest.param('<c r="A1" t="str"><f>A2</f><v>青木</v></c>', "青木", id="text of a formula"),
        pytest.param('<c r="A1"><f>1+1</f><v>2</v></c>', "2", id="number of a formula"),
        pytest.param('<c r="A1" t="inlineStr"><is><t>青</t></is></c>', "青", id="text in the cell"),
        pytest.param(
            '<c r="A1" t="inlineStr"><is><r><t>青</t></r><r><t>木</t></r></is></c>', "青木", id="text in colours"
        ),
        pytest.param('<c r="A1" t="inlineStr"><is><t>a_x000D_b</t></is></c>', "a\rb", id="end of line"),
        pytest.param('<c r="A1" t="d"><v>2025-11-21T00:00:00</v></c>', "2025-11-21", id="day as text"),
    ],
)
def test_cell_is_read(cell: str, text: str) -> None:
    assert cells_in(f'<row r="1">{cell}</row>') == [(text,)]


def test_readings_over_names_are_not_a_part_of_them() -> None:
    shared = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="1" uniqueCount="1">'
        '<si><t>青木</t><rPh sb="0" eb="2"><t>アオキ</t></rPh><phoneticPr fontId="1"/></si></sst>'
    )
    sheet = HEAD + '<row r="1"><c r="A1" t="s"><v>0</v></c></row>' + FOOT
    data = replaced(book_of(("x",)), {"xl/sharedStrings.xml": shared, "xl/worksheets/sheet1.xml": sheet})
    assert open_workbook(data).rows("Sheet1")[0].cells == ("青木",)


def test_dates_and_times_are_told_by_their_formats() -> None:
    data = written(
        day="yyyy-mm-dd", japanese="yyyy年m月d日", clock="hh:mm", both="yyyy/m/d h:mm", number="0.00", long="[h]:mm"
    )
    moment = "2025-11-21 19:30:00"
    assert open_workbook(data).rows("Sheet")[0].cells == (
        *[moment] * 4, "45982.8125", str(timedelta(days=45982, seconds=70200)),
    )  # fmt: skip
    data = book_of((date(2025, 11, 21), datetime(2025, 11, 21, 19, 30), time(19, 30)))
    assert open_workbook(data).rows("Sheet1")[0].cells == ("2025-11-21", moment, "19:30:00")


def test_merged_cells_have_their_value_once_and_hidden_sheets_are_there() -> None:
    output = io.BytesIO()
    with xlsxwriter.Workbook(output) as book:
        sheet = book.add_worksheet("公開")
        sheet.merge_range(0, 0, 1, 1, "2025-11-21")
        sheet.write(1, 2, "x")
        book.add_chartsheet("図").set_chart(book.add_chart({"type": "line"}))
        hidden = book.add_worksheet("隠し")
        hidden.write(0, 0, 1)
        hidden.hide()
        book.get_worksheet_by_name("公開").activate()
        book.charts[0].add_series({"values": "=公開!$A$1:$A$2"})
    found = open_workbook(output.getvalue())
    assert found.names == ("公開", "隠し")
    assert [row.cells for row in found.rows("公開")] == [("2025-11-21",), ("", "", "x")]
    assert found.rows("隠し")[0].cells == ("1",)


def test_rows_keep_their_lines_and_columns_their_places() -> None:
    found = open_workbook(rows('<row r="3"><c r="C3"><v>1</v></c><c r="E3"><v>2</v></c></row>')).rows("Sheet")
    assert found == ((3, ("", "", "1", "", "2")),)


@pytest.mark.parametrize(
    ("cell", "formula"),
    [
        pytest.param('<c r="B2"><f>SUM(A1:A2)</f></c>', "=SUM(A1:A2)", id="nothing"),
        pytest.param('<c r="B2"><f>A1</f><v></v></c>', "=A1", id="empty"),
        pytest.param('<c r="B2"><f>A1</f><v/></c>', "=A1", id="closed"),
        pytest.param('<c r="B2"><f>A1</f><v>1</v></c><c r="C2"><f t="array"/></c>', "=", id="without a text"),
    ],
)
def test_formula_that_nobody_worked_out_is_named(cell: str, formula: str) -> None:
    book = open_workbook(rows(f'<row r="1"><c r="A1"><v>1</v></c></row><row r="2">{cell}</row>'))
    with pytest.raises(ImportFileError) as refusal:
        book.rows("Sheet")
    assert (refusal.value.code, refusal.value.values) == ("formulas", {"line": 2, "formula": formula})


def test_formulas_of_a_sheet_that_is_not_read_do_no_harm() -> None:
    book = open_workbook(books_of({"a": [("x",), (1,)], "b": [("y",), ("=1+1",)]}))
    assert len(book.rows("a")) == 2
    with pytest.raises(ImportFileError) as refusal:
        book.rows(ALL_SHEETS)
    assert refusal.value.values["line"] == 4
