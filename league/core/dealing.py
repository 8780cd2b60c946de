"""Who sits at which table of an evening, by lot."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class TooFewError(ValueError):
    """There are not enough people for one table."""


def deal(people: Sequence[T], size: int, seed: int) -> tuple[tuple[T, ...], ...]:
    """Return the tables of an evening: as many full ones as there can be, those left over spread among them.

    `size` people play at a table; whoever stands behind them in its tuple sits out first. The same people in the same
    order with the same seed are dealt the same way. Raises TooFewError below `size` people.
    """
    count = len(people) // size
    if not count:
        raise TooFewError(f"{len(people)} people do not fill a table of {size}")
    order = list(people)
    Random(seed).shuffle(order)  # noqa: S311 - a published lot, not a secret
    seated, left = order[: count * size], order[count * size :]
    return tuple(tuple(seated[table * size : (table + 1) * size] + left[table::count]) for table in range(count))
