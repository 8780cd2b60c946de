"""Which numbers sessions bear: those that somebody typed, the others by their order in time."""

from collections.abc import Sequence


def numbers_by_date(typed: Sequence[int | None]) -> list[int]:
    """Return the numbers of sessions in order of time, of which those are given that somebody typed.

    The others are counted on from the highest before them, and pass over what was typed for a later one.
    """
    taken, found, highest = set(typed), list[int](), 0
    for number in typed:
        found.append(_free(highest, taken) if number is None else number)
        highest = max(highest, found[-1])
    return found


def _free(highest: int, taken: set[int | None]) -> int:
    number = highest + 1
    while number in taken:
        number += 1
    return number
