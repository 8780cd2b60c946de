"""From the bytes of an upload to rows of text. Plain Python, as `child` runs it without the site."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from league.core.spreadsheets.decode import DecodeError, decode, is_workbook
from league.core.spreadsheets.logs import LOG, read_log
from league.core.spreadsheets.tables import FileRow, FileTable, TableError, read_table
from league.services.imports.refusals import ImportFileError


@dataclass(frozen=True, slots=True)
class FileRows:
    """All rows of a file and how they were found.

    A text has an `encoding`, those that are `fitting`, and a `delimiter`; a workbook has the `sheet` that was read (see
    ALL_SHEETS) and all the `sheets` that could be. Of a log so many lines were `passed_over`.
    """

    rows: tuple[FileRow, ...] = ()
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    fitting: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    is_ascii: bool = True
    quotes_ignored: bool = False
    passed_over: int = 0


def rows_of(data: bytes, encoding: str = "", delimiter: str = "", sheet: str = "") -> FileRows:
    """Return the rows of a file, read in the way that is given as far as it is. Raises ImportFileError."""
    return _workbook(data, sheet) if is_workbook(data) else _text(data, encoding, delimiter)


def _text(data: bytes, encoding: str, delimiter: str) -> FileRows:
    try:
        decoded = decode(data, encoding)
        log = read_log(decoded.text) if delimiter in {"", LOG} else None
        if delimiter == LOG and log is None:
            raise ImportFileError("no_log")
        table = FileTable(log.rows, LOG) if log else read_table(decoded.text, delimiter)
    except (DecodeError, TableError) as error:
        raise ImportFileError(error.code, **error.values) from error
    return FileRows(
        rows=table.rows,
        encoding=decoded.encoding,
        delimiter=table.delimiter,
        fitting=decoded.fitting,
        is_ascii=decoded.text.isascii(),
        quotes_ignored=table.quotes_ignored,
        passed_over=log.passed_over if log else 0,
    )


def _workbook(data: bytes, sheet: str) -> FileRows:
    # Only here: whoever reads a text needs none of this.
    from league.services.imports.workbook import ALL_SHEETS, open_workbook  # noqa: PLC0415

    book = open_workbook(data)
    names, alike = book.names, book.alike()
    chosen = sheet or (ALL_SHEETS if len(alike) > 1 and len(alike) == len(names) else alike[0] if alike else "")
    return FileRows(rows=book.rows(chosen), sheet=chosen, sheets=(ALL_SHEETS, *names) if len(names) > 1 else names)


# --- From one process to another -------------------------------------------------------------------------------------

_FACTS = ("encoding", "delimiter", "sheet", "fitting", "sheets", "is_ascii", "quotes_ignored", "passed_over")


def as_lines(found: FileRows) -> Iterator[str]:
    """Yield lines of JSON: how the rows were found, then row by row. A text that stood before is a number.

    So a text that stands in many cells is sent once, and stays one in memory.
    """
    yield json.dumps({name: getattr(found, name) for name in _FACTS})
    known: dict[str, int] = {}
    for line, cells in found.rows:
        sent: list[str | int] = []
        for cell in cells:
            if cell in known:
                sent.append(known[cell])
            else:
                known[cell] = len(known)
                sent.append(cell)
        yield json.dumps([line, sent])


def from_lines(lines: Iterable[bytes]) -> FileRows:
    """Return what `as_lines` was given. Raises ValueError, LookupError or TypeError for anything else."""
    each = iter(lines)
    facts: dict[str, Any] = json.loads(next(each, b""))
    lists = {name: tuple(fact) for name, fact in facts.items() if isinstance(fact, list)}
    return FileRows(rows=tuple(_rows(each)), **{**facts, **lists})


def _rows(lines: Iterable[bytes]) -> Iterator[FileRow]:
    texts: list[str] = []
    for each in lines:
        line, sent = json.loads(each)
        cells = []
        for cell in sent:
            if isinstance(cell, str):
                texts.append(cell)
            cells.append(cell if isinstance(cell, str) else texts[cell])
        yield FileRow(line, tuple(cells))
