from collections.abc import Sequence
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.season import SeasonSoFar, even_tables, evenness_of, lot_tables, pairs_at, wind_weight
from league.core.seating import TooFewError, deal

NOBODY_LATE: frozenset[int] = frozenset()
MOST = 2_000


def weight_of(tables: Sequence[Sequence[int]], so_far: SeasonSoFar) -> int:
    return sum(so_far.met[one][other] ** 2 for one, other in pairs_at(tables))


def a_season(people: int, seed: int, most: int = 4) -> SeasonSoFar:
    random = Random(seed)
    met = [[0] * people for _ in range(people)]
    for one, other in combinations(range(people), 2):
        met[one][other] = met[other][one] = random.choice([0, 0, 1, random.randint(0, most)])
    return SeasonSoFar(met, [[random.randint(0, most) for _ in range(4)] for _ in range(people)])


def all_tables(people: tuple[int, ...], shape: tuple[int, ...]) -> list[tuple[tuple[int, ...], ...]]:
    if not shape:
        return [()]
    return [
        (table, *rest)
        for table in combinations(people, shape[0])
        for rest in all_tables(tuple(each for each in people if each not in table), shape[1:])
    ]


@pytest.mark.parametrize(("people", "size"), [(6, 3), (7, 3), (8, 4), (9, 4), (10, 4), (11, 4)])
@pytest.mark.parametrize("seed", [0, 1, 2, 52])
def test_balanced_draw_of_few_players_has_the_fewest_repeated_meetings(people: int, size: int, seed: int) -> None:
    so_far = a_season(people, seed)
    tables = even_tables(so_far, size, seed, late=NOBODY_LATE, most=MOST)
    shape = tuple(map(len, tables))
    assert weight_of(tables, so_far) == min(weight_of(each, so_far) for each in all_tables((*range(people),), shape))


@given(
    people=st.integers(4, 40),
    season=st.integers(0, 999),
    seed=st.integers(0, 999_999),
    late=st.integers(0, 5),
    most=st.sampled_from([0, 1, 40, MOST]),
)
def test_balanced_draw_is_not_worse_than_random(people: int, season: int, seed: int, late: int, most: int) -> None:
    so_far, coming_late = a_season(people, season), frozenset(range(min(late, people)))
    tables = even_tables(so_far, 4, seed, late=coming_late, most=most)
    lot = lot_tables(people, 4, seed, late=coming_late)
    assert sorted(person for table in tables for person in table) == [*range(people)]
    assert [len(table) for table in tables] == [len(table) for table in deal(range(people), 4, seed)]
    assert weight_of(tables, so_far) <= weight_of(lot, so_far)
    for seated in (tables, lot):
        waiting = {person for table in seated for person in table[4:]}
        assert len(waiting & coming_late) == min(len(waiting), len(coming_late))


def test_balanced_draw_is_repeated_by_its_seed() -> None:
    so_far = a_season(16, 1)
    drawn = [even_tables(so_far, 4, seed, late=NOBODY_LATE, most=MOST) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_balanced_draw_refuses_too_few_players() -> None:
    with pytest.raises(TooFewError):
        even_tables(a_season(3, 1), 4, 1, late=NOBODY_LATE, most=MOST)


@given(season=st.integers(0, 999), seed=st.integers(0, 999))
def test_balanced_draw_has_the_most_even_winds_at_each_table(season: int, seed: int) -> None:
    so_far = a_season(8, season)
    for table in even_tables(so_far, 4, seed, late=NOBODY_LATE, most=MOST):
        best = min(wind_weight(order, so_far.winds) for order in permutations(table))
        assert wind_weight(table, so_far.winds) == best


def test_player_with_fewest_hanchan_does_not_sit_out() -> None:
    winds = [[1, 1, 1, 1]] * 4 + [[0, 0, 0, 0]]
    (table,) = even_tables(SeasonSoFar([[0] * 5] * 5, winds), 4, 3, late=NOBODY_LATE, most=MOST)
    assert 4 in table[:4]
    (table,) = even_tables(SeasonSoFar([[0] * 5] * 5, winds), 4, 3, late=frozenset({4}), most=MOST)
    assert table[4] == 4


def test_figures_count_meetings_before_and_after_the_draw() -> None:
    met = [[0] * 8 for _ in range(8)]
    for one, other, count in ((0, 1, 3), (0, 4, 1), (5, 6, 2)):
        met[one][other] = met[other][one] = count
    figures = evenness_of(((0, 1, 2, 3), (4, 5, 6, 7)), SeasonSoFar(met, [[0] * 4] * 8))
    assert figures.before == (25, 1, 1, 1)
    assert figures.after == (15, 11, 0, 1, 1)
    assert figures.met == 5
    assert figures.often == ((0, 1, 3), (5, 6, 2))
    # 12 of the 28 pairs share a table, of 6 meetings in all.
    assert figures.by_lot == round(10 * 6 * 12 / 28)


def test_expected_meetings_equal_the_average_of_many_random_draws() -> None:
    so_far = a_season(13, 5)
    lots = [lot_tables(13, 4, seed, late=NOBODY_LATE) for seed in range(2_000)]
    brought = sum(so_far.met[one][other] for lot in lots for one, other in pairs_at(lot)) / len(lots)
    assert abs(evenness_of(lots[0], so_far).by_lot / 10 - brought) < 0.3
