"""The stored lines of a board: read whole, put in order, and written where they differ."""

# ruff: noqa: S608 - the statements are put together from constants and whole numbers; every other value is a parameter

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection

from league.core.board_lines import SUMS, Line
from league.core.board_ranks import BoardPlace, board_places, ties_among
from league.core.periods import Period
from league.models import League
from league.selectors.standings_sql import Players, ranking_on
from league.selectors.ties import BoardTies, TiedPlayer, order_of_ties

BATCH = 200
"""Lines per statement."""

_RANKS = ("rank", "shared_rank", "previous_rank")
_COLUMNS = ("score", *_RANKS, *SUMS)

_READ = f"""
    SELECT player_id, id, decided_by, {", ".join(_COLUMNS)} FROM league_standing WHERE league_id = %s AND period = %s
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


@dataclass(frozen=True, slots=True)
class BoardRow:
    """What is stored, or to be stored, of a player's line. `ranks` are the rank, the shared one and the previous one."""

    score: int
    ranks: tuple[int | None, int | None, int | None]
    sums: Line
    decided_by: dict[str, Any] | None

    @property
    def offset(self) -> int:
        """How many places a tie-break put the line below the first of its equals."""
        return (self.ranks[0] or 0) - (self.ranks[1] or 0)


@dataclass(frozen=True, slots=True)
class BoardChange:
    """Lines as they are now of `players`, or of everybody for None; whoever of these has none is off the board."""

    lines: Mapping[int, Line]
    players: Players
    last_day: date | None

    def concerns(self, player: int) -> bool:
        """Return whether the change says what a player's line is."""
        return self.players is None or player in self.players


def change_board(league: League, period: Period, change: BoardChange) -> bool:
    """Store changed lines, and every rank that follows from them; return whether anything is different now.

    Two statements where nothing is, five at most and those that ties cost.
    """
    stored, keys = _stored_rows(league, period)
    kept = {player: row.sums for player, row in stored.items() if not change.concerns(player)}
    wanted = _wanted_rows(league, period, change, stored, {**kept, **change.lines})
    gone = [keys[player] for player in stored.keys() - wanted.keys()]
    changed = [player for player, row in wanted.items() if row != stored.get(player)]
    moved = [player for player in changed if player in stored and _differs_in_rank_only(wanted[player], stored[player])]
    written = set(changed).difference(moved)
    _write(league, period, {player: wanted[player] for player in sorted(written)})
    _run(_MOVE, [f"({keys[player]}, {_listed(wanted[player].ranks)})" for player in moved])
    _run(_REMOVE, [str(key) for key in gone])
    return bool(changed or gone)


def _stored_rows(league: League, period: Period) -> tuple[dict[int, BoardRow], dict[int, int]]:
    rows: dict[int, BoardRow] = {}
    keys: dict[int, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(_READ, [league.pk, period.key])
        for player, key, decided, score, rank, shared, previous, *sums in cursor.fetchall():
            reason = json.loads(decided) if decided is not None else None
            rows[player] = BoardRow(score, (rank, shared, previous), tuple(sums), reason)
            keys[player] = key
    return rows, keys


def _wanted_rows(
    league: League, period: Period, change: BoardChange, stored: Mapping[int, BoardRow], lines: Mapping[int, Line]
) -> dict[int, BoardRow]:
    places = board_places(ranking_on(league, period), lines)
    groups = ties_among(places)
    fresh = _disturbed(groups, change, stored)
    hanchan = {player: line[0] for player, line in lines.items()}
    order = order_of_ties(league, period, BoardTies(fresh, hanchan, change.last_day))
    for player in {player for group in groups for player in group}.difference(order):
        order[player] = TiedPlayer(stored[player].offset, stored[player].decided_by)
    return {player: _row(place, lines[player], order.get(player, _ALONE)) for player, place in places.items()}


_ALONE = TiedPlayer(0, None)


def _row(place: BoardPlace, line: Line, tied: TiedPlayer) -> BoardRow:
    rank = None if place.rank is None else place.rank + tied.offset
    return BoardRow(place.score, (rank, place.rank, place.previous), line, tied.decided_by)


def _disturbed(
    groups: Sequence[Sequence[int]], change: BoardChange, stored: Mapping[int, BoardRow]
) -> list[Sequence[int]]:
    """Return the groups of equal players whose order may be another now: somebody of it changed, came or went."""
    ranks = {row.ranks[1] for player, row in stored.items() if change.concerns(player)}

    def is_disturbed(player: int) -> bool:
        return change.concerns(player) or player not in stored or stored[player].ranks[1] in ranks

    return [group for group in groups if any(map(is_disturbed, group))]


def _differs_in_rank_only(row: BoardRow, before: BoardRow) -> bool:
    return (row.score, row.sums, row.decided_by) == (before.score, before.sums, before.decided_by)


def _write(league: League, period: Period, rows: Mapping[int, BoardRow]) -> None:
    written: list[str] = []
    parameters: list[str | None] = []
    for player, row in rows.items():
        written.append(f"({league.pk}, %s, {player}, %s, {_listed((row.score, *row.ranks, *row.sums))})")
        parameters += [period.key, None if row.decided_by is None else json.dumps(row.decided_by)]
    _run(_WRITE, written, parameters)


def _listed(values: Iterable[int | None]) -> str:
    return ", ".join("NULL" if value is None else str(int(value)) for value in values)


def _run(statement: str, rows: Sequence[str], parameters: Sequence[str | None] = ()) -> None:
    """Run a statement for so many rows at a time; each row takes its share of the parameters."""
    each = len(parameters) // len(rows) if rows else 0
    for start in range(0, len(rows), BATCH):
        chunk = rows[start : start + BATCH]
        with connection.cursor() as cursor:
            cursor.execute(
                statement.format(rows=", ".join(chunk)), parameters[start * each : (start + len(chunk)) * each]
            )
