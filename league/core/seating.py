"""Who sits at which table of an evening, by lot."""

from collections.abc import Collection, Hashable, Sequence
from random import Random
from typing import TypeVar

from league.core.limits import MAX_ROUND

T = TypeVar("T")


class TooFewError(ValueError):
    pass


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


Person = TypeVar("Person", bound=Hashable)


def rotated(seatings: Sequence[Sequence[Person]], waiting: Sequence[Person] = ()) -> tuple[Person, ...]:
    """Return who sits where next, first dealer first, when the table takes turns.

    `seatings` are the hanchan of the table so far, oldest first, each from the first dealer on; `waiting` names people
    who have not played yet. Whoever has waited longest comes in, for whoever has played longest without a pause; of
    several, for the one who sat in the later seat. The one coming in takes that seat, the others stay. With nobody
    waiting the seats stay as they are; without any hanchan there is nothing to rotate: ().
    """
    if not seatings:
        return ()
    last = tuple(seatings[-1])
    # Those who have never played come first, so that they win a tie of waiting.
    everybody = dict.fromkeys([*waiting, *(person for seating in seatings for person in seating)])
    out = {person: _pause(person, seatings) for person in everybody if person not in last}
    if not out:
        return last
    coming = max(out, key=lambda person: out[person])
    leaving = max(range(len(last)), key=lambda seat: (_run(last[seat], seatings), seat))
    return (*last[:leaving], coming, *last[leaving + 1 :])


def _pause(person: Person, seatings: Sequence[Sequence[Person]]) -> int:
    return next((ago for ago, seating in enumerate(reversed(seatings)) if person in seating), len(seatings))


def _run(person: Person, seatings: Sequence[Sequence[Person]]) -> int:
    return next((ago for ago, seating in enumerate(reversed(seatings)) if person not in seating), len(seatings))


def next_round(played: Collection[int], planned: Collection[int]) -> int:
    """Return the number of a table's next hanchan, by the rounds that were played and those with a plan of their own.

    A planned round that was left out comes back once no later one is planned. After the highest number the same.
    """
    highest = max(played, default=0)
    upcoming = [number for number in planned if number > highest] or set(planned) - set(played)
    return min(upcoming, default=min(highest + 1, MAX_ROUND))
