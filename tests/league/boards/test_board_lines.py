import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.board_lines import NO_BASIS, SUMS, Line, RankingBasis, halves_of, merged, recent_placements
from league.core.board_ranks import SCALE, BoardPlace, LineChange, Ranking, board_places, ranks, ties_among
from league.core.numbers import thinned

Game = tuple[int, int, int]
"""Day, placement and points of a hanchan; points without a hanchan have placement 0."""


def line_of(games: Sequence[Game], last_day: int | None) -> Line:
    played = [game for game in games if game[1]]
    points = [value for _, _, value in played]
    before = [game for game in games if last_day is None or game[0] < last_day]
    earlier = [game for game in before if game[1]]
    values = dict.fromkeys(SUMS, 0) | {
        "hanchan": len(played),
        "total": sum(value for _, _, value in games),
        "placement_halves": sum(2 * place for _, place, _ in played),
        "sessions": len({day for day, _, _ in played}),
        "points": sum(points),
        "adjustment": sum(value for _, place, value in games if not place),
        "first": sum(12 for _, place, _ in played if place == 1),
        "earlier_hanchan": len(earlier),
        "earlier_total": sum(value for _, _, value in before),
        "earlier_halves": sum(2 * place for _, place, _ in earlier),
        "recent": int("".join(str(place) for _, place, _ in played[-5:]) or 0),
    }
    extremes = {"raw_best": max, "points_best": max, "raw_worst": min, "points_worst": min}
    found = {name: choose(points, default=None) for name, choose in extremes.items()}
    return tuple((values | found)[name] for name in SUMS)


def put_together(parts: Sequence[Sequence[Game]]) -> tuple[Line, int | None]:
    """Return the line merged from those of all parts, and the last day of play."""
    last_days = [max((day for day, place, _ in part if place), default=None) for part in parts]
    known = [(day, number) for number, day in enumerate(last_days) if day is not None]
    last_day, last = max(known, default=(None, None))
    lines = [(number, line_of(part, last_days[number])) for number, part in enumerate(parts)]
    random.shuffle(lines)
    return merged(lines, last), last_day


def test_earlier_total_excludes_points_after_the_last_day_of_play() -> None:
    line, _ = put_together([[(1, 2, 10)], [(20, 0, 500)]])
    assert dict(zip(SUMS, line, strict=True))["earlier_total"] == 0
    line, _ = put_together([[(1, 0, 10)], [(20, 0, 500)]])
    assert dict(zip(SUMS, line, strict=True))["earlier_total"] == 510


@given(st.lists(st.integers(-3, 3), max_size=8))
def test_rank_is_one_plus_the_number_of_better_scores(scores: list[int]) -> None:
    numbered = dict(enumerate(scores))
    assert ranks(numbered) == {player: 1 + sum(other > score for other in scores) for player, score in numbered.items()}


def test_average_scores_are_truncated_toward_zero() -> None:
    assert Ranking("average_points").score(RankingBasis(3, -2, 0)) == -(2 * SCALE // 3)
    assert Ranking("average_points").score(RankingBasis(3, 2, 0)) == 2 * SCALE // 3
    assert Ranking("average_points").score(RankingBasis(0, 7, 0)) == 7 * SCALE
    assert Ranking("average_placement").score(RankingBasis(3, 0, 10)) == -(10 * SCALE // 3)
    assert Ranking("points").score(RankingBasis(3, 5, 0)) == 5


def test_averages_skip_published_sums_of_unknown_hanchan() -> None:
    # One hanchan won; 90 from 8 hanchan with 4 published placements, 30 from an unknown number.
    basis = RankingBasis(1, 150, 2, sums_hanchan=8, sums_unknown=1, sums_placed=4, sums_halves=18, sums_left_out=30)
    points, mean, placement = (Ranking(metric) for metric in ("points", "average_points", "average_placement"))
    assert [each.counted(basis) for each in (points, mean, placement)] == [10, 9, 5]
    assert [each.score(basis) for each in (points, mean, placement)] == [150, 120 * SCALE // 9, -(20 * SCALE // 5)]


def test_rank_requires_the_minimum_of_hanchan() -> None:
    assert [Ranking("points").has_rank(count) for count in (0, 1)] == [False, True]
    assert [Ranking("points", 3).has_rank(count) for count in (2, 3)] == [False, True]


def test_board_places_have_previous_ranks_and_ties() -> None:
    days = {1: [(1, 1, 50), (2, 2, -20)], 2: [(1, 2, 30)], 3: [(2, 1, 70)], 4: [(1, 0, 99)]}
    places = board_places(Ranking("points"), {player: line_of(games, 2) for player, games in days.items()})
    assert places == {
        1: BoardPlace(30, 2, 1),
        2: BoardPlace(30, 2, 2),
        3: BoardPlace(70, 1, None),
        4: BoardPlace(99, None, None),
    }
    assert ties_among(places) == [[1, 2]]
    assert ties_among({player: BoardPlace(0, 1, None) for player in (5, 3, 4)}) == [[3, 4, 5]]
    assert ties_among({player: BoardPlace(0, player, None) for player in (5, 3, 4)}) == []


def test_ranking_bases_add_up_field_by_field() -> None:
    basis = RankingBasis(*range(1, len(RankingBasis._fields) + 1))
    assert basis.plus(NO_BASIS) == NO_BASIS.plus(basis) == basis
    assert basis.plus(basis) == RankingBasis(*(2 * number for number in basis))
    assert basis.plus(basis).minus(basis) == basis


@given(st.integers(0, 400), st.integers(2, 50))
def test_thinned_curve_keeps_both_ends(count: int, limit: int) -> None:
    kept = thinned(count, limit)
    assert len(kept) == len(set(kept)) == min(count, limit)
    if count:
        assert (kept[0], kept[-1]) == (0, count - 1)


def test_changes_of_rank_are_told() -> None:
    moved = [LineChange(0, *ranks).has_moved for ranks in ((1, 2), (2, 2), (None, 3), (None, None))]
    assert moved == [True, False, True, False]


@pytest.mark.parametrize(("stored", "expected"), [(0, ()), (4, (4,)), (21341, (2, 1, 3, 4, 1))])
def test_recent_placements_are_unpacked_from_a_number(stored: int, expected: tuple[int, ...]) -> None:
    assert recent_placements(stored) == expected


@pytest.mark.parametrize(("placement", "sharing", "expected"), [(1, 1, 2), (4, 1, 8), (2, 2, 5), (1, 4, 5)])
def test_shared_placement_counts_as_the_mean_of_its_places(placement: int, sharing: int, expected: int) -> None:
    assert halves_of(placement, sharing) == expected
