"""How large a picture of the table may come, and how small it is kept."""

import re
from collections.abc import Iterator

MAX_PHOTO_BYTES = 8_000_000
"""Largest upload: a camera picture before it is reduced."""

MAX_PIXELS = 40_000_000
MAX_PIXELS_WHOLE = 16_000_000
"""Of formats that can only be unpacked whole, and so cost the memory of all their pixels."""

MAX_SIDE = 1600
SHORTEST_SIDE = 64
"""Narrower pictures are unreadable."""

MAX_PER_HANCHAN = 6


def fitting_size(width: int, height: int) -> tuple[int, int]:
    longest = max(width, height)
    if longest <= MAX_SIDE:
        return width, height
    return max(1, width * MAX_SIDE // longest), max(1, height * MAX_SIDE // longest)


def is_legible(width: int, height: int) -> bool:
    """Return whether there is anything to read in a picture of this size once it is kept."""
    return min(fitting_size(width, height)) >= SHORTEST_SIDE


BELOW = "photos/"
"""Prefix of all photo keys; other objects in the store are not ours."""

_KEY = re.compile(r"photos/(?P<league>[0-9]{1,18})/(?P<digest>[0-9a-f]{64})\.jpg")


def key_of(league: int, digest: str) -> str:
    return f"{BELOW}{league}/{digest}.jpg"


def below_league(league: int) -> str:
    return f"{BELOW}{league}/"


def digest_in(key: str) -> str:
    """Return the digest in a photo's key, or ""."""
    found = _KEY.fullmatch(key)
    return found["digest"] if found else ""


MAX_SCANS = 64
"""Programs that make progressive files go over a picture ten times, the most thorough some forty times."""

_MARKER = re.compile(rb"\xff+([^\x00\xff])", re.DOTALL)
_SCAN, _END = 0xDA, 0xD9
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Marks that nothing belongs to; everything else says how long it is."""


def scans_in(jpeg: bytes) -> int:
    """Count the scans of a JPEG that a decoder would process, ignoring comments and trailing data."""
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
