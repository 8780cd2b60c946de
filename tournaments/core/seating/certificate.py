"""Figures on how even a schedule is, counted from its tables, with lower bounds."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from tournaments.core.seating.problem import (
    Matrix,
    Round,
    Schedule,
    SeatingError,
    Wishes,
    check_rounds,
    games_played,
    meetings,
    sum_of_squares,
)
from tournaments.core.seating.winds import count_winds

PROVED = {(7, 10): 178, (7, 11): 214, (8, 9): 428, (8, 10): 528, (8, 11): 636, (8, 12): 752, (20, 6): 182}
"""Proven minimum sums of squared meetings by players and rounds, for tables of four."""


def least_sum_of_squares(total: int, places: int) -> int:
    share, left = divmod(total, places)
    return (places - left) * share * share + left * (share + 1) ** 2


def lower_bounds(players: int, rounds: int, table_size: int = 4) -> dict[str, int]:
    """Return all lower bounds by name; they hold for schedules in which byes are as even as possible."""
    found = rounds * (players // table_size) * table_size * (table_size - 1) // 2
    # Games per player if byes are as even as possible.
    share, left = divmod(players // table_size * table_size * rounds, players)
    games = [share + (number < left) for number in range(players)]
    rows = sum(least_sum_of_squares((table_size - 1) * each, players - 1) for each in games)
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
    players: int, rounds: int, table_size: int = 4, history: Sequence[Round] = (), absent: Iterable[int] = ()
) -> tuple[int, str]:
    """Return the best lower bound and its name; if tied, the simplest.

    With history the bound includes past meetings; `absent` players have no further meetings.
    """
    gone = set(absent)
    if history:
        present = [player for player in range(players) if player not in gone]
        return _after(meetings(history, players), present, rounds, table_size), "history"
    bounds = lower_bounds(players - len(gone), rounds, table_size)
    name = max(bounds, key=lambda name: bounds[name])
    return bounds[name], name


def _overlap(players: int, rounds: int, size: int) -> int:
    """Return the least number of pairs that meet repeatedly, summed over every two rounds.

    Players with a bye in one of two rounds lower it. Byes are even, which fixes their number; the cost is convex, so an
    even spread is cheapest.
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
    """Return the least number of pairs who meet in both of two rounds if `gone` players have a bye in one of them."""

    def pairs(seated: int) -> int:
        return (least_sum_of_squares(seated, tables) - seated) // 2

    seats = [size] * tables
    for _ in range(gone):
        best = max(range(tables), key=lambda table: pairs(seats[table]) - pairs(seats[table] - 1))
        seats[best] -= 1
    return sum(map(pairs, seats))


def _after(met: Matrix, present: Sequence[int], rounds: int, table_size: int) -> int:
    """Return the lower bound from each player's meetings, given those that have already happened.

    Each game adds meetings with the opponents a player has met least; the games go to the players for whom that is
    cheapest.
    """
    prices: list[int] = []
    for player in present:
        levels = Counter(met[player][other] for other in present if other != player)
        prices += [sum(_meet_rarest(levels) for _ in range(table_size - 1)) for _ in range(rounds)]
    seats = len(present) // table_size * table_size * rounds
    return (sum(count * count for row in met for count in row) + sum(sorted(prices)[:seats]) + 1) // 2


def _meet_rarest(levels: Counter[int]) -> int:
    level = min(level for level, opponents in levels.items() if opponents)
    levels[level] -= 1
    levels[level + 1] += 1
    return 2 * level + 1


@dataclass(frozen=True, slots=True)
class Certificate:
    """Figures of a schedule. Meetings, games, byes and winds include the history.

    `histogram[n]`: number of pairs who meet n times. `bound`: the lower bound, `bound_name` its reason. `winds_spread`:
    greatest difference between a player's wind counts. `windows_without_a_wind`: runs of four games of a player (1-4,
    5-8, …) that lack a wind. `table_visits`: most visits of a player to one table number; `table_excess`: squared
    visits above the minimum. `repeated_triples`: how often three players meet again. `apart_met`, `groups_met`,
    `together`: pairs and their meetings.
    """

    players: int
    rounds: int
    table_size: int
    method: str
    seed: int
    is_valid: bool
    games: tuple[int, int]
    byes: tuple[int, int]
    meetings: tuple[int, int]
    histogram: dict[int, int]
    sum_of_squares: int
    bound: int
    bound_name: str
    is_optimal: bool
    winds_spread: int
    windows_without_a_wind: int
    table_visits: int
    table_excess: int
    repeated_triples: int
    apart_met: tuple[tuple[int, int, int], ...]
    groups_met: tuple[tuple[int, int, int], ...]
    together: tuple[tuple[int, int, int], ...]

    @property
    def violations(self) -> tuple[tuple[int, int, int], ...]:
        return tuple(sorted({*self.apart_met, *self.groups_met}))

    def as_json(self) -> dict[str, Any]:
        figures = asdict(self) | {"violations": self.violations}
        figures["histogram"] = {str(times): pairs for times, pairs in self.histogram.items()}
        return {name: _plain(value) for name, value in figures.items()}


def _plain(value: Any) -> Any:
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def certificate(schedule: Schedule, *, wishes: Wishes | None = None) -> Certificate:
    """Return the certificate of any schedule.

    Players absent according to the wishes are left out of all figures. Invalid rounds give a certificate that says so.
    Raise SeatingError if there are too few players for a table or the history is invalid.
    """
    wishes = wishes or Wishes()
    if schedule.players - len(set(wishes.absent)) < schedule.table_size:
        raise SeatingError(f"There is no table of {schedule.table_size} to be filled.")
    return _Figures(schedule, wishes).certificate()


class _Figures:
    def __init__(self, schedule: Schedule, wishes: Wishes) -> None:
        self.schedule, self.wishes = schedule, wishes
        check_rounds(wishes.history, schedule.players, schedule.table_size)
        self.is_sound = len({len(tables) for tables in schedule.rounds}) <= 1
        try:
            check_rounds(schedule.rounds, schedule.players, schedule.table_size)
        except SeatingError:
            self.is_sound = False
        self.rounds = schedule.rounds if self.is_sound else ()
        self.everything = (*wishes.history, *self.rounds)
        self.present = [player for player in range(schedule.players) if player not in set(wishes.absent)]
        self.met = meetings(self.everything, schedule.players)
        self.met_now = meetings(self.rounds, schedule.players)

    def certificate(self) -> Certificate:
        schedule, wishes = self.schedule, self.wishes
        total = sum_of_squares(self.met)
        bound, name = best_bound(
            schedule.players, len(schedule.rounds), schedule.table_size, wishes.history, wishes.absent
        )
        games = [games_played(self.everything, schedule.players)[player] for player in self.present]
        pairs = [self.met[one][other] for one, other in combinations(self.present, 2)]
        visits, excess = self._tables()
        apart_met = self._meetings(wishes.apart_pairs, least=1)
        winds = count_winds(self.everything, schedule.players, schedule.table_size)
        triples = Counter(
            triple for tables in self.everything for table in tables for triple in combinations(sorted(table), 3)
        )
        return Certificate(
            players=schedule.players,
            rounds=len(schedule.rounds),
            table_size=schedule.table_size,
            method=schedule.method,
            seed=schedule.seed,
            is_valid=self.is_sound and not apart_met,
            games=_ends(games),
            byes=_ends([len(self.everything) - played for played in games]),
            meetings=_ends(pairs),
            histogram=dict(sorted(Counter(pairs).items())),
            sum_of_squares=total,
            bound=bound,
            bound_name=name,
            is_optimal=self.is_sound and total == bound,
            winds_spread=max(max(winds[player]) - min(winds[player]) for player in self.present),
            windows_without_a_wind=self._windows(),
            table_visits=visits,
            table_excess=excess,
            repeated_triples=sum(times - 1 for times in triples.values()),
            apart_met=apart_met,
            groups_met=self._meetings(wishes.group_pairs, least=1),
            together=self._meetings(wishes.together_pairs, least=0),
        )

    def _meetings(self, pairs: Iterable[tuple[int, int]], *, least: int) -> tuple[tuple[int, int, int], ...]:
        met = ((one, other, self.met_now[one][other]) for one, other in pairs)
        return tuple(line for line in met if line[2] >= least)

    def _windows(self) -> int:
        size = self.schedule.table_size
        winds: list[list[int]] = [[] for _ in range(self.schedule.players)]
        for tables in self.everything:
            for table in tables:
                for wind, player in enumerate(table):
                    winds[player].append(wind)
        return sum(
            len(set(winds[player][start : start + size])) < size
            for player in self.present
            for start in range(0, len(winds[player]) - size + 1, size)
        )

    def _tables(self) -> tuple[int, int]:
        visits = table_visits(self.rounds, self.schedule.players)
        most = max((max(row) for row in visits if row), default=0)
        excess = sum(
            sum(count * count for count in row) - least_sum_of_squares(sum(row), len(row)) for row in visits if row
        )
        return most, excess


def table_visits(rounds: Iterable[Sequence[Sequence[int]]], players: int) -> Matrix:
    rounds = list(rounds)
    visits = [[0] * max(map(len, rounds), default=0) for _ in range(players)]
    for tables in rounds:
        for number, table in enumerate(tables):
            for player in table:
                visits[player][number] += 1
    return visits


def _ends(numbers: Sequence[int]) -> tuple[int, int]:
    return min(numbers), max(numbers)
