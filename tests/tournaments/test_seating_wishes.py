"""Seatings with wishes, with rounds already played, and for sessions at fixed tables."""

from itertools import combinations

import pytest

from tests.tournaments import seating_counts as truth
from tournaments.core.seating.certificate import best_bound, certificate
from tournaments.core.seating.problem import SeatingError, Wishes
from tournaments.core.seating.seat import seat, session_tables


def clubs(players: int, size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(range(start, min(start + size, players))) for start in range(0, players, size))


def club_meetings(rounds: truth.Rounds, groups: tuple[tuple[int, ...], ...]) -> int:
    met = truth.pair_counts(rounds)
    return sum(met[pair] for group in groups for pair in combinations(sorted(group), 2))


@pytest.mark.parametrize(
    ("players", "rounds", "size"),
    [(16, 4, 4), (32, 8, 4), (40, 8, 5), (48, 10, 6), (64, 10, 8), (61, 8, 5), (200, 12, 20)],
)
def test_clubs_that_fit_stay_apart_and_cost_nothing(players: int, rounds: int, size: int) -> None:
    groups = clubs(players, size)
    schedule = seat(players, rounds, wishes=Wishes(groups=groups))
    assert not truth.faults(schedule.rounds, players)
    assert club_meetings(schedule.rounds, groups) == 0
    assert truth.squares(schedule.rounds) == best_bound(players, rounds)[0]


@pytest.mark.long
@pytest.mark.at_random
def test_clubs_that_do_not_fit_stay_apart_by_a_search() -> None:
    groups = clubs(24, 6)
    schedule = seat(24, 6, wishes=Wishes(groups=groups))
    assert schedule.method == "annealing"
    assert club_meetings(schedule.rounds, groups) == 0
    assert truth.squares(schedule.rounds) <= 260


def test_a_club_too_large_meets_as_rarely_as_it_must() -> None:
    # Six of eight players at two tables: three at each, or four and two, so six meetings a round at least.
    schedule = seat(8, 2, wishes=Wishes(groups=((0, 1, 2, 3, 4, 5),)), proposals=20_000)
    assert club_meetings(schedule.rounds, ((0, 1, 2, 3, 4, 5),)) == 12
    found = certificate(schedule, wishes=Wishes(groups=((0, 1, 2, 3, 4, 5),)))
    assert found.is_valid
    assert sum(times for *_, times in found.groups_met) == 12
    assert found.violations == found.groups_met


def test_pairs_apart_only_change_the_numbers_of_the_players() -> None:
    apart = ((0, 1), (0, 2), (3, 4), (5, 6), (7, 8))
    schedule = seat(22, 6, wishes=Wishes(apart=apart))
    assert schedule.method == "catalogue"
    assert club_meetings(schedule.rounds, apart) == 0
    assert truth.squares(schedule.rounds) == best_bound(22, 6)[0]


@pytest.mark.long
@pytest.mark.at_random
def test_pairs_apart_are_searched_for_when_everybody_meets_everybody() -> None:
    schedule = seat(16, 5, wishes=Wishes(apart=((0, 1), (2, 3))))
    met = truth.pair_counts(schedule.rounds)
    assert met[0, 1] == met[2, 3] == 0
    assert not truth.faults(schedule.rounds, 16)
    assert truth.winds_spread(schedule.rounds, 16) <= 1


def test_three_who_all_stay_apart_do_not_fit_two_tables() -> None:
    with pytest.raises(SeatingError, match="keeps all these pairs apart; players 0 and 1 still meet"):
        seat(8, 3, wishes=Wishes(apart=((0, 1), (0, 2), (1, 2))), proposals=20_000)


def test_a_pair_together_shares_every_table() -> None:
    wishes = Wishes(together=((4, 0), (2, 3)))
    schedule = seat(16, 5, wishes=wishes, proposals=100_000)
    met = truth.pair_counts(schedule.rounds)
    assert met[0, 4] == met[2, 3] == 5
    assert certificate(schedule, wishes=wishes).together == ((0, 4, 5), (2, 3, 5))


def test_rounds_played_count_on() -> None:
    played = seat(32, 4).rounds
    schedule = seat(32, 2, wishes=Wishes(history=played))
    assert truth.repeats([*played, *schedule.rounds]) == 0


def test_who_has_waited_waits_last() -> None:
    played = seat(9, 3).rounds
    schedule = seat(9, 6, wishes=Wishes(history=played), proposals=20_000)
    assert set(truth.games([*played, *schedule.rounds], 9)) == {8}


@pytest.mark.long
def test_who_has_left_is_seated_no_more() -> None:
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


def test_a_session_for_each_round_splits_tables_two_and_two() -> None:
    rounds = session_tables(8, 2)
    assert truth.histogram(rounds, 8) == {0: 8, 1: 16, 2: 4}


@pytest.mark.long
def test_sessions_go_on_from_earlier_ones() -> None:
    first = session_tables(8, 2)
    history = [[frozenset(table) for table in tables] for tables in first]
    second = session_tables(8, 1, history=history)
    assert truth.squares([*first, *second]) == best_bound(8, 3)[0]
