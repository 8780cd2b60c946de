"""The chance with one hanchan left at one table: over every order and every row of the bank, without chance."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import exp

from tournaments.core.needs import Case, reached, total_of_places
from tournaments.core.odds.bank import Bank


def chances_of_one(case: Case, bank: Bank, strength: Mapping[str, float]) -> dict[str, float]:
    """Return how likely each player of the table is to reach the goal in the one hanchan that is left."""
    chances = dict.fromkeys(case.players, 0.0)
    for order in permutations(case.players):
        likely = likelihood(order, strength)
        times = dict.fromkeys(case.players, 0)
        for row in bank:
            for player in reached(case, {each: (points,) for each, points in zip(order, row, strict=True)}):
                times[player] += 1
        for player, count in times.items():
            chances[player] += likely * count / len(bank)
    return chances


def likelihood(order: Sequence[str], strength: Mapping[str, float]) -> float:
    """Return how likely an order is: each place goes to one of those who are left, in proportion to exp(strength)."""
    weights = [exp(strength.get(player, 0.0)) for player in order]
    likely = 1.0
    for place in range(len(weights)):
        likely *= weights[place] / sum(weights[place:])
    return likely


def chances_by_places(case: Case, strength: Mapping[str, float]) -> dict[str, float]:
    """Return the same where places alone rank. Who ends level with nothing to decide it is as likely to be above as below."""
    chances = dict.fromkeys(case.players, 0.0)
    for order in permutations(case.players):
        likely = likelihood(order, strength)
        totals = {each: case.totals[each] + total_of_places([place]) for place, each in enumerate(order, start=1)}
        for player in order:
            chances[player] += likely * _share(case, player, {**case.others, **totals})
    return chances


def _share(case: Case, player: str, totals: Mapping[str, int]) -> float:
    """Return which part of the places that those level with a player still have to share falls to each."""
    own = totals[player]
    above = sum(total > own for total in totals.values())
    level = [each for each, total in totals.items() if total == own and each != player]
    if case.last_decides:
        # Two of a table take different places, so whoever was behind has the better one.
        met = [each for each in level if each in case.totals]
        above += sum(case.totals[each] < case.totals[player] for each in met)
        level = [each for each in level if each not in met]
    return min(1.0, max(0.0, (case.goal - above) / (len(level) + 1)))
