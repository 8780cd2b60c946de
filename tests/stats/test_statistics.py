from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.numbers import decimal_text
from stats.core.careers import career_of
from stats.core.statistics import HeadToHead, Meeting, PlayedHanchan, Run, Tally, placement_margin, records, tally
from stats.selectors.stories import Comeback, best_comeback, most_played

FIRST, SECOND, THIRD, FOURTH = (
    PlayedHanchan(hanchan=number, seat=number - 1, placement=number, sharing=1, players=4, raw=raw, points=points)
    for number, raw, points in ((1, 31700, 21700), (2, 31300, 1300), (3, 25500, -4500), (4, 11500, -18500))
)


def shared(placement: int, sharing: int, players: int = 4) -> PlayedHanchan:
    return PlayedHanchan(hanchan=9, seat=0, placement=placement, sharing=sharing, players=players, raw=25000, points=0)


def test_tally_counts_places_and_points() -> None:
    counted = tally([FIRST, FIRST, SECOND, FOURTH])
    assert (counted.games, counted.points, counted.raw) == (4, 26200, 31700 * 2 + 31300 + 11500)
    assert counted.places == (24, 12, 0, 12)
    assert (counted.top_two, counted.not_last) == (36, 36)
    assert counted.average_placement == Fraction(2)
    assert counted.plus == 3


def test_shared_placements_are_split_and_averaged() -> None:
    counted = tally([shared(1, 2), shared(3, 2), shared(1, 3), shared(1, 4)])
    assert counted.places == (6 + 4 + 3, 6 + 4 + 3, 6 + 4 + 3, 6 + 3)
    assert counted.lasts == 6 + 3
    of_three = tally([shared(3, 1, players=3), shared(2, 2, players=3), shared(1, 1, players=3)])
    assert (of_three.lasts, of_three.not_last) == (18, 18)
    assert counted.average_placement == Fraction(3 + 7 + 4 + 5, 8)


@given(st.lists(st.permutations([FIRST, SECOND, THIRD, FOURTH]), max_size=6))
def test_tally_of_whole_tables_is_balanced(tables: list[list[PlayedHanchan]]) -> None:
    counted = tally(game for table in tables for game in table)
    assert counted.places == (12 * len(tables),) * 4
    assert counted.points == 0


@pytest.mark.parametrize(
    ("games", "players", "expected"),
    [
        pytest.param(60, 4, "0.28", id="sixty hanchan of four"),
        pytest.param(8, 4, "0.77", id="eight hanchan of four"),
        pytest.param(100, 3, "0.16", id="a hundred hanchan of three"),
    ],
)
def test_average_placement_has_a_confidence_margin(games: int, players: int, expected: str) -> None:
    margin = placement_margin(games, players)
    assert margin is not None
    assert decimal_text(margin, 2) == expected
    assert placement_margin(0) is None


def test_streaks_have_current_and_longest_length() -> None:
    found = career_of([FIRST, FIRST, FOURTH, SECOND, THIRD, THIRD], ()).streaks
    assert found[Run.FIRST][2:4] == (0, 2)
    assert found[Run.TOP_TWO][2:4] == (0, 2)
    assert found[Run.NOT_LAST][2:4] == (3, 3)
    assert found[Run.NOT_FIRST][2:4] == (4, 4)
    assert found[Run.BOTTOM_HALF][2:4] == (2, 2)
    assert found[Run.LAST][2:4] == (0, 1)


def test_streak_counts_a_shared_placement_as_the_better() -> None:
    found = career_of([shared(1, 2), shared(3, 2)], ()).streaks
    assert found[Run.FIRST].longest == 1
    assert found[Run.LAST].longest == 0


def test_head_to_head_counts_above_below_and_level() -> None:
    meetings = [
        Meeting(7, 2, 4, 1000, -500),
        Meeting(7, 6, 4, -300, 200),
        Meeting(7, 3, 3, 0, 0),
        Meeting(8, 2, 8, 1, -1),
    ]
    often, once = career_of([], meetings).opponents
    assert (often.opponent, often.games, often.above, often.below, often.level) == (7, 3, 1, 1, 1)
    assert (often.points, often.their_points, often.lead) == (700, -300, 0)
    assert (once.opponent, once.lead) == (8, 3000)


def test_head_to_head_rate_needs_five_meetings() -> None:
    record = HeadToHead(opponent=7, games=4, above=3, below=1, lead_halves=1, points=0, their_points=0)
    assert record.rate is None
    assert HeadToHead(7, 5, 3, 2, 1, 0, 0).rate == Fraction(3, 5)
    assert record.lead == 130


def test_equal_records_keep_the_earliest() -> None:
    again = PlayedHanchan(hanchan=10, seat=0, placement=1, sharing=1, players=4, raw=31700, points=21700)
    best = records([FIRST, FOURTH, again])
    assert best is not None
    assert (best.highest_raw, best.most_points) == (FIRST, FIRST)
    assert (best.lowest_raw, best.fewest_points) == (FOURTH, FOURTH)
    assert records([]) is None


def test_tally_calculates_means_and_variances() -> None:
    counted = tally([FIRST, FOURTH])
    assert counted.average_points == Fraction(21700 - 18500, 2)
    assert counted.points_variance == Fraction(21700 + 18500, 2) ** 2
    assert (counted.with_raw, counted.average_raw) == (2, Fraction(31700 + 11500, 2))
    assert counted.raw_variance == Fraction(31700 - 11500, 2) ** 2
    assert counted.without_raw == 0
    nothing = tally([])
    assert (nothing.average_points, nothing.points_variance, nothing.average_raw, nothing.raw_variance) == (None,) * 4


def test_average_balance_counts_known_hanchan_only() -> None:
    counted = Tally(games=3, balance=9_000, balanced=2, balance_first=24 * 4_500, balanced_first=24)
    assert counted.average_balance == 4_500
    assert counted.balances == (Fraction(4_500), None, None, None)
    assert Tally(games=1).average_balance is None


@pytest.mark.parametrize(
    ("curves", "found"),
    [
        pytest.param({}, None, id="nobody"),
        pytest.param({1: ()}, None, id="nothing played"),
        pytest.param({1: (-5000, 10_000)}, Comeback(1, -5000, 10_000), id="from below zero to above"),
        pytest.param({1: (-50_000, -1)}, None, id="still below"),
        pytest.param({1: (20_000, 10_000)}, None, id="never below"),
        pytest.param({1: (-5000, 9000), 2: (-1000, 13_001)}, Comeback(2, -1000, 13_001), id="the longer way"),
        pytest.param(
            {2: (-5000, 9000), 1: (-4000, 10_000)}, Comeback(1, -4000, 10_000), id="of equals the smaller key"
        ),
    ],
)
def test_biggest_comeback_is_found(curves: Mapping[int, tuple[int, ...]], found: Comeback | None) -> None:
    assert best_comeback(curves) == found


@pytest.mark.parametrize(
    ("games", "found"),
    [
        pytest.param({}, None, id="nobody met"),
        pytest.param({(1, 2): 3, (1, 3): 4}, ((1, 3), 4), id="most"),
        pytest.param({(2, 3): 4, (1, 3): 4}, ((1, 3), 4), id="of equals the smaller keys"),
    ],
)
def test_most_frequent_pair_is_found(games: Mapping[tuple[int, int], int], found: object) -> None:
    assert most_played(games) == found
