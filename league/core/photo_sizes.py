"""How large a picture of the table may come, and how small it is kept."""

MAX_PHOTO_BYTES = 8_000_000
"""What a phone may send: the picture of a camera, before it is made smaller."""

MAX_PIXELS = 40_000_000
MAX_PIXELS_WHOLE = 16_000_000
"""Of formats that can only be unpacked whole, and so cost the memory of all their pixels."""

MAX_SIDE = 1600
SHORTEST_SIDE = 64
"""Narrower than this nobody can read a score in it."""

MAX_PER_HANCHAN = 6


def fitting_size(width: int, height: int) -> tuple[int, int]:
    """Return the size at which a picture is kept: its own, or smaller with the same shape."""
    longest = max(width, height)
    if longest <= MAX_SIDE:
        return width, height
    return max(1, width * MAX_SIDE // longest), max(1, height * MAX_SIDE // longest)


def is_legible(width: int, height: int) -> bool:
    """Return whether there is anything to read in a picture of this size once it is kept."""
    return min(fitting_size(width, height)) >= SHORTEST_SIDE
