"""Who sits out: equally often, and not in the first and in the last round."""

from collections.abc import Sequence
from random import Random

from tournaments.core.seating.meetings import games_played
from tournaments.core.seating.problem import Groups, Round


def byes_so_far(history: Sequence[Round], players: int) -> list[int]:
    return [len(history) - games for games in games_played(history, players)]


def deal_byes(players: Sequence[int], rounds: int, byes: int, so_far: list[int], random: Random) -> list[list[int]]:
    """Return who sits out in each round: always those who did so least; counts them in `so_far`.

    Whoever sat out in the first round does so in the last only when nobody else has waited less.
    """
    dealt: list[list[int]] = []
    for number in range(rounds):
        first = set(dealt[0]) if dealt and number == rounds - 1 else set()
        order = random.sample(list(players), len(players))
        order.sort(key=lambda player: (so_far[player], player in first))
        dealt.append(order[:byes])
        for player in order[:byes]:
            so_far[player] += 1
    return dealt


def spare_the_ends(groups: Groups, players: int) -> Groups:
    """Return the rounds in an order in which nobody sits out in the first and in the last, if there is one."""
    resting = [set(range(players)).difference(*tables) for tables in groups]
    pairs = ((last, first) for last in reversed(range(len(groups))) for first in range(last))
    ends = next(((first, last) for last, first in pairs if resting[first].isdisjoint(resting[last])), None)
    if ends is None:
        return groups
    between = [tables for number, tables in enumerate(groups) if number not in ends]
    return [groups[ends[0]], *between, groups[ends[1]]]
