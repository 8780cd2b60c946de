"""Workbooks that were built to keep the site busy: each is refused, or read, at once."""

import io
import random
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

import pytest
from python_calamine import CalamineError, CalamineWorkbook

from league.services.imports.archive import checked_archive
from league.services.imports.values import ImportFileError
from league.services.imports.workbook import open_workbook
from tests.league.imports.files import book_of, books_of

HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
FOOT = "</sheetData></worksheet>"


def workbook(sheet: bytes) -> bytes:
    """Return a workbook whose only sheet is this text."""
    return replaced(book_of(title="Sheet"), {"xl/worksheets/sheet1.xml": sheet})


def replaced(book: bytes, parts: Mapping[str, str | bytes]) -> bytes:
    """Return the workbook with these parts instead of its own, or added to them."""
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as source, zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as target:
        for name in dict.fromkeys((*source.namelist(), *parts)):
            target.writestr(name, parts[name] if name in parts else source.read(name))
    return output.getvalue()


def rows(content: str) -> bytes:
    return workbook((HEAD + content + FOOT).encode())


def test_a_row_far_away_is_not_walked_to() -> None:
    with pytest.raises(ImportFileError, match="too_many_rows"):
        open_workbook(rows('<row r="9999999999999"><c r="A2"><v>1</v></c></row>')).rows("Sheet")


def test_rows_of_sixteen_thousand_empty_cells_are_refused() -> None:
    with pytest.raises(ImportFileError, match="too_many_columns"):
        open_workbook(rows('<row><c r="XFD1"/></row>' * 20_000)).rows("Sheet")


@pytest.mark.parametrize("content", ["<f>1</f>" + " " * 200_000 + "<v>1</v>", "<!--" + "<f" * 200_000 + "-->"])
def test_formulas_are_looked_for_in_one_go(content: str) -> None:
    assert open_workbook(rows(f'<row r="1"><c r="A1">{content}</c></row>')).rows("Sheet") is not None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_declared_entities_are_refused_wherever_they_stand(encoding: str) -> None:
    declared = (
        f'<?xml version="1.0" encoding="{encoding}"?><!--{" " * 2000}--><!DOCTYPE w [<!ENTITY a "{"A" * 1000}">]>'
    )
    sheet = declared + HEAD + '<row r="1"><c r="A1" t="str"><v>&a;</v></c></row>' + FOOT
    with pytest.raises(ImportFileError, match="not_a_workbook"):
        open_workbook(workbook(sheet.encode(encoding))).rows("Sheet")


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
    ],
)  # fmt: skip
def test_cells_far_apart_do_not_take_the_room_between_them(content: str) -> None:
    # As a rectangle this is more than a thousand million cells.
    with pytest.raises(ImportFileError, match="too_many"):
        open_workbook(rows(content))


def test_many_sheets_are_as_much_as_one() -> None:
    apart = '<row r="1"><c r="CV1"><v>1</v></c></row><row r="40000"><c r="A40000"><v>1</v></c></row>'
    sheets = books_of({f"Sheet{number}": () for number in range(6)})
    with pytest.raises(ImportFileError, match="too_many"):
        open_workbook(
            replaced(sheets, {f"xl/worksheets/sheet{number}.xml": HEAD + apart + FOOT for number in range(1, 7)})
        )


def test_formatted_cells_without_values_are_no_reason_to_refuse() -> None:
    wide = '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="0"/></row>'
    tall = "".join(f'<row r="{number}"><c r="A{number}"><v>{number}</v></c></row>' for number in range(2, 400))
    assert len(open_workbook(rows(wide + tall)).rows("Sheet")) == 399


def test_only_the_parts_that_were_looked_at_are_read() -> None:
    archive = checked_archive(replaced(book_of(("a",)), {"xl/media/image.png": "x", "content.xml": "<x/>"}))
    with zipfile.ZipFile(io.BytesIO(archive.data)) as packed:
        assert set(packed.namelist()) == set(archive.parts)
        assert {"xl/media/image.png", "content.xml"}.isdisjoint(packed.namelist())


@pytest.mark.parametrize("name", ["content.xml", "xl/workbook.bin"])
def test_other_kinds_of_workbooks_are_refused(name: str) -> None:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(name, "<x/>")
    with pytest.raises(ImportFileError, match="not_a_workbook"):
        open_workbook(output.getvalue())


@pytest.mark.long
def test_damaged_workbooks_are_read_or_refused() -> None:
    dice, whole = random.Random("damage"), books_of({"A": (("日付", "選手"), (datetime(2025, 11, 21), 1.5))})
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name.startswith("xl/")}
    for _ in range(400):
        name = dice.choice(list(parts))
        at = dice.randrange(len(parts[name]))
        spoiled = parts[name][:at] + dice.choice(JUNK) + parts[name][at + dice.choice((0, 1, 9)) :]
        with suppress(ImportFileError):
            open_workbook(replaced(whole, {name: spoiled})).rows("*")


JUNK = (
    b'"',
    b"<",
    b">",
    b"&",
    b"-1",
    b"XFD1048576",
    b"999999999999",
    b't="e"',
    b't="s"',
    b"\xff",
    b"",
    b"1e309",
    b"<row>",
)


def test_the_library_refuses_entities_too() -> None:
    sheet = (
        f'<!DOCTYPE w [<!ENTITY a "{"A" * 1000}">]>' + HEAD + '<row r="1"><c r="A1" t="str"><v>&a;</v></c></row>' + FOOT
    )
    with pytest.raises(CalamineError):
        CalamineWorkbook.from_filelike(io.BytesIO(workbook(sheet.encode()))).get_sheet_by_index(0)
