"""Workbooks that were built to keep the site busy: each is refused, or read, at once."""

import io
import zipfile

import pytest
from python_calamine import CalamineError, CalamineWorkbook

from league.services.imports.values import ImportFileError
from league.services.imports.workbook import open_workbook
from tests.league.imports.files import book_of

HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
FOOT = "</sheetData></worksheet>"


def workbook(sheet: bytes) -> bytes:
    """Return a workbook whose only sheet is this text."""
    plain, spoiled = io.BytesIO(book_of(title="Sheet")), io.BytesIO()
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(spoiled, "w", zipfile.ZIP_DEFLATED) as target:
        for part in source.infolist():
            target.writestr(part, sheet if part.filename == "xl/worksheets/sheet1.xml" else source.read(part))
    return spoiled.getvalue()


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


def test_the_library_refuses_entities_too() -> None:
    sheet = (
        f'<!DOCTYPE w [<!ENTITY a "{"A" * 1000}">]>' + HEAD + '<row r="1"><c r="A1" t="str"><v>&a;</v></c></row>' + FOOT
    )
    with pytest.raises(CalamineError):
        CalamineWorkbook.from_filelike(io.BytesIO(workbook(sheet.encode()))).get_sheet_by_index(0)
