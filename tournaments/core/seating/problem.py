"""Input and output of a seating as plain values."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

Table = tuple[int, ...]
"""The players at a table, East first; players are numbered from 0."""
Round = tuple[Table, ...]
"""The tables of a round, in order of table numbers from 1."""

Groups = list[list[list[int]]]
"""Rounds, tables and players of an unfinished schedule, before winds are assigned."""
Matrix = list[list[int]]

MAX_PLAYERS = 400
MAX_ROUNDS = 60


class SeatingError(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Wishes:
    """Wishes besides even meetings; players have the same numbers as in `history`.

    `apart`: pairs that must never meet (an error if impossible). `together`: pairs that share a table as often as
    possible. `groups`: clubs or teams whose members meet as rarely as possible. `history`: rounds already played, which
    count as well. `absent`: players who left.
    """

    apart: tuple[tuple[int, int], ...] = ()
    together: tuple[tuple[int, int], ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()
    history: tuple[Round, ...] = ()
    absent: tuple[int, ...] = ()

    @property
    def apart_pairs(self) -> tuple[tuple[int, int], ...]:
        return _distinct(self.apart)

    @property
    def together_pairs(self) -> tuple[tuple[int, int], ...]:
        return _distinct(self.together)

    @property
    def group_pairs(self) -> tuple[tuple[int, int], ...]:
        return _distinct(pair for group in self.groups for pair in combinations(group, 2))


def _distinct(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted({(min(pair), max(pair)) for pair in pairs}))


@dataclass(frozen=True, slots=True)
class Schedule:
    """Tables of every round; `method` is a code such as "difference_matrix"."""

    players: int
    table_size: int
    rounds: tuple[Round, ...]
    method: str
    seed: int

    @property
    def byes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(
            tuple(sorted(set(range(self.players)).difference(*tables))) if tables else tuple(range(self.players))
            for tables in self.rounds
        )


def check_problem(players: int, rounds: int, table_size: int, wishes: Wishes) -> None:
    if table_size not in {3, 4}:
        raise SeatingError(f"Tables seat 3 or 4 players, not {table_size}.")
    present = players - len(set(wishes.absent))
    if not table_size <= present or players > MAX_PLAYERS:
        raise SeatingError(f"From {table_size} to {MAX_PLAYERS} players can be seated, not {min(players, present)}.")
    if not 1 <= rounds <= MAX_ROUNDS:
        raise SeatingError(f"From 1 to {MAX_ROUNDS} rounds can be seated, not {rounds}.")
    _check_ids(players, wishes)
    check_rounds(wishes.history, players, table_size)


def _check_ids(players: int, wishes: Wishes) -> None:
    for name in ("apart", "together", "groups"):
        for group in getattr(wishes, name):
            if len(set(group)) < len(group):
                raise SeatingError(f"{name}: player {_twice(group)} is listed twice in one group.")
    for name, player in _named(wishes):
        if not 0 <= player < players:
            raise SeatingError(f"{name}: there is no player {player}; players are numbered from 0 to {players - 1}.")
    if both := set(wishes.apart_pairs) & set(wishes.together_pairs):
        first, second = min(both)
        raise SeatingError(f"Players {first} and {second} are both to be kept apart and kept together.")


def _twice(group: Sequence[int]) -> int:
    return next(player for player in group if group.count(player) > 1)


def _named(wishes: Wishes) -> Iterator[tuple[str, int]]:
    for name in ("apart", "together", "groups"):
        for group in getattr(wishes, name):
            yield from ((name, player) for player in group)
    yield from (("absent", player) for player in wishes.absent)


def check_rounds(rounds: Iterable[Round], players: int, table_size: int) -> None:
    for number, tables in enumerate(rounds, 1):
        seated = [player for table in tables for player in table]
        if any(len(table) != table_size for table in tables):
            raise SeatingError(f"Round {number}: every table seats {table_size} players.")
        if any(not 0 <= player < players for player in seated):
            raise SeatingError(f"Round {number}: players are numbered from 0 to {players - 1}.")
        if len(set(seated)) < len(seated):
            raise SeatingError(f"Round {number}: player {_twice(seated)} sits twice.")


def chance(seed: int, *purpose: int | str) -> Random:
    return Random(":".join(map(str, (seed, *purpose))))  # noqa: S311 - a draw to be repeated, not a secret


def meetings(rounds: Iterable[Iterable[Sequence[int]]], players: int) -> Matrix:
    counts = [[0] * players for _ in range(players)]
    for tables in rounds:
        for table in tables:
            for first, second in combinations(table, 2):
                counts[first][second] += 1
                counts[second][first] += 1
    return counts


def sum_of_squares(counts: Matrix) -> int:
    return sum(count * count for row in counts for count in row) // 2


def games_played(rounds: Iterable[Iterable[Sequence[int]]], players: int) -> list[int]:
    games = [0] * players
    for tables in rounds:
        for table in tables:
            for player in table:
                games[player] += 1
    return games


def byes_so_far(history: Sequence[Round], players: int) -> list[int]:
    return [len(history) - games for games in games_played(history, players)]


def deal_byes(players: Sequence[int], rounds: int, byes: int, so_far: list[int], random: Random) -> list[list[int]]:
    """Return the players with a bye in each round, fewest byes first; adds the byes to `so_far`.

    Avoids a bye in both the first and the last round if possible.
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
    resting = [set(range(players)).difference(*tables) for tables in groups]
    pairs = ((last, first) for last in reversed(range(len(groups))) for first in range(last))
    ends = next(((first, last) for last, first in pairs if resting[first].isdisjoint(resting[last])), None)
    if ends is None:
        return groups
    between = [tables for number, tables in enumerate(groups) if number not in ends]
    return [groups[ends[0]], *between, groups[ends[1]]]
