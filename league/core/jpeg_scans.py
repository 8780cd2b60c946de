"""How often a JPEG goes over its picture. Each time costs as much as the picture has pixels, however few bytes it takes."""

import re
from collections.abc import Iterator

MAX_SCANS = 64
"""Programs that make progressive files go over a picture ten times, the most thorough some forty times."""

_MARKER = re.compile(rb"\xff+([^\x00\xff])", re.DOTALL)
_SCAN, _END = 0xDA, 0xD9
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Marks that nothing belongs to; everything else says how long it is."""


def scans_in(jpeg: bytes) -> int:
    """Return how many scans a decoder would go through; what is hidden in remarks or comes after the end is none."""
    return sum(mark == _SCAN for mark in _marks(jpeg))


def _marks(jpeg: bytes) -> Iterator[int]:
    place = 0
    while found := _MARKER.search(jpeg, place):
        mark, place = found[1][0], found.end()
        yield mark
        if mark == _END:
            return
        if mark not in _ALONE:
            place += max(2, int.from_bytes(jpeg[place : place + 2], "big"))
