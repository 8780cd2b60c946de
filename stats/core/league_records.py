"""Records of a league in a form that can be combined, so that a year is built from months without reading seats."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from stats.core.careers import Stretch
from stats.core.statistics import Run


class RecordKind(StrEnum):
    HIGHEST_RAW = "highest_raw"
    LOWEST_RAW = "lowest_raw"
    MOST_POINTS = "most_points"
    FEWEST_POINTS = "fewest_points"
    BIGGEST_EVENING = "biggest_evening"
    MOST_IN_EVENING = "most_in_evening"
    CLOSEST = "closest"
    WIDEST = "widest"


LEAST = frozenset({RecordKind.LOWEST_RAW, RecordKind.FEWEST_POINTS, RecordKind.CLOSEST})
"""Kinds of records where the lowest value is the record."""

RUNS = (Run.FIRST, Run.TOP_TWO, Run.NOT_LAST)
"""Streaks with a record for the longest."""


class RecordSeat(NamedTuple):
    """A player's line in a hanchan. `points`: of the league's ledger, in 1/1000 pt; `session`: primary key."""

    hanchan: int
    session: int
    day: str
    player: int
    seat: int
    placement: int
    raw: int | None
    points: int
    total_only: int


class Held(NamedTuple):
    """A record: value, holder, hanchan (None for a session's record), session and day."""

    value: int
    player: int
    hanchan: int | None
    session: int
    day: str


@dataclass(frozen=True, slots=True)
class LeagueRecords:
    """Records of some days of a league. `held`: by kind. `streaks`: per player, in the order of RUNS."""

    hanchan: int = 0
    held: Mapping[RecordKind, Held] = field(default_factory=dict)
    streaks: Mapping[int, tuple[Stretch, ...]] = field(default_factory=dict)

    @property
    def busiest(self) -> tuple[int, int] | None:
        """The player with the most hanchan, and their number; if tied, the player entered first."""
        counts = ((parts[0].games, player) for player, parts in sorted(self.streaks.items()))
        found = max(counts, key=itemgetter(0), default=None)
        return (found[1], found[0]) if found else None

    def longest(self, run: Run) -> tuple[int, Stretch] | None:
        """Return the holder of the longest streak of a kind; if tied, the earlier one. None below a length of two."""
        place = RUNS.index(run)
        parts = [(player, parts[place]) for player, parts in self.streaks.items() if parts[place].longest > 1]
        return min(parts, key=lambda each: (-each[1].longest, each[1].longest_at, each[0]), default=None)


def records_of(seats: Iterable[RecordSeat]) -> LeagueRecords:
    """Return the records of these seats, which are in order of play and grouped by hanchan."""
    tables = [tuple(table) for _, table in groupby(seats, key=attrgetter("hanchan"))]
    found: list[tuple[RecordKind, Held]] = []
    for table in tables:
        found += _of_table(table)
    found += _of_evenings(tables)
    return LeagueRecords(len(tables), _best(found), _streaks(tables))


def evening_winners(seats: Iterable[RecordSeat]) -> dict[int, int]:
    """Return the number of sessions each player won. Players tied for first all count as winners."""
    won = Counter[int]()
    for sums in _evenings(seats).values():
        best = max(sums.values())
        won.update(player for player, points in sums.items() if points == best)
    return won


def joined(parts: Sequence[LeagueRecords]) -> LeagueRecords:
    """Combine the records of separate days. `parts` are in chronological order."""
    streaks: dict[int, tuple[Stretch, ...]] = {}
    for part in parts:
        for player, later in part.streaks.items():
            earlier = streaks.get(player)
            pairs = zip(earlier, later, strict=True) if earlier else ()
            streaks[player] = tuple(one.before(other) for one, other in pairs) or later
    held = _best(item for part in parts for item in part.held.items())
    return LeagueRecords(sum(part.hanchan for part in parts), held, streaks)


def _best(found: Iterable[tuple[RecordKind, Held]]) -> dict[RecordKind, Held]:
    """Return the record of each kind; if tied, the earliest."""
    best: dict[RecordKind, Held] = {}
    for kind, held in found:
        before = best.get(kind)
        if before is None or (held.value < before.value if kind in LEAST else held.value > before.value):
            best[kind] = held
    return best


def _of_table(table: Sequence[RecordSeat]) -> Iterable[tuple[RecordKind, Held]]:
    for row in table:
        at = (row.player, row.hanchan, row.session, row.day)
        yield RecordKind.MOST_POINTS, Held(row.points, *at)
        yield RecordKind.FEWEST_POINTS, Held(row.points, *at)
        if row.raw is not None:
            yield RecordKind.HIGHEST_RAW, Held(row.raw, *at)
            yield RecordKind.LOWEST_RAW, Held(row.raw, *at)
    scores = [row.raw for row in table if row.raw is not None]
    if len(scores) == len(table):
        first = min(table, key=attrgetter("placement"))
        between = Held(max(scores) - min(scores), first.player, first.hanchan, first.session, first.day)
        yield RecordKind.CLOSEST, between
        yield RecordKind.WIDEST, between


def _of_evenings(tables: Iterable[Sequence[RecordSeat]]) -> Iterable[tuple[RecordKind, Held]]:
    rows = [row for table in tables for row in table]
    for (session, day), sums in _evenings(rows).items():
        for player, points in sums.items():
            yield RecordKind.BIGGEST_EVENING, Held(points, player, None, session, day)
    counts = Counter((row.session, row.day, row.player) for row in rows)
    for (session, day, player), count in counts.items():
        yield RecordKind.MOST_IN_EVENING, Held(count, player, None, session, day)


def _evenings(rows: Iterable[RecordSeat]) -> dict[tuple[int, str], dict[int, int]]:
    """Return each player's points per session, counting only its days within the period."""
    found: dict[tuple[int, str], dict[int, int]] = {}
    for row in rows:
        sums = found.setdefault((row.session, row.day), {})
        sums[row.player] = sums.get(row.player, 0) + row.points + row.total_only
    return found


_BELONGS: Mapping[Run, Callable[[RecordSeat, int], bool]] = {
    Run.FIRST: lambda row, _players: row.placement == 1,
    Run.TOP_TWO: lambda row, _players: row.placement <= 2,
    Run.NOT_LAST: lambda row, players: row.placement < players,
}


def _streaks(tables: Iterable[Sequence[RecordSeat]]) -> dict[int, tuple[Stretch, ...]]:
    singles: dict[int, list[tuple[Stretch, ...]]] = {}
    for table in tables:
        for row in table:
            belongs = (int(_BELONGS[run](row, len(table))) for run in RUNS)
            parts = tuple(Stretch(1, does, does, does, row.hanchan * does, row.hanchan * does) for does in belongs)
            singles.setdefault(row.player, []).append(parts)
    return {
        player: tuple(reduce(Stretch.before, parts) for parts in zip(*rows, strict=True))
        for player, rows in singles.items()
    }


def as_json(records: LeagueRecords) -> list[Any]:
    held = {kind.value: list(held) for kind, held in sorted(records.held.items())}
    streaks = {
        str(player): [[*part[:2], part.first_at, part.current, part.longest, part.longest_at] for part in parts]
        for player, parts in sorted(records.streaks.items())
    }
    return [records.hanchan, held, streaks]


def _stretch(games: int, first: int, first_at: int, current: int, longest: int, longest_at: int) -> Stretch:
    return Stretch(games, first, current, longest, first_at, longest_at)


def from_json(kept: Sequence[Any]) -> LeagueRecords:
    hanchan, held, streaks = kept
    return LeagueRecords(
        hanchan,
        {RecordKind(kind): Held(*values) for kind, values in held.items()},
        {int(player): tuple(_stretch(*part) for part in parts) for player, parts in streaks.items()},
    )
