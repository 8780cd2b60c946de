"""Search by cooling: swap two players of a round, accept what is worse ever more rarely.

Kirkpatrick, Gelatt, Vecchi, "Optimization by Simulated Annealing", Science 220 (1983). The search is bounded by a number
of proposals and never looks at a clock, so a seed gives the same schedule on a slow machine and on a fast one.
"""

from dataclasses import dataclass
from math import exp
from random import Random

from tournaments.core.seating.problem import Groups, Matrix

Lineup = list[int]
"""A round as one list: table after table, then those who sit out."""

HOT, COLD = 2.0, 0.25


@dataclass(slots=True)
class Search:
    """A state of the search. `price[p][q]` is what one more meeting of p and q costs, `byes` counts the rounds without a game.

    The price of a pair that has met n times is 2n + 1 and more for pairs that should not meet, so the whole cost is the
    sum of squared meetings plus the surcharges.
    """

    lineups: list[Lineup]
    price: Matrix
    byes: list[int]
    table_size: int

    def groups(self) -> Groups:
        size = self.table_size
        return [
            [lineup[start : start + size] for start in range(0, len(lineup) - size + 1, size)]
            for lineup in self.lineups
        ]


def anneal(search: Search, random: Random, proposals: int, *, gain: int, heat: float = HOT) -> int:
    """Cool the search and return by how much the cost fell; stop as soon as it has fallen by `gain`."""
    seated = len(search.lineups[0]) // search.table_size * search.table_size
    players, rounds, rand = len(search.lineups[0]), len(search.lineups), random.random
    cooling, warmth, fallen = (COLD / heat) ** (1 / max(proposals, 1)), heat, 0
    for _ in range(proposals):
        warmth *= cooling
        lineup = search.lineups[int(rand() * rounds)]
        here, there = int(rand() * seated), int(rand() * players)
        change = _change(search, lineup, here, there)
        if change is None or (change > 0 and rand() >= exp(-change / warmth)):
            continue
        _swap(search, lineup, here, there)
        fallen -= change
        if fallen >= gain:
            break
    return fallen


def _change(search: Search, lineup: Lineup, here: int, there: int) -> int | None:
    """Return what the cost changes by when two places of a round are swapped; None when that is not allowed."""
    size = search.table_size
    first, second = here // size, there // size
    if first == second:
        return None
    mine, yours = lineup[here], lineup[there]
    my_price, your_price = search.price[mine], search.price[yours]
    start, other = first * size, second * size
    if other + size > len(lineup):
        if search.byes[yours] <= search.byes[mine]:
            return None
        change = 2 * (size - 1) - your_price[mine]
        for mate in lineup[start : start + size]:
            change += your_price[mate] - my_price[mate]
        return change
    change = 4 * (size - 1) - 2 * my_price[yours]
    for mate, rival in zip(lineup[start : start + size], lineup[other : other + size], strict=True):
        change += your_price[mate] - my_price[mate] + my_price[rival] - your_price[rival]
    return change


def _swap(search: Search, lineup: Lineup, here: int, there: int) -> None:
    size = search.table_size
    mine, yours = lineup[here], lineup[there]
    start, other = here // size * size, there // size * size
    _move(search.price, lineup[start : start + size], mine, yours)
    if other + size > len(lineup):
        search.byes[mine] += 1
        search.byes[yours] -= 1
    else:
        _move(search.price, lineup[other : other + size], yours, mine)
    lineup[here], lineup[there] = yours, mine


def _move(price: Matrix, table: list[int], leaves: int, comes: int) -> None:
    """Let one player take the place of another at a table: the prices of meetings follow."""
    old, new = price[leaves], price[comes]
    for mate in table:
        if mate != leaves:
            row = price[mate]
            old[mate] -= 2
            row[leaves] -= 2
            new[mate] += 2
            row[comes] += 2
