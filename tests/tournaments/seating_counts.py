"""An independent count of meetings, winds and tables, sharing no code with the seating algorithms."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Rounds = Sequence[Sequence[Sequence[int]]]


def faults(rounds: Rounds, players: int, table_size: int = 4) -> list[str]:
    found = []
    for number, tables in enumerate(rounds, 1):
        seated = [player for table in tables for player in table]
        if [len(table) for table in tables] != [table_size] * (players // table_size):
            found.append(f"round {number}: tables")
        if len(set(seated)) != len(seated) or not set(seated) <= set(range(players)):
            found.append(f"round {number}: players")
    return found


def pair_counts(rounds: Rounds) -> Counter[tuple[int, ...]]:
    return Counter(pair for tables in rounds for table in tables for pair in combinations(sorted(table), 2))


def squares(rounds: Rounds) -> int:
    return sum(times * times for times in pair_counts(rounds).values())


def histogram(rounds: Rounds, players: int) -> dict[int, int]:
    met = pair_counts(rounds)
    return dict(Counter(met[pair] for pair in combinations(range(players), 2)))


def repeats(rounds: Rounds) -> int:
    return sum(times - 1 for times in pair_counts(rounds).values())


def games(rounds: Rounds, players: int) -> list[int]:
    return [sum(player in table for tables in rounds for table in tables) for player in range(players)]


def winds_of(rounds: Rounds, player: int) -> list[int]:
    """Return the winds of a player's hanchan in order of play, 0 for East."""
    return [list(table).index(player) for tables in rounds for table in tables if player in table]


def winds_spread(rounds: Rounds, players: int, table_size: int = 4) -> int:
    spreads = []
    for player in range(players):
        counts = [winds_of(rounds, player).count(wind) for wind in range(table_size)]
        spreads.append(max(counts) - min(counts))
    return max(spreads)


def blocks_lacking_a_wind(rounds: Rounds, players: int, table_size: int = 4) -> int:
    lacking = 0
    for player in range(players):
        winds = winds_of(rounds, player)
        whole = len(winds) // table_size * table_size
        lacking += sum(len(set(winds[at : at + table_size])) < table_size for at in range(0, whole, table_size))
    return lacking


def most_visits(rounds: Rounds) -> int:
    numbered = [each for tables in rounds for each in enumerate(tables)]
    return max(Counter((player, number) for number, table in numbered for player in table).values())
