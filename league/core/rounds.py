"""Which hanchan a table plays next, counted from 1 within its session."""

from collections.abc import Collection

from league.core.limits import MAX_ROUND


def next_round(played: Collection[int], planned: Collection[int]) -> int:
    """Return the number of a table's next hanchan, by the rounds that were played and those with a plan of their own.

    A planned round that was left out comes back once no later one is planned. After the highest number the same.
    """
    highest = max(played, default=0)
    upcoming = [number for number in planned if number > highest] or set(planned) - set(played)
    return min(upcoming, default=min(highest + 1, MAX_ROUND))
