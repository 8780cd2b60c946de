from random import Random

import pytest

from tests.tournaments import seating_counts as truth
from tournaments.core.seating.draw import draw_blocks
from tournaments.core.seating.problem import Round, SeatingError
from tournaments.core.seating.swiss import next_swiss_round, round_by_standing


def swiss_event(players: int, rounds: int, seed: int) -> list[Round]:
    random = Random(seed)
    strength = [random.gauss(0, 10) for _ in range(players)]
    points, played = [0.0] * players, list[Round]()
    order = random.sample(range(players), players)
    for _ in range(rounds):
        played.append(next_swiss_round(order, played, seed=seed))
        for table in played[-1]:
            for player in table:
                points[player] += strength[player] + random.gauss(0, 30)
        order = sorted(range(players), key=lambda player: -points[player])
    return played


@pytest.mark.long
@pytest.mark.at_random
@pytest.mark.parametrize(("players", "rounds", "seed"), [(24, 5, 0), (32, 6, 2), (64, 8, 2)])
def test_swiss_rounds_repeat_no_pair(players: int, rounds: int, seed: int) -> None:
    played = swiss_event(players, rounds, seed)
    assert not [
        fault for number, _ in enumerate(played) for fault in truth.faults(played[number : number + 1], players)
    ]
    assert truth.repeats(played) == 0
    assert truth.winds_spread(played, players) <= 2


@pytest.mark.long
def test_second_meetings_come_before_a_third() -> None:
    assert set(truth.pair_counts(swiss_event(12, 4, seed=1)).values()) <= {0, 1, 2}


@pytest.mark.long
def test_no_player_gets_a_second_bye_before_all_had_one() -> None:
    assert set(truth.games(swiss_event(15, 5, seed=1), 15)) == {4}


def test_lowest_player_without_a_bye_sits_out() -> None:
    order = [4, 2, 7, 0, 1, 3, 5, 6, 8]
    (first,) = set(range(9)).difference(*next_swiss_round(order, []))
    assert first == 8
    (second,) = set(range(9)).difference(*round_by_standing(order, [next_swiss_round(order, [])]))
    assert second == 6
    assert set(range(9)).difference(*round_by_standing(order, [], before=[(0, 0)] * 7 + [(1, 0)] * 2)) == {5}


def test_no_one_sits_out_a_whole_stage_that_another_plays() -> None:
    before, played = [(each, 0) for each in (1, 1, 1, 0, 0, 1, 0)], list[Round]()
    for resting in ({3, 4, 6}, {1, 2, 5}, {0, 4, 6}):
        played.append(round_by_standing(range(7), played, before=before))
        assert set(range(7)).difference(*played[-1]) == resting
    # All have sat out once: those for whom it was longest ago, then the lowest.
    rested = [(tuple(each for each in range(5) if each != gone),) for gone in (0, 1, 2, 4, 3)]
    assert set(range(5)).difference(*round_by_standing(range(5), rested)) == {0}


def test_tables_are_ordered_by_standings() -> None:
    order = [3, 1, 4, 0, 5, 9, 2, 6, 8, 7, 10, 11]
    tables = next_swiss_round(order, [round_by_standing(order, [])])
    ranks = [sum(order.index(player) for player in table) for table in tables]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize(
    ("players", "table_size", "expected"), [(10, 4, [[0, 1, 2, 3], [4, 5, 6, 7]]), (7, 3, [[0, 1, 2], [3, 4, 5]])]
)
def test_first_round_follows_the_standings(players: int, table_size: int, expected: list[list[int]]) -> None:
    assert [sorted(table) for table in round_by_standing(range(players), [], table_size=table_size)] == expected


def test_short_search_returns_a_valid_round() -> None:
    order, played = list(range(20)), [round_by_standing(list(range(20)), [])]
    short = next_swiss_round(order, played, proposals=10)
    assert not truth.faults([short], 20)
    assert short != next_swiss_round(order, played) == next_swiss_round(order, played)


def test_next_round_seats_only_listed_players() -> None:
    following = next_swiss_round([12, 11, 10, 9, 7, 6, 5, 4], [next_swiss_round(list(range(13)), [])])
    assert sorted(player for table in following for player in table) == [4, 5, 6, 7, 9, 10, 11, 12]


def test_single_table_rotates_winds() -> None:
    played: list[Round] = []
    for _ in range(4):
        played.append(next_swiss_round([2, 0, 3, 1], played))
    assert truth.winds_spread(played, 4) == 0


@pytest.mark.parametrize(
    ("order", "history", "complaint"),
    [
        ([0, 1, 2], [], "3 players cannot fill a table of 4."),
        ([0, 1, 2, 2], [], "Every player appears once in the order, as a number from 0."),
        ([0, 1, 2, -1], [], "Every player appears once in the order, as a number from 0."),
        ([0, 1, 2, 3], [((0, 1, 2),)], "Round 1: every table seats 4 players."),
    ],
)
def test_invalid_standings_are_refused(order: list[int], history: list[Round], complaint: str) -> None:
    with pytest.raises(SeatingError, match=f"^{complaint}$"):
        next_swiss_round(order, history)


ENTRANTS = ["aoki", "ishida", "ueno", "eguchi", "ono", "kato", "kimura", "saito"]


def test_seed_determines_the_draw() -> None:
    blocks = draw_blocks(ENTRANTS, [4, 4], seed=11)
    assert blocks == draw_blocks(ENTRANTS, [4, 4], seed=11)
    assert sorted(blocks[0] + blocks[1]) == sorted(ENTRANTS)
    assert len({draw_blocks(ENTRANTS, [4, 4], seed=seed) for seed in range(20)}) > 15


@pytest.mark.parametrize("seed", range(5))
def test_seeded_players_are_spread_over_the_blocks(seed: int) -> None:
    first, second = draw_blocks(ENTRANTS, [4, 4], seed=seed, seeds={"ueno": 1, "kato": 2, "ono": 3, "aoki": 4})
    assert (first[:2], second[:2]) == (("ueno", "aoki"), ("kato", "ono"))


def test_blocks_can_be_drawn_in_order_or_as_a_snake() -> None:
    assert draw_blocks("ABCDEFG", [4, 3], seed=1, method="order") == (tuple("ABCD"), tuple("EFG"))
    assert draw_blocks("ABCDEFGH", [3, 3, 2], seed=1, method="snake") == (tuple("AFG"), tuple("BEH"), tuple("CD"))


@pytest.mark.parametrize(
    ("entrants", "sizes", "complaint"),
    [
        ("ABCD", [], "Every block needs at least one spot."),
        ("ABCD", [4, 0], "Every block needs at least one spot."),
        ("ABCA", [2, 2], "Nobody is drawn twice."),
        ("ABCD", [2, 3], "4 entrants do not fill the 5 places of the blocks."),
    ],
)
def test_invalid_draws_are_refused(entrants: str, sizes: list[int], complaint: str) -> None:
    with pytest.raises(SeatingError, match=f"^{complaint}$"):
        draw_blocks(entrants, sizes, seed=1)
