"""The certificate counts afresh and hides nothing."""

import json

import pytest

from tests.tournaments import seating_counts as truth
from tournaments.core.seating.certificate import certificate
from tournaments.core.seating.problem import Schedule, SeatingError, Wishes
from tournaments.core.seating.seat import seat


@pytest.mark.parametrize(
    ("players", "rounds", "table_size"), [(16, 5, 4), (22, 7, 4), (8, 9, 4), (13, 6, 3), (55, 8, 4)]
)
def test_figures_agree_with_a_second_count(players: int, rounds: int, table_size: int) -> None:
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


def test_a_certificate_says_what_is_bad() -> None:
    rounds = (((0, 1, 2, 3), (4, 5, 6, 7)),) * 4
    wishes = Wishes(apart=((1, 0), (0, 4)), groups=((4, 5), (2, 6)))
    found = certificate(rounds, 8, wishes=wishes, method="by hand", seed=3)
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
def test_what_is_no_seating_is_certified_as_none(rounds: tuple[tuple[tuple[int, ...], ...], ...]) -> None:
    found = certificate(rounds, 8)
    assert not found.is_valid
    assert not found.is_optimal
    assert found.sum_of_squares == 0


def test_a_certificate_needs_the_number_of_players() -> None:
    with pytest.raises(SeatingError, match="number of players is missing"):
        certificate([])
    with pytest.raises(SeatingError, match="no table of 4"):
        certificate(Schedule(3, 4, (), "given", 0))


def test_json_holds_lists_and_whole_numbers_only() -> None:
    found = certificate(seat(9, 4), wishes=Wishes(together=((0, 1),)))
    written = found.as_json()
    assert json.loads(json.dumps(written)) == written
    assert written["histogram"] == {str(times): pairs for times, pairs in found.histogram.items()}
    assert written["games"] == list(found.games)
    assert written["together"] == [list(line) for line in found.together]
    assert written["violations"] == []
