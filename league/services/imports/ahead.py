"""Reading a file before the form that needs it begins: while that is under way nobody else can save on SQLite."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from league.services.imports.apart import read_file
from league.services.imports.refusals import ImportFileError
from league.services.imports.rows import FileRows

Found = dict[tuple[bytes, str, str, str], FileRows | ImportFileError]

_found: ContextVar[Found | None] = ContextVar("tenbo_files_read", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Read each file once in this block for each way of reading it, and refuse it again for what it was refused for."""
    token = _found.set({})
    try:
        yield
    finally:
        _found.reset(token)


def read_once(data: bytes, encoding: str = "", delimiter: str = "", sheet: str = "") -> FileRows:
    """Return the rows of an upload, as `read_file` does; without reading it again where that was done in this block."""
    kept = _found.get()
    if kept is None:
        return read_file(data, encoding, delimiter, sheet)
    key = (hashlib.sha256(data).digest(), encoding, delimiter, sheet)
    if key not in kept:
        try:
            kept[key] = read_file(data, encoding, delimiter, sheet)
        except ImportFileError as error:
            kept[key] = error
    found = kept[key]
    if isinstance(found, ImportFileError):
        raise ImportFileError(found.code, **found.values)
    return found
