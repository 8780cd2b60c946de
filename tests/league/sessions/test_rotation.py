"""Who comes in and who goes out at a table that takes turns."""

import itertools
from collections import Counter

import pytest

from league.core.seating import rotated


def test_without_hanchan_there_is_nothing_to_rotate() -> None:
    assert rotated([]) == ()
    assert rotated([], waiting="E") == ()


def test_four_keep_their_seats() -> None:
    assert rotated(["ABCD", "BCDA"]) == tuple("BCDA")


def test_the_fifth_comes_in_for_the_last_seat() -> None:
    assert rotated(["ABCD"], waiting="E") == tuple("ABCE")


def test_whoever_has_played_longest_goes_out() -> None:
    assert rotated(["ABCD", "ABCE"]) == tuple("ABDE")
    assert rotated(["ABCD", "ABCE", "ABDE"]) == tuple("ACDE")


def test_whoever_has_waited_longest_comes_in() -> None:
    assert rotated(["ABCD", "ABCE"], waiting="EF") == tuple("ABFE")


@pytest.mark.parametrize("people", ["ABCDE", "ABCDEF", "ABCDEFG"])
def test_everybody_sits_out_equally_often(people: str) -> None:
    seatings = [tuple(people[:4])]
    while len(seatings) < 4 * len(people):
        seatings.append(rotated(seatings, waiting=tuple(people[4:])))
    out = Counter(person for seating in seatings for person in people if person not in seating)
    assert max(out.values()) - min(out[person] for person in people) <= 1
    assert all(len(set(seating)) == 4 for seating in seatings)


@pytest.mark.parametrize("people", ["ABCD", "ABCDE"])
def test_tables_of_three_take_turns_as_well(people: str) -> None:
    assert rotated([people[:3]], waiting=people[3:]) == tuple("ABD")
    seatings = [tuple(people[:3])]
    while len(seatings) < 4 * len(people):
        seatings.append(rotated(seatings, waiting=tuple(people[3:])))
    out = Counter(person for seating in seatings for person in people if person not in seating)
    assert max(out.values()) - min(out[person] for person in people) <= 1
    assert all(len(set(seating)) == 3 for seating in seatings)


def test_one_seat_changes_at_a_time() -> None:
    seatings = [tuple("ABCD")]
    for _ in range(20):
        seatings.append(rotated(seatings, waiting="EF"))
    for before, after in itertools.pairwise(seatings):
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
