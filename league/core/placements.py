"""Placements as boards store them: places in twelfths, the latest ones packed into one number, sums in halves."""

from typing import Any, TypeVar, cast

Number = TypeVar("Number")
"""A whole number, or a column of a query."""

TWELFTHS = 12
"""Parts of one place: divisible among two, three or four players."""


def recent_placements(digits: int) -> tuple[int, ...]:
    """Return the placements that a board line packs into one number, oldest first: 21341 is 2, 1, 3, 4, 1."""
    return tuple(int(digit) for digit in str(digits)) if digits else ()


PLACES = ("first", "second", "third", "fourth")
"""How often each place was taken, as columns and forms call it."""

HALVES = "2 * placement + sharing - 1"
"""What halves_of returns, of the columns of a seat in a statement."""


def halves_of(placement: Number, sharing: Number) -> Number:
    """Return twice the middle of the places that a placement covers, shared or not; of numbers, or of columns."""
    doubled: Any = 2 * cast("Any", placement)
    return cast("Number", doubled + sharing - 1)
