import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.budget import budget
from tests.tournaments import seating_counts as truth
from tournaments.core.seating.problem import Groups, SeatingError, Wishes
from tournaments.core.seating.seat import seat
from tournaments.core.seating.winds import deal_winds, rotate_winds, winds_by_need

Problem = tuple[Groups, int, int]


@st.composite
def any_tables(draw: st.DrawFn) -> Problem:
    size = draw(st.sampled_from([3, 4]))
    players = draw(st.integers(size, 14))
    groups = []
    for order in draw(st.lists(st.permutations(range(players)), min_size=1, max_size=9)):
        tables = draw(st.integers(1, players // size))
        groups.append([order[start * size : start * size + size] for start in range(tables)])
    return groups, players, size


@settings(deadline=None, max_examples=budget(150, least=30))
@given(any_tables())
def test_winds_are_balanced_at_any_tables(problem: Problem) -> None:
    groups, players, size = problem
    rounds = deal_winds(groups, players, size)
    assert [[*map(sorted, tables)] for tables in rounds] == [[*map(sorted, tables)] for tables in groups]
    assert truth.winds_spread(rounds, players, size) <= 1
    assert truth.blocks_lacking_a_wind(rounds, players, size) == 0


def unevenness(rounds: truth.Rounds, players: int, size: int) -> int:
    return sum(truth.winds_of(rounds, player).count(wind) ** 2 for player in range(players) for wind in range(size))


@settings(deadline=None, max_examples=budget(100, least=30))
@given(any_tables(), st.data())
def test_winds_are_balanced_with_rounds_played(problem: Problem, data: st.DataObject) -> None:
    groups, players, size = problem
    played = data.draw(st.integers(0, len(groups)))
    history = tuple(tuple(tuple(table) for table in tables) for tables in groups[:played])
    rounds = deal_winds(groups[played:], players, size, history)
    assert [[*map(sorted, tables)] for tables in rounds] == [[*map(sorted, tables)] for tables in groups[played:]]
    assert unevenness([*history, *rounds], players, size) <= unevenness([*history, *groups[played:]], players, size)
    begun_well = deal_winds(groups[:played], players, size)
    both = [*begun_well, *deal_winds(groups[played:], players, size, begun_well)]
    assert truth.winds_spread(both, players, size) <= 2


def test_winds_balance_an_uneven_history() -> None:
    history = (((0, 1, 2, 3), (4, 5, 6, 7)),) * 3
    assert truth.winds_spread((*history, *deal_winds([[[0, 1, 2, 3], [4, 5, 6, 7]]] * 9, 8, 4, history)), 8) == 0


def test_missing_winds_are_assigned_first() -> None:
    counts = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 1]]
    assert winds_by_need((0, 1, 2, 3), counts) in {(2, 3, 0, 1), (2, 3, 1, 0)}
    assert winds_by_need((3, 1, 0, 2), [[0] * 4 for _ in range(4)]) == (3, 1, 0, 2)


@pytest.mark.parametrize("hanchan", [1, 3, 4, 8, 12, 15])
def test_four_players_at_one_table_rotate_winds(hanchan: int) -> None:
    rounds = [[table] for table in rotate_winds((5, 9, 2, 7), hanchan)]
    assert len(rounds) == hanchan
    assert rounds[0] == [(5, 9, 2, 7)]
    assert truth.blocks_lacking_a_wind(rounds, 10) == 0
    followers = {(one, other): 0 for one in (5, 9, 2, 7) for other in (5, 9, 2, 7) if one != other}
    for (table,) in rounds:
        for place in range(4):
            followers[table[place - 1], table[place]] += 1
    if hanchan % 4 == 0:
        assert max(followers.values()) - min(followers.values()) == (hanchan % 12 > 0)


def test_three_players_at_one_table_rotate_winds_and_neighbours() -> None:
    rounds = [[table] for table in rotate_winds((4, 0, 1), 6)]
    assert truth.blocks_lacking_a_wind(rounds, 5, 3) == 0
    assert sorted(table[(table.index(4) + 1) % 3] for (table,) in rounds) == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(("table", "hanchan"), [((1, 2), 4), ((1, 2, 3, 4), -1)])
def test_invalid_tables_do_not_rotate(table: tuple[int, ...], hanchan: int) -> None:
    with pytest.raises(SeatingError):
        rotate_winds(table, hanchan)


def test_schedule_continues_the_winds_of_its_history() -> None:
    begun = seat(16, 5)
    together = (*begun.rounds, *seat(16, 3, wishes=Wishes(history=begun.rounds)).rounds)
    assert truth.winds_spread(together, 16) <= 1
    assert max(truth.pair_counts(together).values()) <= 2
