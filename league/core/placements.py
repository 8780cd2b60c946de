"""Placements as boards store them: places in twelfths, the latest ones packed into one number."""

TWELFTHS = 12
"""Parts of one place: divisible among two, three or four players."""


def recent_placements(digits: int) -> tuple[int, ...]:
    """Return the placements that a board line packs into one number, oldest first: 21341 is 2, 1, 3, 4, 1."""
    return tuple(int(digit) for digit in str(digits)) if digits else ()
