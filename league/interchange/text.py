"""Streaming of a document as JSON text, without keeping lazily read parts in memory."""

import json
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any

PIECES = 1000
"""Pieces of the encoder that are joined."""


class _Lazy(list[Any]):
    """An iterator that the encoder takes for a list; it is consumed once."""

    def __init__(self, values: Iterator[Any]) -> None:
        # Only whether it is empty has to be known beforehand.
        super().__init__(islice(values, 1))
        self.rest = values

    def __iter__(self) -> Iterator[Any]:
        return chain(super().__iter__(), self.rest)


def text_of(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the JSON text in pieces. Lists may be iterators, at any level."""
    pieces = json.JSONEncoder(ensure_ascii=False, indent=1, default=_Lazy).iterencode(document)
    while part := "".join(islice(pieces, PIECES)):
        yield part
    yield "\n"
