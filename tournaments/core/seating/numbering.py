"""Table numbers: everybody sees as many different tables as can be; who meets whom is not touched."""

from math import exp
from random import Random

from tournaments.core.seating.bounds import least_sum_of_squares
from tournaments.core.seating.certificate import table_visits
from tournaments.core.seating.problem import Groups, Matrix

HOT, COLD = 3.0, 0.3
PROPOSALS, FEW, MANY_TABLES = 60_000, 4_000, 13
"""What the search tries; with many tables the designs have left it little to do, and they are wanted at once."""


def number_tables(groups: Groups, players: int, random: Random, proposals: int = PROPOSALS) -> Groups:
    """Return the same tables in another order in each round, so that few players come back to a number they know.

    Perfect numbers are left alone, and the search stops at them. They do not exist everywhere: with 16 players who never
    meet twice, every table has four who sat at the same number before.
    """
    visits = table_visits(groups, players)
    goal = sum(least_sum_of_squares(sum(row), len(row)) for row in visits)
    excess = sum(count * count for row in visits for count in row) - goal
    tables = len(groups[0])
    if excess == 0 or tables < 2:
        return groups
    proposals = min(proposals, PROPOSALS if tables < MANY_TABLES else FEW)
    numbered, warmth, cooling, rand = (
        [round[:] for round in groups],
        HOT,
        (COLD / HOT) ** (1 / proposals),
        random.random,
    )
    for _ in range(proposals):
        warmth *= cooling
        round = numbered[int(rand() * len(numbered))]
        here, there = int(rand() * tables), int(rand() * tables)
        change = _change(visits, round, here, there)
        if change > 0 and rand() >= exp(-change / warmth):
            continue
        _swap(visits, round, here, there)
        excess += change
        if excess == 0:
            break
    return numbered


def _change(visits: Matrix, round: list[list[int]], here: int, there: int) -> int:
    if here == there:
        return 0
    change = 0
    for player in round[here]:
        change += visits[player][there] - visits[player][here] + 1
    for player in round[there]:
        change += visits[player][here] - visits[player][there] + 1
    return 2 * change


def _swap(visits: Matrix, round: list[list[int]], here: int, there: int) -> None:
    if here != there:
        for place, other in ((here, there), (there, here)):
            for player in round[place]:
                visits[player][place] -= 1
                visits[player][other] += 1
        round[here], round[there] = round[there], round[here]
