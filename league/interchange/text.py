"""A document as the text of a file, piece by piece: what is only read while it is written is never all in memory."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def text_of(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of a document. Lists in it may be iterators, and so may lists in their items; each is read once.

    To the letter what `json.dumps(document, ensure_ascii=False, indent=1)` says where they are lists.
    """
    yield from _pieces(document, "\n")
    yield "\n"


def _pieces(value: Any, line: str) -> Iterator[str]:
    """Yield the text of a value; `line` ends a line and begins the next one as deep as the value lies."""
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
