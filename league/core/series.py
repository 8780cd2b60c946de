"""Series of numbers: added up as they go along, thinned to what can be seen."""

from collections.abc import Sequence
from itertools import accumulate

from league.core.numbers import divided


def running(values: Sequence[int]) -> tuple[int, ...]:
    """Return the cumulative sums of the values."""
    return tuple(accumulate(values))


def thinned(count: int, limit: int) -> tuple[int, ...]:
    """Return the indexes of at most `limit` of `count` things, evenly spread, always with the first and the last."""
    if count <= limit:
        return tuple(range(count))
    return tuple(divided(number * (count - 1), limit - 1) for number in range(limit))
