"""The chance with one hanchan left at one table: over every order and every row of the bank, without chance."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import exp

from tournaments.core.needs import Case
from tournaments.core.odds.bank import Bank


def chances_of_one(case: Case, bank: Bank, strength: Mapping[str, float]) -> dict[str, float]:
    """Return how likely each player of the table is to reach the goal in the one hanchan that is left."""
    chances = dict.fromkeys(case.players, 0.0)
    for order in permutations(case.players):
        likely = likelihood(order, strength)
        reached = dict.fromkeys(case.players, 0)
        for row in bank:
            for player in winners(case, dict(zip(order, row, strict=True))):
                reached[player] += 1
        for player, count in reached.items():
            chances[player] += likely * count / len(bank)
    return chances


def likelihood(order: Sequence[str], strength: Mapping[str, float]) -> float:
    """Return how likely an order is: each place goes to one of those who are left, in proportion to exp(strength)."""
    weights = [exp(strength.get(player, 0.0)) for player in order]
    likely = 1.0
    for place in range(len(weights)):
        likely *= weights[place] / sum(weights[place:])
    return likely


def winners(case: Case, gained: Mapping[str, int]) -> list[str]:
    """Return who has reached the goal with these points; level totals go to whoever got more in the last hanchan."""
    keys = {player: (case.totals[player] + gained[player], gained[player]) for player in case.players}
    reached = []
    for player in case.players:
        own = keys[player]
        beaten = sum(
            own > keys[rival] or (own == keys[rival] and case.is_earlier(player, rival))
            for rival in case.rivals(player)
        )
        beaten += sum(own[0] > total for total in case.others.values())
        if beaten >= case.wanted:
            reached.append(player)
    return reached
