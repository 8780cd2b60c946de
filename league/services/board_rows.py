"""The stored lines of boards: read at once, changed in memory, and written at once where they differ."""

# ruff: noqa: S608 - the statements are put together from constants and whole numbers; every other value is a parameter

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from django.db import connection

from league.core.board_lines import SUMS, Line
from league.core.board_ranks import board_places, ties_among
from league.core.periods import Period
from league.models import League
from league.selectors.standings_sql import Players, among, ranking_on
from league.selectors.ties import BoardTies, TiedPlayer, order_of_ties

BATCH = 200
"""Lines per statement."""

_RANKS = ("rank", "shared_rank", "previous_rank")
_COLUMNS = ("score", *_RANKS, *SUMS)

_READ = f"""
    SELECT period, player_id, id, decided_by, {", ".join(_COLUMNS)} FROM league_standing
    WHERE league_id = %s AND ({{boards}})
"""

_WRITE = f"""
    INSERT INTO league_standing (league_id, period, player_id, decided_by, {", ".join(_COLUMNS)}) VALUES {{rows}}
    ON CONFLICT (league_id, period, player_id) DO UPDATE
    SET decided_by = excluded.decided_by, {", ".join(f"{column} = excluded.{column}" for column in _COLUMNS)}
"""

_MOVE = f"""
    WITH moved(id, {", ".join(_RANKS)}) AS (VALUES {{rows}})
    UPDATE league_standing SET {", ".join(f"{column} = CAST(moved.{column} AS integer)" for column in _RANKS)}
    FROM moved WHERE league_standing.id = moved.id
"""

_REMOVE = "DELETE FROM league_standing WHERE id IN ({rows})"


class StoredLine(NamedTuple):
    """A player's line as it is stored, or is to be. `ranks` are the rank, the shared one and the previous one.

    `decided_by` is JSON; `key` is None for what is not stored yet.
    """

    key: int | None
    decided_by: str | None
    score: int
    ranks: tuple[int | None, ...]
    sums: Line


@dataclass(frozen=True, slots=True)
class BoardChange:
    """Lines as they are now of `players`, or of everybody for None; whoever of these has none is off the board."""

    lines: Mapping[int, Line]
    players: Players
    last_day: date | None

    def concerns(self, player: int) -> bool:
        """Return whether the change says what a player's line is."""
        return self.players is None or player in self.players


Rows = dict[int, StoredLine]


@dataclass(slots=True)
class StoredLines:
    """Lines of a league's boards by period and player, and what of them is still to be written."""

    league: League
    boards: dict[str, Rows]
    written: list[tuple[str, int]] = field(default_factory=list)
    moved: list[StoredLine] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, league: League, whole: Collection[str], parts: Collection[str], players: Players) -> "StoredLines":
        """Return the lines of whole boards, and those of some players on others. One query."""
        boards: dict[str, Rows] = defaultdict(dict)
        wanted = f"period IN ({_places(whole)})"
        if parts:
            wanted += f" OR (period IN ({_places(parts)}) AND {among(players)})"
        with connection.cursor() as cursor:
            cursor.execute(_READ.format(boards=wanted), [league.pk, *whole, *parts])
            for period, player, key, decided, score, rank, shared, previous, *sums in cursor.fetchall():
                reason = decided and json.dumps(json.loads(decided), sort_keys=True)
                boards[period][player] = StoredLine(key, reason, score, (rank, shared, previous), tuple(sums))
        return cls(league, boards)

    def change(self, period: Period, change: BoardChange) -> bool:
        """Take over changed lines of a board and every rank that follows from them; return whether anything differs."""
        before = self.boards[period.key]
        now = _rows_after(self.league, period, change, before)
        gone = [str(row.key) for player, row in before.items() if player not in now]
        changed = [player for player, row in now.items() if row != before.get(player)]
        for player in changed:
            if player in before and now[player]._replace(ranks=before[player].ranks) == before[player]:
                self.moved.append(now[player])
            else:
                self.written.append((period.key, player))
        self.gone += gone
        self.boards[period.key] = now
        return bool(changed or gone)

    def write(self) -> None:
        """Store what differs. Three statements at most for a few hundred lines."""
        rows = [(period, player, self.boards[period][player]) for period, player in self.written]
        _run(
            _WRITE,
            [f"({self.league.pk}, %s, {player}, %s, {_listed((r.score, *r.ranks, *r.sums))})" for _, player, r in rows],
            [value for period, _, row in rows for value in (period, row.decided_by)],
        )
        _run(_MOVE, [f"({row.key}, {_listed(row.ranks)})" for row in self.moved])
        _run(_REMOVE, self.gone)


def _places(values: Collection[str]) -> str:
    return ", ".join(["%s"] * len(values))


def _rows_after(league: League, period: Period, change: BoardChange, before: Rows) -> Rows:
    lines = {player: row.sums for player, row in before.items() if not change.concerns(player)} | dict(change.lines)
    places = board_places(ranking_on(league, period), lines)
    groups = ties_among(places)
    hanchan = {player: lines[player][0] for group in groups for player in group}
    disturbed = _disturbed(groups, change, before)
    order = order_of_ties(league, period, BoardTies(disturbed, hanchan, change.last_day)) if disturbed else {}
    rows: Rows = {}
    for player, place in places.items():
        old = before.get(player)
        if player in order:
            offset, reason = order[player].offset, _as_json(order[player])
        elif player in hanchan and old is not None:
            offset, reason = (old.ranks[0] or 0) - (old.ranks[1] or 0), old.decided_by
        else:
            offset, reason = 0, None
        rank = None if place.rank is None else place.rank + offset
        rows[player] = StoredLine(
            old and old.key, reason, place.score, (rank, place.rank, place.previous), lines[player]
        )
    return rows


def _as_json(tied: TiedPlayer) -> str | None:
    return None if tied.decided_by is None else json.dumps(tied.decided_by, sort_keys=True)


def _disturbed(groups: Sequence[Sequence[int]], change: BoardChange, before: Rows) -> list[Sequence[int]]:
    """Return the groups of equal players whose order may be another now: somebody of it changed, came or went."""
    if change.players is None:
        return list(groups)
    ranks = {before[player].ranks[1] for player in change.players if player in before}

    def is_disturbed(player: int) -> bool:
        return change.concerns(player) or player not in before or before[player].ranks[1] in ranks

    return [group for group in groups if any(map(is_disturbed, group))]


def _listed(values: Iterable[int | None]) -> str:
    return ", ".join("NULL" if value is None else str(int(value)) for value in values)


def _run(statement: str, rows: Sequence[str], parameters: Sequence[str | None] = ()) -> None:
    """Run a statement for so many rows at a time; each row takes its share of the parameters."""
    each = len(parameters) // len(rows) if rows else 0
    for start in range(0, len(rows), BATCH):
        chunk = rows[start : start + BATCH]
        given = parameters[start * each : (start + len(chunk)) * each]
        with connection.cursor() as cursor:
            cursor.execute(statement.format(rows=", ".join(chunk)), given)
