"""Who sits out: equally often, and not in the first and in the last round."""

from collections.abc import Sequence
from random import Random

from tournaments.core.seating.meetings import games_played
from tournaments.core.seating.problem import Round


def byes_so_far(history: Sequence[Round], players: int) -> list[int]:
    """Return in how many rounds each player had no game."""
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
