"""Schedules against what no schedule can beat."""

from random import Random

import pytest

from tests.tournaments import seating_counts as truth
from tournaments.core.seating.certificate import best_bound, certificate, lower_bounds
from tournaments.core.seating.constructions import constructed
from tournaments.core.seating.designs import difference_design, extended_design, golfers_design, group_of, without_one
from tournaments.core.seating.problem import MAX_ROUNDS, SeatingError, Wishes, chance, spare_the_ends
from tournaments.core.seating.search import Search, anneal
from tournaments.core.seating.seat import PROPOSALS, seat

ABOVE_THE_BOUND = """
10x11 394 390, 13x8 278 276, 13x9 346 342, 14x5 112 110, 14x6 148 142, 14x10 368 366, 15x6 126 120, 17x5 122 120,
17x6 172 166, 17x11 528 526, 18x6 154 150, 18x7 202 198, 19x7 178 168, 19x8 236 234, 20x6 192 182, 21x6 182 180,
21x7 230 224, 21x8 302 300, 22x7 218 210, 22x8 272 258, 23x8 256 240, 23x9 316 308, 25x7 254 252, 25x8 308 288,
26x8 298 288, 26x9 360 340, 26x10 438 430, 27x10 396 384, 29x10 472 458, 30x10 450 430, 30x11 530 516, 30x12 644 642,
31x11 498 462, 31x12 592 582, 33x11 572 550, 33x12 682 672, 34x12 640 606, 35x12 612 576, 36x12 706 684,
37x12 690 648, 38x12 680 648
"""
"""Players x rounds, the least sum of squares known, and the bound that has not been reached."""

KNOWN = {
    (int(size.split("x")[0]), int(size.split("x")[1])): (int(known), int(bound))
    for size, known, bound in (line.split() for line in ABOVE_THE_BOUND.replace("\n", " ").split(", "))
}

SAMPLE = sorted({*range(4, 53), *range(53, 201, 13), 100, 128, 172, 199, 200})


def is_in_the_sample(players: int, rounds: int) -> bool:
    return rounds in {1, 2, 12} or (players, rounds) in KNOWN or (players + rounds) % 4 == 0


@pytest.mark.at_random
@pytest.mark.parametrize("players", SAMPLE)
def test_no_schedule_beats_these(players: int) -> None:
    for rounds in range(1, 13):
        if not is_in_the_sample(players, rounds):
            continue
        schedule = seat(players, rounds)
        assert not truth.faults(schedule.rounds, players)
        assert len(schedule.rounds) == rounds
        bound = best_bound(players, rounds)[0]
        known = KNOWN.get((players, rounds), (bound, bound))
        assert (truth.squares(schedule.rounds), bound) == known, (players, rounds)
        played = truth.games(schedule.rounds, players)
        assert max(played) - min(played) <= 1
        assert truth.winds_spread(schedule.rounds, players) <= 1
        assert not truth.blocks_lacking_a_wind(schedule.rounds, players)


@pytest.mark.parametrize(("rounds", "squares"), [(8, 384), (9, 432), (10, 480), (11, 592), (12, 736)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_thirty_two_players_meet_as_evenly_as_can_be(rounds: int, squares: int, seed: int) -> None:
    schedule = seat(32, rounds, seed=seed)
    found = certificate(schedule)
    assert not truth.faults(schedule.rounds, 32)
    assert truth.squares(schedule.rounds) == squares == best_bound(32, rounds)[0]
    assert found.repeated_triples == 0
    assert found.table_visits <= 3
    assert truth.winds_spread(schedule.rounds, 32) <= 1
    assert not truth.blocks_lacking_a_wind(schedule.rounds, 32)


def test_ten_rounds_of_thirty_two_leave_sixteen_pairs_who_meet_in_the_next_two() -> None:
    met = truth.pair_counts(golfers_design(10, chance(1)))
    assert set(met.values()) == {1}
    unmet = [(one, one + 16) for one in range(16)]
    assert len(met) == 496 - len(unmet)
    later = truth.pair_counts(golfers_design(12, chance(1)))
    assert [met[pair] for pair in unmet] == [0] * 16
    assert [later[pair] for pair in unmet] == [2] * 16


def test_friends_of_thirty_two_stay_apart_for_ten_rounds_at_no_cost() -> None:
    apart = ((0, 1), (2, 3), (4, 5))
    schedule = seat(32, 10, wishes=Wishes(apart=apart))
    assert truth.squares(schedule.rounds) == 480
    assert [truth.pair_counts(schedule.rounds)[pair] for pair in apart] == [0, 0, 0]


SANMA_ABOVE_THE_BOUND = {
    (6, 12): 352,
    (12, 5): 66,
    (12, 6): 86,
    (18, 8): 146,
    (18, 9): 182,
    (24, 11): 270,
    (24, 12): 316,
}
SANMA_ABOVE_THE_BOUND |= {(21, 10): 220, (27, 12): 328}


@pytest.mark.long
@pytest.mark.at_random
@pytest.mark.parametrize("players", range(6, 34, 3))
def test_tables_of_three_are_nearly_all_at_the_bound(players: int) -> None:
    for rounds in range(1, 13):
        schedule = seat(players, rounds, table_size=3)
        assert not truth.faults(schedule.rounds, players, 3)
        bound = best_bound(players, rounds, 3)[0]
        assert truth.squares(schedule.rounds) == SANMA_ABOVE_THE_BOUND.get((players, rounds), bound), rounds
        assert truth.winds_spread(schedule.rounds, players, 3) <= 1
        assert not truth.blocks_lacking_a_wind(schedule.rounds, players, 3)


@pytest.mark.parametrize(
    ("players", "rounds"), [(4, 5), (7, 8), (8, 4), (10, 6), (11, 5), (37, 12), (100, 5), (101, 5)]
)
def test_tables_of_three_with_byes(players: int, rounds: int) -> None:
    schedule = seat(players, rounds, table_size=3)
    assert not truth.faults(schedule.rounds, players, 3)
    assert truth.winds_spread(schedule.rounds, players, 3) <= 1
    played = truth.games(schedule.rounds, players)
    assert max(played) - min(played) <= 1
    least = best_bound(players, rounds, 3)[0]
    assert least <= truth.squares(schedule.rounds) <= least * 21 // 20


@pytest.mark.parametrize(
    ("players", "rounds"),
    [
        (20, 5),
        (24, 5),
        (28, 7),
        (32, 8),
        (36, 9),
        (40, 9),
        (44, 11),
        (48, 12),
        (52, 12),
        (56, 12),
        (60, 12),
        (96, 12),
        (200, 12),
    ],
)
def test_nobody_comes_back_to_a_table_number(players: int, rounds: int) -> None:
    assert truth.most_visits(seat(players, rounds).rounds) == 1


def test_table_numbers_are_searched_for_where_no_construction_gives_them() -> None:
    found = certificate(seat(20, 7))
    assert (found.table_excess, found.table_visits) == (0, 2)


def test_eight_by_eight_is_as_a_block_needs_it() -> None:
    rounds = seat(8, 8).rounds
    assert truth.histogram(rounds, 8) == {3: 16, 4: 12}
    assert all(sorted(truth.winds_of(rounds, player)) == [0, 0, 1, 1, 2, 2, 3, 3] for player in range(8))


def test_no_three_meet_twice_in_seven_rounds_of_eight() -> None:
    assert certificate(seat(8, 7)).repeated_triples == 0


@pytest.mark.parametrize("players", [16, 18, 23, 36, 40, 52, 61])
def test_a_seed_gives_the_same_schedule_again_and_another_seed_another(players: int) -> None:
    assert seat(players, 6, seed=7) == seat(players, 6, seed=7)
    assert seat(players, 6, seed=7).rounds != seat(players, 6, seed=8).rounds


def test_whoever_sits_out_first_does_not_sit_out_last() -> None:
    for players in (9, 18, 27, 30, 57):
        byes = seat(players, 8).byes
        assert set(byes[0]).isdisjoint(byes[-1])
    assert seat(5, 6).byes[0] != seat(5, 6).byes[-1]


def test_there_may_be_no_order_in_which_all_are_spared() -> None:
    assert len(seat(7, 2).byes[0]) == 3
    assert seat(4, 3).byes == ((), (), ())


@pytest.mark.parametrize(("players", "rounds"), [(8, 20), (12, 20), (16, 14), (28, 20), (28, 12), (64, 16), (199, 20)])
def test_long_events_are_at_the_bound_as_well(players: int, rounds: int) -> None:
    schedule = seat(players, rounds)
    assert not truth.faults(schedule.rounds, players)
    assert truth.squares(schedule.rounds) == best_bound(players, rounds)[0]


@pytest.mark.parametrize(("players", "rounds"), [(20, 20), (13, 15), (50, 13), (100, 26)])
def test_long_events_without_a_construction_are_near_the_bound(players: int, rounds: int) -> None:
    schedule = seat(players, rounds, proposals=100_000)
    assert not truth.faults(schedule.rounds, players)
    bound = best_bound(players, rounds)[0]
    assert bound <= truth.squares(schedule.rounds) <= bound * 21 // 20
    assert truth.winds_spread(schedule.rounds, players) <= 1


@pytest.mark.parametrize("players", [*range(49, 400, 7), 51, 60, 61, 62, 63])
def test_twelve_rounds_without_a_repetition_are_known_for_every_size(players: int) -> None:
    groups, method = constructed(players, 12, 4, chance(5)) or ([], "")
    assert "design" in method or method in {"difference_matrix", "catalogue"}
    assert truth.repeats(groups) == 0
    assert not truth.faults(groups, players)


def test_a_design_has_no_room_for_everybody() -> None:
    design = difference_design(5, 5, 4, chance(1))
    assert design is not None
    assert extended_design(design, 3, chance(1)) is None
    shorter = without_one(design, 7)
    assert not truth.faults(shorter, 19)
    assert truth.repeats(shorter) == 0


def test_a_search_for_a_design_gives_up() -> None:
    assert difference_design(18, 18, 4, chance(1)) is None
    found = difference_design(18, 13, 4, chance(1))
    assert found is not None
    assert truth.repeats(found) == 0


@pytest.mark.parametrize("order", [4, 5, 8, 9, 12, 16, 25, 27, 32, 49])
def test_fields_and_groups(order: int) -> None:
    group, elements = group_of(order), range(order)
    assert all({group.plus(one, other) for other in elements} == set(elements) for one in elements)
    assert all(group.plus(0, one) == one for one in elements)
    if group.times is not None:
        times = group.times
        assert all({times(one, other) for other in elements} == set(elements) for one in elements if one)
        assert all(
            times(2, group.plus(one, other)) == group.plus(times(2, one), times(2, other))
            for one in elements
            for other in elements
        )


def test_sizes_beyond_the_catalogue_are_searched_for() -> None:
    schedule = seat(11, 13, table_size=3, proposals=20_000)
    assert "annealing" in schedule.method
    assert not truth.faults(schedule.rounds, 11, 3)


@pytest.mark.parametrize(
    ("bound", "players", "rounds", "value"),
    [
        pytest.param("pairs", 16, 6, 192, id="a sixth round of sixteen repeats"),
        pytest.param("overlap", 8, 2, 32, id="four of eight must split two and two"),
        pytest.param("overlap", 11, 2, 26, id="three who sit out spare three meetings of four"),
        pytest.param("rows", 5, 3, 36, id="unequal games"),
        pytest.param("proved", 20, 6, 182, id="no packing of twenty"),
    ],
)
def test_bounds(bound: str, players: int, rounds: int, value: int) -> None:
    assert lower_bounds(players, rounds)[bound] == value


def test_a_bound_with_history_counts_what_was_played() -> None:
    played = seat(16, 5).rounds
    assert best_bound(16, 1, history=played) == (192, "history")
    assert best_bound(16, 1, history=played, absent=[0, 1, 2, 3])[0] == 120 + 3 * 6 * 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((3, 2), "From 4 to 400 players can be seated, not 3."),
        ((401, 2), "From 4 to 400 players can be seated, not 401."),
        ((8, 0), "From 1 to 60 rounds can be seated, not 0."),
        ((8, MAX_ROUNDS + 1), "From 1 to 60 rounds can be seated, not 61."),
    ],
)
def test_sizes_that_make_no_sense(arguments: tuple[int, int], complaint: str) -> None:
    with pytest.raises(SeatingError, match=f"^{complaint}$"):
        seat(*arguments)


def test_tables_of_five_are_refused() -> None:
    with pytest.raises(SeatingError, match="3 or 4 players, not 5"):
        seat(10, 2, table_size=5)


@pytest.mark.parametrize(
    ("wishes", "complaint"),
    [
        (Wishes(apart=((0, 8),)), "apart: there is no player 8; players are numbered from 0 to 7."),
        (Wishes(together=((-1, 3),)), "together: there is no player -1;"),
        (Wishes(groups=((1, 2, 1),)), "groups: player 1 is listed twice in one group."),
        (Wishes(absent=(9,)), "absent: there is no player 9;"),
        (Wishes(apart=((1, 2),), together=((2, 1),)), "Players 1 and 2 are to be both apart and together."),
        (Wishes(history=(((0, 1, 2),),)), "Round 1: every table seats 4 players."),
        (Wishes(history=(((0, 1, 2, 8),),)), "Round 1: players are numbered from 0 to 7."),
        (Wishes(history=(((0, 1, 2, 3),), ((0, 1, 2, 3), (3, 4, 5, 6)))), "Round 2: player 3 sits twice."),
        (Wishes(absent=(0, 1, 2, 3, 4)), "From 4 to 400 players can be seated, not 3."),
    ],
)
def test_wishes_that_make_no_sense(wishes: Wishes, complaint: str) -> None:
    with pytest.raises(SeatingError) as caught:
        seat(8, 2, wishes=wishes)
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize(("players", "rounds"), [(9, 40), (10, 40), (5, 24)])
def test_a_search_ends_where_nothing_can_be_more_even(
    players: int, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes after a known start is searched for; once all meetings are spread evenly there is nothing left to find."""
    tried: list[int] = []

    def counted(search: Search, random: Random, proposals: int, *, gain: int) -> int:
        tried.append(proposals)
        return anneal(search, random, proposals, gain=gain)

    monkeypatch.setattr("tournaments.core.seating.search.anneal", counted)
    schedule = seat(players, rounds)
    assert truth.squares(schedule.rounds) == best_bound(players, rounds)[0]
    assert 0 < sum(tried) <= PROPOSALS // 4


def test_rounds_are_put_in_an_order_in_which_nobody_sits_out_at_both_ends() -> None:
    rounds = [[[0, 1, 2, 3]], [[1, 2, 3, 4]], [[0, 1, 2, 3]]]
    spared = spare_the_ends(rounds, 5)
    assert sorted(spared) == sorted(rounds)
    assert spared[0] != spared[-1]


def test_where_the_same_one_always_sits_out_the_rounds_stay_as_they_are() -> None:
    rounds = [[[0, 1, 2, 3]], [[3, 2, 1, 0]]]
    assert spare_the_ends(rounds, 5) == rounds
