"""The chance with one hanchan left at one table: over every order and every row of the bank, without chance."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import exp

from tournaments.core.needs.by_places import points_of_places
from tournaments.core.needs.case import Case
from tournaments.core.odds.bank import Bank
from tournaments.core.odds.shares import shares_of_places


def chances_of_one(case: Case, bank: Bank, strength: Mapping[str, float]) -> dict[str, float]:
    """Return how likely each player of the table is to reach the goal in the one hanchan that is left."""
    chances = dict.fromkeys(case.players, 0.0)
    for order in permutations(case.players):
        likely = likelihood(order, strength)
        for row in bank:
            gained = {each: (points,) for each, points in zip(order, row, strict=True)}
            for player, share in shares_of_places(case, gained).items():
                chances[player] += likely * share / len(bank)
    return chances


def likelihood(order: Sequence[str], strength: Mapping[str, float]) -> float:
    """Return how likely an order is: each place goes to one of those who are left, in proportion to exp(strength)."""
    weights = [exp(strength.get(player, 0.0)) for player in order]
    likely = 1.0
    for place in range(len(weights)):
        likely *= weights[place] / sum(weights[place:])
    return likely


def chances_by_places(case: Case, strength: Mapping[str, float]) -> dict[str, float]:
    return chances_of_one(case, (points_of_places(range(1, len(case.players) + 1)),), strength)
