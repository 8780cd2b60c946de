"""Taking turns at a table of five or more: who comes in for the next hanchan, and for whom."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

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
    out = {person: _pause(person, seatings) for person in _everybody(seatings, waiting) if person not in last}
    if not out:
        return last
    coming = max(out, key=lambda person: out[person])
    leaving = max(range(len(last)), key=lambda seat: (_run(last[seat], seatings), seat))
    return (*last[:leaving], coming, *last[leaving + 1 :])


def _everybody(seatings: Sequence[Sequence[Person]], waiting: Sequence[Person]) -> list[Person]:
    """Return everybody of the table: those who have never played first, so that they win a tie of waiting."""
    return list(dict.fromkeys([*waiting, *(person for seating in seatings for person in seating)]))


def _pause(person: Person, seatings: Sequence[Sequence[Person]]) -> int:
    """Return for how many hanchan somebody has been out by now."""
    return next((ago for ago, seating in enumerate(reversed(seatings)) if person in seating), len(seatings))


def _run(person: Person, seatings: Sequence[Sequence[Person]]) -> int:
    """Return how many hanchan somebody has played in a row by now."""
    return next((ago for ago, seating in enumerate(reversed(seatings)) if person not in seating), len(seatings))
