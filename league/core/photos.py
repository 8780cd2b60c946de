"""Size limits and storage keys of photos."""

import re
from collections.abc import Iterator

MAX_PHOTO_BYTES = 8_000_000
"""Largest upload: a camera picture before it is scaled down."""

MAX_PIXELS = 40_000_000
MAX_PIXELS_WHOLE = 16_000_000
"""Pixel limit for formats that can only be decoded in full, which takes memory for every pixel."""

MAX_SIDE = 1600
SHORTEST_SIDE = 64
"""Pictures narrower than this are illegible."""

MAX_PER_HANCHAN = 6


def fitting_size(width: int, height: int) -> tuple[int, int]:
    longest = max(width, height)
    if longest <= MAX_SIDE:
        return width, height
    return max(1, width * MAX_SIDE // longest), max(1, height * MAX_SIDE // longest)


def is_legible(width: int, height: int) -> bool:
    """Return whether a picture of this size is still legible once scaled down."""
    return min(fitting_size(width, height)) >= SHORTEST_SIDE


BELOW = "photos/"
"""Prefix of all photo keys; other objects in the bucket are not touched."""

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
"""Maximum number of scans in a progressive JPEG. Encoders usually write about ten, and at most some forty."""

_MARKER = re.compile(rb"\xff+([^\x00\xff])", re.DOTALL)
_SCAN, _END = 0xDA, 0xD9
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers without a length field."""


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
