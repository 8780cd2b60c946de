"""Decoding of files and splitting into rows: encodings, delimiters, quotes, blank rows."""

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from league.core.errors import RefusedError

DELIMITERS = (",", "\t", ";", "|")

MAX_ROWS = 100_000
BESIDE = 10
"""Rows allowed beyond MAX_ROWS for titles, headers and totals."""

MAX_BLANK = 100_000
"""Maximum number of blank rows between others."""

MAX_COLUMNS = 500

LOOKED_AT = 30
"""Number of lines examined to guess the delimiter."""


class ImportFileError(RefusedError):
    """A file cannot be read."""


class FileRow(NamedTuple):
    """A row's cells, stripped, without trailing empty ones; `line` counts from 1."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileTable:
    """The non-blank rows. `quotes_ignored`: quotation marks were unbalanced and are part of the text."""

    rows: tuple[FileRow, ...]
    quotes_ignored: bool = False


def read_table(text: str, delimiter: str = "") -> FileTable:
    """Split a text into rows, with the given or the most plausible delimiter. Raise ImportFileError."""
    chosen = delimiter or guess_delimiter(text)
    try:
        return FileTable(kept(_quoted(text, chosen)))
    except csv.Error:
        return FileTable(kept(_unquoted(text, chosen)), quotes_ignored=True)


def guess_delimiter(text: str) -> str:
    head = "".join(line for line, _ in zip(io.StringIO(text, newline=""), range(LOOKED_AT), strict=False))

    def regularity(delimiter: str) -> int:
        widths = Counter(len(cells) for _, cells in _unquoted(head, delimiter) if len(cells) > 1)
        return max((width * rows for width, rows in widths.items()), default=0)

    # Commas also occur in numbers; tabs only separate cells.
    weights = dict.fromkeys(DELIMITERS, 1) | {"\t": 2}
    return max(DELIMITERS, key=lambda each: (regularity(each) * weights[each], -DELIMITERS.index(each)))


def kept(rows: Iterable[tuple[int, Sequence[str]]]) -> tuple[FileRow, ...]:
    """Return the non-blank rows. Equal cells share one string to save memory."""
    known: dict[str, str] = {}
    found: list[FileRow] = []
    blank = 0
    for line, cells in rows:
        stripped = [known.setdefault(text, text) for text in map(str.strip, cells)]
        while stripped and not stripped[-1]:
            stripped.pop()
        if not stripped:
            blank += 1
            if blank > MAX_BLANK:
                raise ImportFileError("too_many_rows", most=MAX_ROWS)
            continue
        if len(stripped) > MAX_COLUMNS:
            raise ImportFileError("too_many_columns", most=MAX_COLUMNS, line=line)
        if len(found) >= MAX_ROWS + BESIDE:
            raise ImportFileError("too_many_rows", most=MAX_ROWS)
        found.append(FileRow(line, tuple(stripped)))
    return tuple(found)


def _quoted(text: str, delimiter: str) -> Iterator[tuple[int, Sequence[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    for cells in reader:
        yield line, cells
        line = reader.line_num + 1


def _unquoted(text: str, delimiter: str) -> Iterator[tuple[int, Sequence[str]]]:
    for line, content in enumerate(io.StringIO(text, newline=""), start=1):
        yield line, [_bare(cell.strip()) for cell in content.rstrip("\r\n").split(delimiter)]


def _bare(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_WORKBOOK = b"PK\x03\x04"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"

_PACKED = b"\x1f\x8b"
_RECORD = re.compile(rb'"(?:log|haipai|mjai|actions|start_kyoku|start_game|accounts|record)"')

LOOKED_INTO = 4000
"""Bytes that tell the record of a hanchan."""

UNLIKELY = {
    # Python decodes unassigned cp932 bytes to these.
    "cp932": re.compile("[\x80-\x9f\xa0\uf8f0-\uf8f3]"),
    "cp1252": re.compile(
        "[^\t\n\r -~\xa0À-ÖØ-öø-ÿŒœŠšŽžŸ–—‘’“”„…€«»°±²·´§ªº¡¿£¥©®™¹³½¼¾µ×•‚]|[À-ÖØ-öø-ÿ]{3}|[–—…][^\\s\\da-zA-Z]"
    ),
}
"""What a text in an encoding does not contain."""

_ACCENTS = re.compile("(?:[a-z]|[A-Z]{2})[^\0-\x7f]|[^\0-\x7f](?:[a-z]|[A-Z]{2})|[\ue000-\uf8ff]")
"""What cp932 makes of Jürgen or Renée: a Japanese character within a word of Latin letters."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A decoded text without its byte order mark. `fitting`: all encodings that could be right, the likeliest first."""

    text: str
    encoding: str
    fitting: tuple[str, ...]

    @property
    def is_unsure(self) -> bool:
        """Whether the text makes sense both in Japanese and with accented letters."""
        return self.fitting == ("cp932", "cp1252")


def is_workbook(data: bytes) -> bool:
    return data.startswith(_WORKBOOK)


def decode(data: bytes, encoding: str = "") -> DecodedText:
    """Decode a file in the given or the most plausible encoding. Raise ImportFileError."""
    if not data.strip(b"\0 \t\r\n"):
        raise ImportFileError("empty")
    if data.startswith(_OLD_EXCEL):
        raise ImportFileError("old_excel")
    _refuse_records(data)
    fitting = _fitting(data)
    if not encoding and not fitting:
        raise ImportFileError("binary")
    encoding = encoding or fitting[0]
    text = _decoded(data, encoding)
    if not text.strip():
        raise ImportFileError("empty")
    return DecodedText(text, encoding, fitting)


def _refuse_records(data: bytes) -> None:
    """Raise ImportFileError for the record of a hanchan, which is no table."""
    if data.startswith(_PACKED):
        with suppress(OSError, EOFError, zlib.error):
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(LOOKED_INTO)
    start = data[:LOOKED_INTO].lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"<mjlog" in start[:200]:
        raise ImportFileError("record_mjlog")
    if start.startswith((b"{", b"[")) and _RECORD.search(start):
        raise ImportFileError("record_json")


def _fitting(data: bytes) -> tuple[str, ...]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            candidates: tuple[str, ...] = (encoding,)
            break
    else:
        # In UTF-16, digits, commas and line ends have a NUL byte; other encodings have none.
        is_little = data[1::2].count(0) >= data[0::2].count(0)
        order = ("utf-16-le", "utf-16-be") if is_little else ("utf-16-be", "utf-16-le")
        candidates = order if b"\0" in data else ("utf-8", "cp932", "cp1252")
    found = {}
    for encoding in candidates:
        with suppress(ImportFileError):
            found[encoding] = _decoded(data, encoding)
    is_latin = [*found] == ["cp932", "cp1252"] and _ACCENTS.search(found["cp932"])
    return ("cp1252", "cp932") if is_latin else tuple(found)


def _decoded(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ImportFileError("not_encoding", encoding=encoding, line=data.count(b"\n", 0, error.start) + 1) from error
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise ImportFileError("binary")
    if encoding in UNLIKELY and (found := UNLIKELY[encoding].search(text)):
        raise ImportFileError("not_encoding", encoding=encoding, line=text.count("\n", 0, found.start()) + 1)
    return text
