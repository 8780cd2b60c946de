from collections.abc import Collection, Hashable, Sequence
from random import Random
from typing import TypeVar

from league.core.limits import MAX_ROUND

T = TypeVar("T")


class TooFewError(ValueError):
    pass


def deal(people: Sequence[T], size: int, seed: int) -> tuple[tuple[T, ...], ...]:
    """Deal people to tables at random: as many full tables as possible, the rest spread over them.

    `size`: players per table; people beyond that in a tuple sit out first. Deterministic by seed. Raise TooFewError if
    there are fewer than `size` people.
    """
    count = len(people) // size
    if not count:
        raise TooFewError(f"{len(people)} people do not fill a table of {size}")
    order = list(people)
    Random(seed).shuffle(order)  # noqa: S311 - a published lot, not a secret
    seated, left = order[: count * size], order[count * size :]
    return tuple(tuple(seated[table * size : (table + 1) * size] + left[table::count]) for table in range(count))


Person = TypeVar("Person", bound=Hashable)


def rotated(seatings: Sequence[Sequence[Person]], waiting: Sequence[Person] = ()) -> tuple[Person, ...]:
    """Return the seats of the next hanchan when players rotate, first dealer first.

    `seatings`: earlier hanchan at the table, oldest first, in seat order; `waiting`: people who have not played yet.
    The person who has waited longest replaces the player with the most hanchan in a row; if tied, the one in the later seat.
    The others keep their seats. Returns () if nothing was played.
    """
    if not seatings:
        return ()
    last = tuple(seatings[-1])
    # People who have not played come first, so they win ties.
    everybody = dict.fromkeys([*waiting, *(person for seating in seatings for person in seating)])
    out = {person: _ago(person, seatings, sat=True) for person in everybody if person not in last}
    if not out:
        return last
    coming = max(out, key=lambda person: out[person])
    leaving = max(range(len(last)), key=lambda seat: (_ago(last[seat], seatings, sat=False), seat))
    return (*last[:leaving], coming, *last[leaving + 1 :])


def _ago(person: Person, seatings: Sequence[Sequence[Person]], *, sat: bool) -> int:
    """Return the number of hanchan since one in which a person sat, or did not sit."""
    return next((ago for ago, seating in enumerate(reversed(seatings)) if (person in seating) == sat), len(seatings))


def next_round(played: Collection[int], planned: Collection[int]) -> int:
    """Return the round of a table's next hanchan, from the rounds played and planned.

    A skipped round comes back once no later one is planned. The highest possible number is reused.
    """
    highest = max(played, default=0)
    upcoming = [number for number in planned if number > highest] or set(planned) - set(played)
    return min(upcoming, default=min(highest + 1, MAX_ROUND))
