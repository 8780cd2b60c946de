"""Writes a document as JSON text in pieces, without holding lazily read parts in memory."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def text_of(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the JSON text. Lists, also in list items, may be iterators; each is read once.

    Identical to `json.dumps(document, ensure_ascii=False, indent=1)`.
    """
    yield from _pieces(document, "\n")
    yield "\n"


def _pieces(value: Any, line: str) -> Iterator[str]:
    """Yield the text of a value; `line`: newline with indentation."""
    if isinstance(value, Iterator):
        yield from _list(value, line)
    elif isinstance(value, Mapping) and any(isinstance(each, Iterator) for each in value.values()):
        yield from _object(value, line)
    else:
        # Texts of JSON hold no ends of lines: all that there are belong to the form.
        yield json.dumps(value, ensure_ascii=False, indent=1).replace("\n", line)


def _list(values: Iterator[Any], line: str) -> Iterator[str]:
    inner, sign = f"{line} ", "["
    for value in values:
        yield f"{sign}{inner}"
        yield from _pieces(value, inner)
        sign = ","
    yield "[]" if sign == "[" else f"{line}]"


def _object(values: Mapping[str, Any], line: str) -> Iterator[str]:
    inner, sign = f"{line} ", "{"
    for name, value in values.items():
        yield f"{sign}{inner}{json.dumps(name, ensure_ascii=False)}: "
        yield from _pieces(value, inner)
        sign = ","
    yield f"{line}}}"
