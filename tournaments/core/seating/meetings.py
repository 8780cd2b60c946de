"""Who has met whom: the counts that every other part works on."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from tournaments.core.seating.problem import Matrix


def meetings(rounds: Iterable[Iterable[Sequence[int]]], players: int) -> Matrix:
    counts = [[0] * players for _ in range(players)]
    for tables in rounds:
        for table in tables:
            for first, second in combinations(table, 2):
                counts[first][second] += 1
                counts[second][first] += 1
    return counts


def sum_of_squares(counts: Matrix) -> int:
    """Return the sum over all pairs of the square of their meetings: the smaller, the more even."""
    return sum(count * count for row in counts for count in row) // 2


def games_played(rounds: Iterable[Iterable[Sequence[int]]], players: int) -> list[int]:
    games = [0] * players
    for tables in rounds:
        for table in tables:
            for player in table:
                games[player] += 1
    return games
