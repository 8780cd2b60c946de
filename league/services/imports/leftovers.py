"""The games of an upload that have errors, as a file like the upload itself, with the reasons."""

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Sequence

import xlsxwriter
from django.utils.translation import gettext as _

from league.core.imports.games import ImportNote
from league.core.spreadsheets.cells import escaped
from league.core.spreadsheets.logs import LOG
from league.core.spreadsheets.numbers import NumberError, parse_number
from league.core.spreadsheets.tables import FileRow
from league.messages.imports import column_label
from league.services.imports.checks import CheckResult
from league.services.imports.source import FileSource

_MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


def leftover_file(checked: CheckResult, name: str, sentence: Callable[[ImportNote], str]) -> tuple[str, bytes]:
    source = checked.contents.source
    reasons = {
        line: " ".join(sentence(note) for note in outcome.notes)
        for outcome in checked.with_status("error")
        for line in outcome.game.lines
    }
    rows = list(_rows(source, reasons))
    stem, _dot, ending = name.rpartition(".")
    stem = stem or name or "import"
    if source.is_workbook:
        return f"{stem}-errors.xlsx", _workbook(rows)
    # Lines of a log come back as the table that they were read as.
    text = _text(rows, "," if source.reading.delimiter == LOG else source.reading.delimiter)
    ending = ending.lower() if ending.lower() in {"csv", "tsv", "txt"} else "csv"
    return f"{stem}-errors.{ending}", _encoded(text, source.reading.encoding)


def _rows(source: FileSource, reasons: dict[int, str]) -> Iterable[list[str]]:
    own = len(source.headers)
    # Columns that were added to the file stand behind its own, and are told by what they hold.
    added = [column_label(target) if target else "" for target in source.reading.columns[own:]]
    width = own + len(added)
    for at, row in enumerate(source.header):
        # Of two rows of headings the upper one takes it: what stands there otherwise goes for all columns behind it too.
        beside = added if at == 0 else [""] * len(added)
        yield [*_padded(row, own), *beside, _("reason") if row is source.header[-1] else ""]
    for row in source.body:
        if row.line in reasons:
            yield [*_padded(row, width), reasons[row.line]]


def _padded(row: FileRow, width: int) -> list[str]:
    cells = row.cells[:width]
    return [_safe(cell) for cell in cells] + [""] * (width - len(cells))


def _safe(cell: str) -> str:
    """Return a cell of somebody's file that no spreadsheet takes for a formula; numbers stay."""
    try:
        parse_number(cell)
    except NumberError:
        return escaped(cell)
    return cell


def _text(rows: Sequence[Sequence[str]], delimiter: str) -> str:
    output = io.StringIO(newline="")
    csv.writer(output, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return output.getvalue()


def _encoded(text: str, encoding: str) -> bytes:
    try:
        return _MARKS.get(encoding, b"") + text.encode(encoding)
    except UnicodeEncodeError:
        return codecs.BOM_UTF8 + text.encode()


def _workbook(rows: Iterable[Sequence[str]]) -> bytes:
    output = io.BytesIO()
    with xlsxwriter.Workbook(output) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(rows):
            for column, text in enumerate(row):
                sheet.write_string(at, column, _control_free(text))
    return output.getvalue()


def _control_free(text: str) -> str:
    return "".join(char for char in text if char >= " " or char in "\t\n\r")
