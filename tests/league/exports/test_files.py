import csv
import re
import tracemalloc
from datetime import date
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from python_calamine import CalamineWorkbook

from league.core.spreadsheets.cells import unescaped
from league.core.spreadsheets.columns import CellKind
from league.exports.table import FORMATS, ExportColumn, ExportTable, Row, text_chunks, unwritable
from league.exports.workbook import workbook

TEXTS = [code for code, each in FORMATS.items() if not each.is_workbook]

HEADINGS = (
    ExportColumn(("日付", "date"), CellKind.DATE),
    ExportColumn(("選手", "player"), CellKind.TEXT),
    ExportColumn(("素点", "raw"), CellKind.WHOLE),
    ExportColumn(("ポイント", "points"), CellKind.POINTS),
)


def table(*rows: Row, title: str = "2025年11月") -> ExportTable:
    return ExportTable(title, HEADINGS, lambda: iter(rows), day_column=0)


def written(code: str, *rows: Row) -> bytes:
    return b"".join(text_chunks(table(*rows), FORMATS[code]))


def read_back(code: str, data: bytes) -> list[list[str]]:
    format_ = FORMATS[code]
    text = data.decode(format_.encoding).removeprefix("\ufeff")
    return list(csv.reader(StringIO(text, newline=""), delimiter=format_.delimiter))


SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

AOKI: Row = [date(2025, 11, 21), "青木", -1500, Decimal("-12.3")]


@pytest.mark.parametrize("code", TEXTS)
def test_text_file_has_headers_in_two_languages_and_plain_values(code: str) -> None:
    assert read_back(code, written(code, AOKI)) == [
        ["日付", "選手", "素点", "ポイント"],
        ["date", "player", "raw", "points"],
        ["2025-11-21", "青木", "-1500", "-12.3"],
    ]


@pytest.mark.parametrize(
    ("code", "start"),
    [
        pytest.param("csv", b"\xef\xbb\xbf\xe6\x97\xa5", id="UTF-8 with a mark"),
        pytest.param("csv-plain", b"\xe6\x97\xa5", id="UTF-8"),
        pytest.param("csv-cp932", b"\x93\xfa", id="Shift_JIS"),
        pytest.param("tsv", b"\xef\xbb\xbf", id="TSV"),
        pytest.param("tsv-utf16", b"\xff\xfe\xe5\x65", id="UTF-16"),
    ],
)
def test_text_file_begins_with_its_byte_order_mark(code: str, start: bytes) -> None:
    data = written(code, AOKI)
    assert data.startswith(start)
    assert data.decode(FORMATS[code].encoding).endswith("\r\n")


FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1", "＋1", "－1", "＠x", "'=1", "''=1"]


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("code", ["csv", "tsv", "tsv-utf16"])
def test_formulas_are_escaped_and_read_back(code: str, name: str) -> None:
    *_, row = read_back(code, written(code, [None, name, -1, Decimal("-0.5")]))
    assert row[1] == f"'{name}"
    assert unescaped(row[1]) == name
    assert row[2:] == ["-1", "-0.5"]


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(texts)
def test_any_text_is_read_back_from_any_text_format(name: str) -> None:
    for code in TEXTS:
        row = [None, name, 1, None]
        if unwritable(table(row), FORMATS[code]):
            continue
        *_, got = read_back(code, written(code, row))
        assert unescaped(got[1]) == name


@given(texts)
@example("=1+1")
def test_any_text_is_text_in_a_workbook(name: str) -> None:
    made = table([None, name, 1, None])
    if name:
        assert cell_of(made, "B3").find(f"{SPACE}f") is None
    if name.isprintable():
        assert unescaped(rows_of(made)[2][1]) == name


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        pytest.param("髙橋", "", id="an NEC letter is fine"),
        pytest.param("𠮷田", "𠮷", id="outside the first plane"),
        pytest.param("Łukasz", "Ł", id="Latin with a stroke"),
        pytest.param("a¥b", "¥", id="written as a backslash without complaint"),
        pytest.param("−1", "−", id="the real minus"),
        pytest.param("🀄🀄", "🀄", id="a tile, named once"),
    ],
)
def test_characters_missing_in_shift_jis_are_listed(name: str, letters: str) -> None:
    found = unwritable(table([None, name, 1, None]), FORMATS["csv-cp932"])
    assert [(each.text, each.letters) for each in found] == ([(name, letters)] if letters else [])
    others = [FORMATS[code] for code in FORMATS if code != "csv-cp932"]
    assert not any(unwritable(table([None, name, 1, None]), each) for each in others)


def test_shift_jis_file_never_replaces_characters() -> None:
    with pytest.raises(UnicodeEncodeError):
        written("csv-cp932", [None, "𠮷田", 1, None])


def test_at_most_fifty_unwritable_texts_are_listed() -> None:
    rows: list[Row] = [[None, f"𠮷{number}", 1, None] for number in range(80)]
    assert len(unwritable(table(*rows), FORMATS["csv-cp932"])) == 50


def file_made(made: ExportTable, *, by_month: bool = False) -> bytes:
    with workbook(made, by_month=by_month) as file:
        return file.read()


def book_of(made: ExportTable, *, by_month: bool = False) -> CalamineWorkbook:
    return CalamineWorkbook.from_filelike(BytesIO(file_made(made, by_month=by_month)))


def rows_of(made: ExportTable) -> list[list[Any]]:
    return book_of(made).get_sheet_by_index(0).to_python(skip_empty_area=False)


def cell_of(made: ExportTable, name: str) -> ElementTree.Element:
    with ZipFile(BytesIO(file_made(made))) as archive:
        sheet = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    return next(each for each in sheet.iter(f"{SPACE}c") if each.get("r") == name)


def test_workbook_has_real_numbers_and_dates() -> None:
    assert rows_of(table(AOKI)) == [
        ["日付", "選手", "素点", "ポイント"],
        ["date", "player", "raw", "points"],
        [date(2025, 11, 21), "青木", -1500, -12.3],
    ]
    assert rows_of(table())[1] == ["date", "player", "raw", "points"]
    kinds = [cell_of(table(AOKI), name).get("t", "n") for name in ("A3", "B3", "C3", "D3")]
    assert kinds == ["n", "inlineStr", "n", "n"]


def test_workbook_has_a_frozen_bold_header_formats_and_widths() -> None:
    with ZipFile(BytesIO(file_made(table(AOKI)))) as archive:
        sheet, styles = (archive.read(f"xl/{name}.xml").decode() for name in ("worksheets/sheet1", "styles"))
    assert '<pane ySplit="2" topLeftCell="A3" activePane="bottomLeft" state="frozen"/>' in sheet
    assert set(re.findall(r'formatCode="([^"]*)"', styles)) == {"yyyy-mm-dd", "0.0##"}
    bold = re.findall(r"<font>(<b/>)?", styles)
    styled = re.findall(r'<xf numFmtId="(\d+)" fontId="(\d+)"', styles.split("<cellXfs")[1])
    kinds = {name: int(cell_of(table(AOKI), name).get("s", "0")) for name in ("A1", "D2", "A3", "B3", "C3", "D3")}
    assert [bool(bold[int(styled[kinds[name]][1])]) for name in kinds] == [True, True, False, False, False, False]
    assert [styled[kinds[name]][0] != "0" for name in ("A3", "B3", "C3", "D3")] == [True, False, False, True]
    widths = [float(found) for found in re.findall(r'<col [^>]*?width="([\d.]+)"', sheet)]
    assert [int(width) for width in widths] == [12, 16, 9, 10]


def test_workbook_replaces_control_characters() -> None:
    assert rows_of(table([None, "a\x0bb", 1, None]))[2][1] == "a\ufffdb"


def test_workbook_may_have_a_sheet_per_month() -> None:
    december: Row = [date(2025, 12, 5), "石田", 31300, Decimal("1.3")]
    book = book_of(table(AOKI, december, AOKI), by_month=True)
    assert book.sheet_names == ["2025-11", "2025-12"]
    assert [len(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names] == [4, 3]
    assert book_of(table(AOKI, december)).sheet_names == ["2025年11月"]


def test_full_sheet_continues_on_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.exports.workbook.MAX_SHEET_ROWS", 4)
    book = book_of(table(*[AOKI] * 5, title="長" * 31))
    assert book.sheet_names == ["長" * 31, "長" * 27 + " (2)", "長" * 27 + " (3)"]
    assert [len(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names] == [4, 4, 3]


@pytest.mark.long
def test_workbook_of_many_rows_needs_little_memory() -> None:
    def peak(rows: int) -> int:
        made = ExportTable("", HEADINGS, lambda: (AOKI for _ in range(rows)))
        tracemalloc.start()
        workbook(made).close()
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(4000) < peak(500) + 300_000


@pytest.mark.parametrize(
    ("title", "sheet"),
    [
        pytest.param("2025/11 [all]?", "2025 11  all", id="signs that titles may not have"),
        pytest.param("長" * 40, "長" * 31, id="too long"),
        pytest.param("'", "Tenbo", id="nothing left"),
    ],
)
def test_workbook_title_is_valid_in_excel(title: str, sheet: str) -> None:
    assert book_of(table(AOKI, title=title)).sheet_names == [sheet]
