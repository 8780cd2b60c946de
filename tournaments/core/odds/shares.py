"""Whose the places are once a hanchan is over: those that are left go in equal parts to all who are level on everything."""

from itertools import combinations, permutations
from math import comb

from tournaments.core.needs.case import Case
from tournaments.core.needs.goal import Gained, wins_level


def shares_of_places(case: Case, gained: Gained) -> dict[str, float]:
    """Return which part of a place each of the table has; with those of the others they add up to the goal."""
    totals = {player: case.totals[player] + gained[player][0] for player in case.players}
    return {player: _share(case, player, totals, gained) for player in case.players}


def _share(case: Case, player: str, totals: dict[str, int], gained: Gained) -> float:
    own = totals[player]
    above = sum(total > own for total in totals.values()) + sum(total > own for total in case.others.values())
    level = [each for each, total in totals.items() if total == own]
    elsewhere = sum(total == own for total in case.others.values())
    left = case.goal - above
    if left <= 0 or left >= len(level) + elsewhere:
        return float(left > 0)
    orders = [
        order
        for order in permutations(level)
        if not any(wins_level(case, lower, upper, gained) for upper, lower in combinations(order, 2))
    ]
    return sum(_is_among(left, order.index(player), len(level), elsewhere) for order in orders) / len(orders)


def _is_among(left: int, behind: int, table: int, elsewhere: int) -> float:
    """Return how likely somebody with so many of the table above them is among the first, the others between them at random."""
    ways = sum(comb(table, count) * comb(elsewhere, left - count) for count in range(behind + 1, min(table, left) + 1))
    return ways / comb(table + elsewhere, left)
