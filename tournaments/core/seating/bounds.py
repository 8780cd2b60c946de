"""What no schedule can beat: lower bounds on the sum of squared meetings.

`pairs` and `rows` spread the meetings over pairs, and over each player's opponents, as evenly as whole numbers allow.
`overlap` counts who must stay together when the few tables of a round are spread over the few of another. `parity`: a
square is odd when its root is. `proved`: sizes that were searched through, and one that theory excludes: 20 players in
6 rounds cannot all be different (Ge, Lam, Ling, Shen, Des. Codes Cryptogr. 35, 2005).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from tournaments.core.seating.meetings import meetings
from tournaments.core.seating.problem import Matrix, Round

PROVED = {
    (7, 10): 178,
    (7, 11): 214,
    (8, 9): 428,
    (8, 10): 528,
    (8, 11): 636,
    (8, 12): 752,
    (20, 6): 182,
}
"""Least sums of squares for players and rounds at tables of four."""


def least_sum_of_squares(total: int, places: int) -> int:
    share, left = divmod(total, places)
    return (places - left) * share * share + left * (share + 1) ** 2


def balanced_games(players: int, rounds: int, table_size: int) -> list[int]:
    """Return games per player when everybody waits as equally as can be."""
    share, left = divmod(players // table_size * table_size * rounds, players)
    return [share + (number < left) for number in range(players)]


def lower_bounds(players: int, rounds: int, table_size: int = 4) -> dict[str, int]:
    """Return every bound by its name; each holds for schedules in which all players play as equally as can be."""
    found = rounds * (players // table_size) * table_size * (table_size - 1) // 2
    rows = sum(
        least_sum_of_squares((table_size - 1) * games, players - 1)
        for games in balanced_games(players, rounds, table_size)
    )
    bounds = {
        "pairs": least_sum_of_squares(found, players * (players - 1) // 2),
        "rows": (rows + 1) // 2,
        "overlap": found + 2 * _overlap(players, rounds, table_size),
    }
    bounds["parity"] = max(bounds.values()) + (max(bounds.values()) - found) % 2
    if table_size == 4 and (players, rounds) in PROVED:
        bounds["proved"] = PROVED[players, rounds]
    return bounds


def best_bound(
    players: int,
    rounds: int,
    table_size: int = 4,
    history: Sequence[Round] = (),
    absent: Iterable[int] = (),
) -> tuple[int, str]:
    """Return the best lower bound and its name: the simplest one among equals.

    With history the bound is on all meetings, those of the rounds played included; `absent` players meet no more.
    """
    gone = set(absent)
    if history:
        present = [player for player in range(players) if player not in gone]
        return _after(meetings(history, players), present, rounds, table_size), "history"
    bounds = lower_bounds(players - len(gone), rounds, table_size)
    return max(bounds.values()), max(bounds, key=lambda name: bounds[name])


def _overlap(players: int, rounds: int, size: int) -> int:
    """Return how many pairs at least are together again, summed over every two rounds.

    Players who sit out in one of two rounds lower the count, players who sit out in both do not help. How many do both
    is known from equal waiting; what they cost is convex, so it is least when they are spread evenly.
    """
    tables, byes = players // size, players % size
    couples = rounds * (rounds - 1) // 2
    if not couples:
        return 0
    share, left = divmod(byes * rounds, players)
    shared = (players - left) * share * (share - 1) // 2 + left * share * (share + 1) // 2
    common, more = divmod(shared, couples)
    cost = [_together_again(tables, size, byes - both) for both in range(byes + 1)] + [0]
    return (couples - more) * cost[common] + more * cost[common + 1]


def _together_again(tables: int, size: int, gone: int) -> int:
    """Return how many pairs at least stay together from one round to another when `gone` players sit the other out."""

    def pairs(seated: int) -> int:
        return (least_sum_of_squares(seated, tables) - seated) // 2

    seats = [size] * tables
    for _ in range(gone):
        best = max(range(tables), key=lambda table: pairs(seats[table]) - pairs(seats[table] - 1))
        seats[best] -= 1
    return sum(map(pairs, seats))


def _after(met: Matrix, present: Sequence[int], rounds: int, table_size: int) -> int:
    """Return the bound that rows give when some meetings have already happened.

    Each game adds meetings where a player has least; the games go to those for whom that is cheapest.
    """
    prices: list[int] = []
    for player in present:
        levels = Counter(met[player][other] for other in present if other != player)
        prices += [sum(_meet_rarest(levels) for _ in range(table_size - 1)) for _ in range(rounds)]
    seats = len(present) // table_size * table_size * rounds
    return (sum(count * count for row in met for count in row) + sum(sorted(prices)[:seats]) + 1) // 2


def _meet_rarest(levels: Counter[int]) -> int:
    """Let one of the opponents met least be met once more; return by how much the sum of squares grows."""
    level = min(level for level, opponents in levels.items() if opponents)
    levels[level] -= 1
    levels[level + 1] += 1
    return 2 * level + 1
