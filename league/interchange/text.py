"""Streaming of a document as JSON text, without keeping lazily read parts in memory."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def text_of(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the JSON text in pieces.

    Lists may be iterators, at any level; each is consumed once. The text equals that of `json.dumps(document,
    ensure_ascii=False, indent=1)`.
    """
    yield from _pieces(document, "\n")
    yield "\n"


def _pieces(value: Any, line: str) -> Iterator[str]:
    """Yield the JSON text of a value. `line`: a newline with the current indentation."""
    if isinstance(value, Iterator):
        yield from _list(value, line)
    elif isinstance(value, Mapping) and any(isinstance(each, Iterator) for each in value.values()):
        yield from _object(value, line)
    else:
        # JSON strings contain no raw newlines, so every newline here is indentation.
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
