"""From bytes to text: which encoding a file is in, and whether it is a text at all."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from league.core.spreadsheets.tables import ImportFileError

ENCODINGS = ("utf-8", "cp932", "utf-16-le", "utf-16-be")
"""What can be chosen, the usual ones first."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WORKBOOK = b"PK\x03\x04"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"

NOT_IN_CP932 = re.compile("[\x80-\x9f\xa0\uf8f0-\uf8f3]")
"""What Python makes of single bytes that mean nothing in cp932."""


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text without its byte order mark, the encoding it was read in, and all those it could be in."""

    text: str
    encoding: str
    fitting: tuple[str, ...]


def is_workbook(data: bytes) -> bool:
    """Whether the file is one of the spreadsheets that are a ZIP archive inside."""
    return data.startswith(_WORKBOOK)


def decode(data: bytes, encoding: str = "") -> DecodedText:
    """Return the text of a file in the encoding that is given, or else the likeliest one. Raises ImportFileError."""
    if not data.strip(b"\0 \t\r\n"):
        raise ImportFileError("empty")
    if data.startswith(_OLD_EXCEL):
        raise ImportFileError("old_excel")
    if encoding and encoding not in ENCODINGS:
        raise ImportFileError("unknown_encoding", encoding=encoding)
    fitting = tuple(_fitting(data))
    if encoding:
        text = _decoded(data, encoding)
    elif fitting:
        encoding = fitting[0]
        text = _decoded(data, encoding)
    else:
        raise ImportFileError("binary")
    if not text.strip():
        raise ImportFileError("empty")
    return DecodedText(text, encoding, fitting)


def _fitting(data: bytes) -> Iterator[str]:
    """Yield the encodings in which the bytes are a text, the likeliest first."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            yield from (encoding for encoding in [encoding] if _fits(data, encoding))
            return
    # A text in UTF-16 has NUL halves where it has digits, commas and ends of lines; any other text has none.
    order = ("utf-16-le", "utf-16-be") if _low_bytes_first(data) else ("utf-16-be", "utf-16-le")
    candidates = order if b"\0" in data else ("utf-8", "cp932")
    yield from (encoding for encoding in candidates if _fits(data, encoding))


def _low_bytes_first(data: bytes) -> bool:
    return data[1::2].count(0) >= data[0::2].count(0)


def _fits(data: bytes, encoding: str) -> bool:
    try:
        _decoded(data, encoding)
    except ImportFileError:
        return False
    return True


def _decoded(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ImportFileError("not_encoding", encoding=encoding, line=line) from error
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise ImportFileError("binary")
    if encoding == "cp932" and (found := NOT_IN_CP932.search(text)):
        raise ImportFileError("not_encoding", encoding=encoding, line=text.count("\n", 0, found.start()) + 1)
    return text
