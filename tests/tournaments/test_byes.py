"""Who sits out when: nobody in the first round and in the last, where that can be."""

from tournaments.core.seating.problem import spare_the_ends


def test_rounds_are_put_in_an_order_in_which_nobody_sits_out_at_both_ends() -> None:
    rounds = [[[0, 1, 2, 3]], [[1, 2, 3, 4]], [[0, 1, 2, 3]]]
    spared = spare_the_ends(rounds, 5)
    assert sorted(spared) == sorted(rounds)
    assert spared[0] != spared[-1]


def test_where_the_same_one_always_sits_out_the_rounds_stay_as_they_are() -> None:
    rounds = [[[0, 1, 2, 3]], [[3, 2, 1, 0]]]
    assert spare_the_ends(rounds, 5) == rounds
