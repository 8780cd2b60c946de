import io
import zipfile
from collections.abc import Callable, Mapping
from datetime import date, datetime, time

import pytest
import xlsxwriter

from league.core.spreadsheets.tables import ImportFileError
from league.messages.imports import sentence
from league.services.imports.workbook import MAX_UNPACKED, open_workbook
from tests.league.imports.files import book_of, books_of

HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
FOOT = "</sheetData></worksheet>"


def workbook(sheet: bytes) -> bytes:
    return replaced(book_of(title="Sheet"), {"xl/worksheets/sheet1.xml": sheet})


def replaced(book: bytes, parts: Mapping[str, str | bytes]) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as source, zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as target:
        for name in dict.fromkeys((*source.namelist(), *parts)):
            target.writestr(name, parts[name] if name in parts else source.read(name))
    return output.getvalue()


def rows(content: str) -> bytes:
    return workbook((HEAD + content + FOOT).encode())


@pytest.mark.parametrize("content", ["<f>1</f>" + " " * 200_000 + "<v>1</v>", "<!--" + "<f" * 200_000 + "-->"])
def test_formulas_are_looked_for_in_one_go(content: str) -> None:
    assert open_workbook(rows(f'<row r="1"><c r="A1">{content}</c></row>')).sheets("Sheet")[0].rows is not None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_declared_entities_are_refused_anywhere(encoding: str) -> None:
    declared = (
        f'<?xml version="1.0" encoding="{encoding}"?><!--{" " * 2000}--><!DOCTYPE w [<!ENTITY a "{"A" * 1000}">]>'
    )
    sheet = declared + HEAD + '<row r="1"><c r="A1" t="str"><v>&a;</v></c></row>' + FOOT
    with pytest.raises(ImportFileError, match="not_a_workbook"):
        open_workbook(workbook(sheet.encode(encoding))).sheets()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param('<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'
                     '<row r="100000"><c r="A100000"><v>1</v></c></row>', id="in the attribute"),
        pytest.param("<row r='1'><c r='A1'><v>1</v></c><c r = 'XFD1'><v>1</v></c></row>"
                     "<row r='100000'><c r='A100000'><v>1</v></c></row>", id="in other quotes"),
        pytest.param('<row r="1"><c r="XFD1"><v>1</v></c></row>' + '<row/>' * 99_998
                     + '<row><c><v>1</v></c></row>', id="by counting"),
        pytest.param('<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="XFD100000"><v>1</v></c></row>',
                     id="in the cell alone"),
        pytest.param('<row r="1"><c x=">" r="XFD1"><v>1</v></c></row><row r="100000"><c r="A100000"><v>1</v></c></row>',
                     id="behind a bracket"),
        pytest.param('<row r="1"><c r="A1"><v>1</v></c></row><row r="4000000000"><c><v>1</v></c></row>', id="in the row"),
    ],
)  # fmt: skip
def test_cells_far_apart_do_not_take_the_room_between_them(content: str) -> None:
    # As a rectangle this would be more than a thousand million cells.
    with pytest.raises(ImportFileError, match="too_many"):
        open_workbook(rows(content))


@pytest.mark.parametrize("place", ["A" * 400_000 + "1", "AAAA1", "A" + "9" * 400_000])
def test_a_place_beyond_any_sheet_is_refused_before_it_is_reckoned(place: str) -> None:
    with pytest.raises(ImportFileError, match="not_a_workbook"):
        open_workbook(rows(f'<row r="1"><c r="{place}"><v>1</v></c></row>'))


def test_cells_are_counted_while_they_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.services.imports.workbook.MAX_CELLS", 1000)
    with pytest.raises(ImportFileError, match="too_many_columns"):
        open_workbook(rows("<row>" + "<c/>" * 1001 + "</row>"))


def test_many_sheets_are_as_much_as_one() -> None:
    apart = '<row r="1"><c r="CV1"><v>1</v></c></row><row r="40000"><c r="A40000"><v>1</v></c></row>'
    sheets = books_of({f"Sheet{number}": () for number in range(6)})
    with pytest.raises(ImportFileError, match="too_many"):
        open_workbook(
            replaced(sheets, {f"xl/worksheets/sheet{number}.xml": HEAD + apart + FOOT for number in range(1, 7)})
        )


def test_formatted_empty_cells_are_accepted() -> None:
    wide = '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="0"/></row>'
    tall = "".join(f'<row r="{number}"><c r="A{number}"><v>{number}</v></c></row>' for number in range(2, 400))
    assert len(open_workbook(rows(wide + tall)).sheets("Sheet")[0].rows) == 399


def archive_of(parts: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", method) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return output.getvalue()


def forged(sheet: bytes, said: int = 1000) -> bytes:
    whole = bytearray(workbook(sheet))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size.to_bytes(4, "little")
    at = whole.rindex(size)
    whole[at : at + 4] = said.to_bytes(4, "little")
    return bytes(whole)


BOOK = book_of(("a",))


def behind_a_password() -> bytes:
    data = bytearray(BOOK)
    # Set the encryption flag in both the central directory and the local file header.
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + place] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("build", "code"),
    [
        pytest.param(lambda: archive_of({"content.xml": b"<x/>"}), "not_a_workbook", id="another kind"),
        pytest.param(lambda: archive_of({"xl/workbook.bin": b"<x/>"}), "not_a_workbook", id="binary"),
        pytest.param(lambda: archive_of({"book.xlsx": BOOK}), "not_a_workbook", id="archive in an archive"),
        pytest.param(lambda: archive_of({"xl/a.xml": b"<x/>"}, zipfile.ZIP_BZIP2), "not_a_workbook", id="bzip2"),
        pytest.param(lambda: archive_of({"xl/a.xml": b"<x/>"}, zipfile.ZIP_LZMA), "not_a_workbook", id="lzma"),
        pytest.param(behind_a_password, "not_a_workbook", id="behind a password"),
        pytest.param(lambda: forged(HEAD.encode() + b" " * 9_000_000), "not_a_workbook", id="forged size"),
        pytest.param(lambda: archive_of({f"xl/{part}.xml": b" " * (MAX_UNPACKED // 4) for part in range(5)}),
                     "too_large_unpacked", id="swells in parts", marks=pytest.mark.long),
        pytest.param(lambda: archive_of({f"xl/{part}.xml": b"" for part in range(2001)}),
                     "too_large_unpacked", id="parts"),
    ],
)  # fmt: skip
def test_other_archives_are_refused(build: Callable[[], bytes], code: str) -> None:
    with pytest.raises(ImportFileError, match=code):
        open_workbook(build())


def test_binary_members_are_not_unpacked() -> None:
    data = replaced(BOOK, {"xl/media/image.png": b"\0" * (MAX_UNPACKED + 1), "content.xml": "<x/>"})
    assert open_workbook(data).sheets("Sheet1")[0].rows[0].cells == ("a",)


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
    (row,) = open_workbook(rows(f'<row r="1">{cell}</row>')).sheets("Sheet")[0].rows
    assert row.cells == (text,)


def test_formats_identify_dates_and_times() -> None:
    data = book_of((date(2025, 11, 21), datetime(2025, 11, 21, 19, 30), time(19, 30)))
    assert open_workbook(data).sheets("Sheet1")[0].rows[0].cells == ("2025-11-21", "2025-11-21 19:30:00", "19:30:00")


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
    assert [row.cells for row in found.sheets("公開")[0].rows] == [("2025-11-21",), ("", "", "x")]
    assert found.sheets("隠し")[0].rows[0].cells == ("1",)


def test_rows_keep_their_lines_and_columns_their_places() -> None:
    found = open_workbook(rows('<row r="3"><c r="C3"><v>1</v></c><c r="E3"><v>2</v></c></row>')).sheets("Sheet")[0].rows
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
def test_formula_without_value_is_named(cell: str, formula: str) -> None:
    book = open_workbook(rows(f'<row r="1"><c r="A1"><v>1</v></c></row><row r="2">{cell}</row>'))
    with pytest.raises(ImportFileError) as refusal:
        book.sheets("Sheet")
    assert (refusal.value.code, refusal.value.values) == ("formulas", {"line": 2, "formula": formula})


def test_formulas_of_a_sheet_that_is_not_read_do_no_harm() -> None:
    book = open_workbook(books_of({"a": [("x",), (1,)], "b": [("y",), ("=1+1",)]}))
    assert len(book.sheets("a")[0].rows) == 2
    with pytest.raises(ImportFileError, match="formulas") as refusal:
        book.sheets("b")
    assert sentence("formulas", refusal.value.values).startswith(("b: 2行目", "b: Line 2"))
    assert [sheet.name for sheet in book.sheets()] == ["a"]
