import json
from itertools import combinations
from random import Random

import pytest

from tests.tournaments import seating_counts as truth
from tournaments.core.seating.certificate import best_bound, certificate, lower_bounds
from tournaments.core.seating.designs import difference_design
from tournaments.core.seating.problem import Schedule, SeatingError, Wishes, chance, spare_the_ends
from tournaments.core.seating.search import Search, anneal
from tournaments.core.seating.seat import PROPOSALS, constructed, seat

ABOVE_THE_BOUND = """
10x11 394 390, 13x8 278 276, 13x9 346 342, 14x5 112 110, 14x6 148 142, 14x10 368 366, 15x6 126 120, 17x5 122 120,
17x6 172 166, 17x11 528 526, 18x6 154 150, 18x7 202 198, 19x7 178 168, 19x8 236 234, 20x6 192 182, 21x6 182 180,
21x7 230 224, 21x8 302 300, 22x7 218 210, 22x8 272 258, 23x8 256 240, 23x9 316 308, 25x7 254 252, 25x8 308 288,
26x8 298 288, 26x9 360 340, 26x10 438 430, 27x10 396 384, 29x10 472 458, 30x10 450 430, 30x11 530 516, 30x12 644 642,
31x11 498 462, 31x12 592 582, 33x11 572 550, 33x12 682 672, 34x12 640 606, 35x12 612 576, 36x12 706 684,
37x12 690 648, 38x12 680 648
"""
"""Players x rounds: smallest known sum of squares, and the bound that no schedule has reached."""

KNOWN = {
    (int(size.split("x")[0]), int(size.split("x")[1])): (int(known), int(bound))
    for size, known, bound in (line.split() for line in ABOVE_THE_BOUND.replace("\n", " ").split(", "))
}

SAMPLE = sorted({*range(4, 53), *range(53, 201, 13), 64, 100, 108, 128, 172, 196, 199, 200})


@pytest.mark.at_random
@pytest.mark.parametrize("players", SAMPLE)
def test_schedules_reach_the_best_known_evenness(players: int) -> None:
    for rounds in range(1, 13):
        if rounds not in {1, 2, 12} and players != 32 and (players, rounds) not in KNOWN and (players + rounds) % 4:
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
def test_schedules_for_tables_of_three_reach_the_best_known_evenness(players: int) -> None:
    for rounds in range(1, 13):
        schedule = seat(players, rounds, table_size=3)
        assert not truth.faults(schedule.rounds, players, 3)
        bound = best_bound(players, rounds, 3)[0]
        assert truth.squares(schedule.rounds) == SANMA_ABOVE_THE_BOUND.get((players, rounds), bound), rounds
        assert truth.winds_spread(schedule.rounds, players, 3) <= 1
        assert not truth.blocks_lacking_a_wind(schedule.rounds, players, 3)


@pytest.mark.parametrize(("players", "rounds"), [(4, 5), (8, 4), (10, 6), (11, 5), (37, 12), (100, 5), (101, 5)])
def test_tables_of_three_and_byes_can_be_combined(players: int, rounds: int) -> None:
    schedule = seat(players, rounds, table_size=3)
    assert not truth.faults(schedule.rounds, players, 3)
    assert truth.winds_spread(schedule.rounds, players, 3) <= 1
    played = truth.games(schedule.rounds, players)
    assert max(played) - min(played) <= 1
    least = best_bound(players, rounds, 3)[0]
    assert least <= truth.squares(schedule.rounds) <= least * 21 // 20


@pytest.mark.parametrize(
    ("players", "rounds", "most"),
    [(20, 7, 2), (28, 7, 1), (32, 8, 1), (32, 12, 3), (48, 12, 1), (56, 12, 1), (200, 12, 1)],
)
def test_repeated_table_numbers_are_minimal(players: int, rounds: int, most: int) -> None:
    assert truth.most_visits(seat(players, rounds).rounds) == most


def test_eight_rounds_of_eight_players_balance_meetings_and_winds() -> None:
    rounds = seat(8, 8).rounds
    assert truth.histogram(rounds, 8) == {3: 16, 4: 12}
    assert all(sorted(truth.winds_of(rounds, player)) == [0, 0, 1, 1, 2, 2, 3, 3] for player in range(8))
    assert certificate(seat(8, 7)).repeated_triples == certificate(seat(32, 12)).repeated_triples == 0


@pytest.mark.parametrize("players", [16, 18, 23, 36, 40, 52, 61])
def test_seed_determines_the_schedule(players: int) -> None:
    assert seat(players, 6, seed=7) == seat(players, 6, seed=7)
    # Other people sit together, not only at other tables and in other seats.
    first = {frozenset(map(frozenset, seat(players, 6, seed=seed).rounds[0])) for seed in range(5)}
    assert len(first) > 1


def test_byes_of_the_first_round_are_not_repeated_in_the_last() -> None:
    for players in (9, 18, 27, 30, 57):
        byes = seat(players, 8).byes
        assert set(byes[0]).isdisjoint(byes[-1])
    assert seat(5, 6).byes[0] != seat(5, 6).byes[-1]
    assert seat(4, 3).byes == ((), (), ())


@pytest.mark.parametrize(
    ("players", "rounds"), [(8, 20), (12, 20), (16, 14), (28, 20), (28, 12), (40, 13), (44, 13), (64, 16), (199, 20)]
)
def test_long_schedules_reach_the_evenness_bound(players: int, rounds: int) -> None:
    schedule = seat(players, rounds)
    assert not truth.faults(schedule.rounds, players)
    assert truth.squares(schedule.rounds) == best_bound(players, rounds)[0]


@pytest.mark.parametrize(("players", "rounds"), [(20, 20), (13, 15), (50, 13), (100, 26)])
def test_long_searched_schedules_are_near_the_evenness_bound(players: int, rounds: int) -> None:
    schedule = seat(players, rounds, proposals=100_000)
    assert not truth.faults(schedule.rounds, players)
    bound = best_bound(players, rounds)[0]
    assert bound <= truth.squares(schedule.rounds) <= bound * 21 // 20
    assert truth.winds_spread(schedule.rounds, players) <= 1


@pytest.mark.parametrize("players", [*range(49, 400, 7), 51, 60, 61, 62, 63])
def test_twelve_rounds_without_repeated_meetings_are_constructed_for_every_size(players: int) -> None:
    groups, method = constructed(players, 12, 4, chance(5)) or ([], "")
    assert "design" in method or method in {"difference_matrix", "catalogue"}
    assert truth.repeats(groups) == 0
    assert not truth.faults(groups, players)


def test_search_for_an_impossible_design_returns_none() -> None:
    assert difference_design(18, 18, 4, chance(1)) is None
    found = difference_design(18, 13, 4, chance(1))
    assert found is not None
    assert truth.repeats(found) == 0


def test_schedule_outside_the_catalogue_is_searched() -> None:
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
def test_sum_of_squares_is_never_below_its_lower_bound(bound: str, players: int, rounds: int, value: int) -> None:
    assert lower_bounds(players, rounds)[bound] == value


def test_lower_bound_includes_rounds_played() -> None:
    played = seat(16, 5).rounds
    assert best_bound(16, 1, history=played) == (192, "history")
    assert best_bound(16, 1, history=played, absent=[0, 1, 2, 3])[0] == 120 + 3 * 6 * 3


@pytest.mark.parametrize(
    ("wishes", "complaint", "size"),
    [
        (Wishes(), "From 4 to 400 players can be seated, not 3.", (3, 2, 4)),
        (Wishes(), "From 4 to 400 players can be seated, not 401.", (401, 2, 4)),
        (Wishes(), "From 1 to 60 rounds can be seated, not 0.", (8, 0, 4)),
        (Wishes(), "From 1 to 60 rounds can be seated, not 61.", (8, 61, 4)),
        (Wishes(), "Tables seat 3 or 4 players, not 5.", (10, 2, 5)),
        (Wishes(apart=((0, 8),)), "apart: there is no player 8; players are numbered from 0 to 7.", (8, 2, 4)),
        (Wishes(together=((-1, 3),)), "together: there is no player -1;", (8, 2, 4)),
        (Wishes(groups=((1, 2, 1),)), "groups: player 1 is listed twice in one group.", (8, 2, 4)),
        (Wishes(absent=(9,)), "absent: there is no player 9;", (8, 2, 4)),
        (
            Wishes(apart=((1, 2),), together=((2, 1),)),
            "Players 1 and 2 are both to be kept apart and kept together.",
            (8, 2, 4),
        ),
        (Wishes(history=(((0, 1, 2),),)), "Round 1: every table seats 4 players.", (8, 2, 4)),
        (Wishes(history=(((0, 1, 2, 8),),)), "Round 1: players are numbered from 0 to 7.", (8, 2, 4)),
        (Wishes(history=(((0, 1, 2, 3),), ((0, 1, 2, 3), (3, 4, 5, 6)))), "Round 2: player 3 sits twice.", (8, 2, 4)),
        (Wishes(absent=(0, 1, 2, 3, 4)), "From 4 to 400 players can be seated, not 3.", (8, 2, 4)),
    ],
)
def test_impossible_seating_is_refused(wishes: Wishes, complaint: str, size: tuple[int, int, int]) -> None:
    players, rounds, table_size = size
    with pytest.raises(SeatingError) as caught:
        seat(players, rounds, table_size=table_size, wishes=wishes)
    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize(("players", "rounds"), [(9, 40), (10, 40), (5, 24)])
def test_search_ends_when_the_bound_is_reached(players: int, rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def counted(search: Search, random: Random, proposals: int, *, gain: int) -> int:
        tried.append(proposals)
        return anneal(search, random, proposals, gain=gain)

    monkeypatch.setattr("tournaments.core.seating.search.anneal", counted)
    assert truth.squares(seat(players, rounds).rounds) == best_bound(players, rounds)[0]
    assert 0 < sum(tried) <= PROPOSALS // 4


def test_rounds_are_ordered_without_byes_at_both_ends() -> None:
    rounds = [[[0, 1, 2, 3]], [[1, 2, 3, 4]], [[0, 1, 2, 3]]]
    spared = spare_the_ends(rounds, 5)
    assert sorted(spared) == sorted(rounds)
    assert spared[0] != spared[-1]
    always_the_same = [[[0, 1, 2, 3]], [[3, 2, 1, 0]]]
    assert spare_the_ends(always_the_same, 5) == always_the_same


def clubs(players: int, size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(range(start, min(start + size, players))) for start in range(0, players, size))


def club_meetings(rounds: truth.Rounds, groups: tuple[tuple[int, ...], ...]) -> int:
    met = truth.pair_counts(rounds)
    return sum(met[pair] for group in groups for pair in combinations(sorted(group), 2))


@pytest.mark.parametrize(
    ("players", "rounds", "size"),
    [(16, 4, 4), (32, 8, 4), (40, 8, 5), (48, 10, 6), (64, 10, 8), (61, 8, 5), (200, 12, 20)],
)
def test_clubs_stay_apart_without_loss_of_evenness(players: int, rounds: int, size: int) -> None:
    groups = clubs(players, size)
    schedule = seat(players, rounds, wishes=Wishes(groups=groups))
    assert not truth.faults(schedule.rounds, players)
    assert club_meetings(schedule.rounds, groups) == 0
    assert truth.squares(schedule.rounds) == best_bound(players, rounds)[0]


@pytest.mark.long
@pytest.mark.at_random
def test_clubs_without_a_construction_are_kept_apart_by_search() -> None:
    groups = clubs(24, 6)
    schedule = seat(24, 6, wishes=Wishes(groups=groups))
    assert schedule.method == "annealing"
    assert club_meetings(schedule.rounds, groups) == 0
    assert truth.squares(schedule.rounds) <= 260


def test_oversized_club_meets_as_rarely_as_possible() -> None:
    # Six of eight players at two tables: three at each, or four and two, so at least six meetings a round.
    schedule = seat(8, 2, wishes=Wishes(groups=((0, 1, 2, 3, 4, 5),)), proposals=20_000)
    assert club_meetings(schedule.rounds, ((0, 1, 2, 3, 4, 5),)) == 12
    found = certificate(schedule, wishes=Wishes(groups=((0, 1, 2, 3, 4, 5),)))
    assert found.is_valid
    assert sum(times for *_, times in found.groups_met) == 12
    assert found.violations == found.groups_met


@pytest.mark.parametrize(
    ("players", "rounds", "apart"),
    [(22, 6, ((0, 1), (0, 2), (3, 4), (5, 6), (7, 8))), (32, 10, ((0, 1), (2, 3), (4, 5)))],
)
def test_pairs_stay_apart_without_unevenness(players: int, rounds: int, apart: tuple[tuple[int, int], ...]) -> None:
    schedule = seat(players, rounds, wishes=Wishes(apart=apart))
    assert schedule.method != "annealing"
    assert club_meetings(schedule.rounds, apart) == 0
    assert truth.squares(schedule.rounds) == best_bound(players, rounds)[0]


@pytest.mark.long
@pytest.mark.at_random
def test_pairs_are_kept_apart_by_search_where_all_others_meet() -> None:
    schedule = seat(16, 5, wishes=Wishes(apart=((0, 1), (2, 3))))
    met = truth.pair_counts(schedule.rounds)
    assert met[0, 1] == met[2, 3] == 0
    assert not truth.faults(schedule.rounds, 16)
    assert truth.winds_spread(schedule.rounds, 16) <= 1


def test_three_separated_players_do_not_fit_two_tables() -> None:
    with pytest.raises(SeatingError, match="keeps all these pairs apart; players 0 and 1 still meet"):
        seat(8, 3, wishes=Wishes(apart=((0, 1), (0, 2), (1, 2))), proposals=20_000)


def test_pair_seated_together_shares_every_table() -> None:
    wishes = Wishes(together=((4, 0), (2, 3)))
    schedule = seat(16, 5, wishes=wishes, proposals=100_000)
    met = truth.pair_counts(schedule.rounds)
    assert met[0, 4] == met[2, 3] == 5
    assert certificate(schedule, wishes=wishes).together == ((0, 4, 5), (2, 3, 5))


def test_rounds_played_are_not_repeated() -> None:
    played = seat(32, 4).rounds
    assert truth.repeats([*played, *seat(32, 2, wishes=Wishes(history=played)).rounds]) == 0


def test_byes_are_balanced_with_rounds_played() -> None:
    played = seat(9, 3).rounds
    assert set(truth.games([*played, *seat(9, 6, wishes=Wishes(history=played), proposals=20_000).rounds], 9)) == {8}


@pytest.mark.long
def test_absent_player_is_not_seated() -> None:
    played = seat(17, 3).rounds
    wishes = Wishes(history=played, absent=(3,), apart=((3, 4), (5, 6)), together=((0, 3), (1, 2)), groups=((3, 7, 8),))
    before = truth.pair_counts(played)
    schedule = seat(17, 3, wishes=wishes)
    assert all(sum(map(len, tables)) == 16 for tables in schedule.rounds)
    assert all(resting == (3,) for resting in schedule.byes)
    assert truth.pair_counts(schedule.rounds)[5, 6] == truth.pair_counts(schedule.rounds)[7, 8] == 0
    found = certificate(schedule, wishes=wishes)
    assert found.is_valid
    assert found.meetings[1] == max((before + truth.pair_counts(schedule.rounds)).values())
    assert found.bound_name == "history"
    assert found.sum_of_squares == truth.squares([*played, *schedule.rounds]) >= found.bound


@pytest.mark.parametrize(
    ("players", "rounds", "table_size"), [(16, 5, 4), (22, 7, 4), (8, 9, 4), (13, 6, 3), (55, 8, 4)]
)
def test_certificate_agrees_with_an_independent_count(players: int, rounds: int, table_size: int) -> None:
    schedule = seat(players, rounds, table_size=table_size)
    found = certificate(schedule)
    played = truth.games(schedule.rounds, players)
    assert found.is_valid
    assert found.histogram == truth.histogram(schedule.rounds, players)
    assert found.meetings == (min(found.histogram), max(found.histogram))
    assert found.sum_of_squares == truth.squares(schedule.rounds)
    assert found.games == (min(played), max(played))
    assert found.byes == (rounds - max(played), rounds - min(played))
    assert found.winds_spread == truth.winds_spread(schedule.rounds, players, table_size)
    assert found.windows_without_a_wind == 0
    assert found.table_visits == truth.most_visits(schedule.rounds)
    assert (found.method, found.seed) == (schedule.method, 1)


def test_certificate_lists_violations() -> None:
    rounds = (((0, 1, 2, 3), (4, 5, 6, 7)),) * 4
    wishes = Wishes(apart=((1, 0), (0, 4)), groups=((4, 5), (2, 6)))
    found = certificate(Schedule(8, 4, rounds, "by hand", 3), wishes=wishes)
    assert not found.is_valid
    assert not found.is_optimal
    assert found.apart_met == ((0, 1, 4),)
    assert found.groups_met == ((4, 5, 4),)
    assert found.violations == ((0, 1, 4), (4, 5, 4))
    assert (found.sum_of_squares, found.bound, found.bound_name) == (192, 96, "overlap")
    assert found.winds_spread == 4
    assert found.windows_without_a_wind == 8
    assert (found.table_visits, found.table_excess) == (4, 8 * (16 - 8))
    assert found.repeated_triples == 8 * 3
    assert (found.method, found.seed) == ("by hand", 3)


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param((((0, 1, 2, 3),), ((0, 1, 2, 3), (4, 5, 6, 7))), id="a table less"),
        pytest.param((((0, 1, 2, 3), (3, 4, 5, 6)),), id="a player twice"),
        pytest.param((((0, 1, 2), (4, 5, 6, 7)),), id="a seat left"),
    ],
)
def test_certificate_of_invalid_seating_is_invalid(rounds: tuple[tuple[tuple[int, ...], ...], ...]) -> None:
    found = certificate(Schedule(8, 4, rounds, "given", 0))
    assert not found.is_valid
    assert not found.is_optimal
    assert found.sum_of_squares == 0


def test_certificate_without_tables_is_refused() -> None:
    with pytest.raises(SeatingError, match="no table of 4"):
        certificate(Schedule(3, 4, (), "given", 0))


def test_certificate_is_written_as_json() -> None:
    found = certificate(seat(9, 4), wishes=Wishes(together=((0, 1),)))
    written = found.as_json()
    assert json.loads(json.dumps(written)) == written
    assert written["histogram"] == {str(times): pairs for times, pairs in found.histogram.items()}
    assert written["together"] == [list(line) for line in found.together]
