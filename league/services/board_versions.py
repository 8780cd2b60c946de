"""The rows of boards and their marks, as a refresh reads and writes them: plain statements, each for all boards at once."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection
from django.utils import timezone

from league.core.periods import ALL_TIME, Period
from league.models import Board, Hanchan, League

BATCH = 10_000
"""Marks per statement."""


_MARKS = "SELECT id, period, players FROM league_staleperiod WHERE league_id = %s"

_STRIKE = "DELETE FROM league_staleperiod WHERE id IN ({marks})"

_LOCK = "SELECT id FROM league_board WHERE league_id = %s AND period = %s {for_update}"

_READ = """
    SELECT period, id, version, hanchan, last_day, computed_at IS NULL FROM league_board
    WHERE league_id = %s AND ({boards})
"""

_WRITE = """
    WITH fresh(id, version, hanchan, lines, last_day) AS (VALUES {rows})
    UPDATE league_board
    SET version = fresh.version, hanchan = fresh.hanchan, lines = fresh.lines, last_day = {last_day}, computed_at = %s
    FROM fresh WHERE league_board.id = fresh.id
"""

_PLAYED = """
    SELECT (SELECT MAX(day) FROM league_seat
            WHERE league_id = %(league)s AND counted AND day >= %(start)s AND day < %(end)s),
           (SELECT COUNT(*) FROM league_hanchan
            WHERE league_id = %(league)s AND day >= %(start)s AND day < %(end)s AND state NOT IN ({left_out}))
"""


@dataclass(slots=True)
class BoardFacts:
    """What a board's row says. `key` is its primary key; `last_day` the last day of play; `lines` is only written."""

    key: int
    version: int = 0
    hanchan: int = 0
    last_day: date | None = None
    is_new: bool = True
    lines: int = 0


def marks_on(league_id: int, keys: Collection[str]) -> list[tuple[int, str, list[int] | None]]:
    """Return the marks on these boards and on any inside them: primary key, the board's key, and whom it is about.

    For a year or all time, those on every board of the league.
    """
    only_months = all("-" in key for key in keys)
    statement = f"{_MARKS} AND period IN ({', '.join(['%s'] * len(keys))})" if only_months else _MARKS
    found = _rows(statement, [league_id, *(keys if only_months else ())])
    return [(mark, key, None if players is None else json.loads(players)) for mark, key, players in found]


def strike_off(marks: Sequence[int]) -> None:
    """Remove marks whose boards are up to date."""
    for start in range(0, len(marks), BATCH):
        _run(_STRIKE.format(marks=", ".join(map(str, marks[start : start + BATCH]))))


def lock_boards(league_id: int) -> None:
    """Let nobody else refresh a board of the league until the transaction ends. Entry never waits for this."""
    lock = _LOCK.format(for_update="FOR UPDATE" if connection.features.has_select_for_update else "")
    if not _rows(lock, [league_id, ALL_TIME.key]):
        Board.objects.bulk_create([Board(league_id=league_id, period=ALL_TIME.key)], ignore_conflicts=True)
        _rows(lock, [league_id, ALL_TIME.key])


def read_boards(league: League, keys: Sequence[str], parts: Collection[str], *, years: bool) -> dict[str, BoardFacts]:
    """Return these boards and those among `parts` that there are, with `years` every year's; new ones are stored."""
    wanted = [*keys, *parts]
    boards = f"period IN ({', '.join(['%s'] * len(wanted))})"
    statement = _READ.format(boards=f"{boards} OR LENGTH(period) = 4" if years else boards)
    rows = _rows(statement, [league.pk, *wanted])
    found = {
        key: BoardFacts(pk, version, hanchan, _day(day), is_new=bool(is_new))
        for key, pk, version, hanchan, day, is_new in rows
    }
    missing = [Board(league=league, period=key) for key in keys if key not in found]
    made = Board.objects.bulk_create(missing) if missing else []
    return found | {board.period: BoardFacts(board.pk) for board in made}


def write_boards(boards: Sequence[BoardFacts]) -> None:
    """Store that these boards are up to date now."""
    on_postgresql = connection.vendor == "postgresql"
    rows = ", ".join(f"({board.key}, {board.version}, {board.hanchan}, {board.lines}, %s)" for board in boards)
    # Rows without any date in them would be texts to PostgreSQL; SQLite keeps dates as texts and knows no such type.
    statement = _WRITE.format(rows=rows, last_day="CAST(fresh.last_day AS date)" if on_postgresql else "fresh.last_day")
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    _run(statement, [*(board.last_day and board.last_day.isoformat() for board in boards), now])


def played_in(league: League, period: Period) -> tuple[date | None, int]:
    """Return the last day of play in a period and how many hanchan count there. One query."""
    left_out = [Hanchan.State.VOIDED] if league.disputed_count else [Hanchan.State.VOIDED, Hanchan.State.DISPUTED]
    statement = _PLAYED.format(left_out=", ".join(f"'{state}'" for state in left_out))
    [(last_day, hanchan)] = _rows(statement, {"league": league.pk, "start": period.start, "end": period.end})
    return _day(last_day), hanchan


def _day(value: date | str | None) -> date | None:
    """Return a date as PostgreSQL gives it, or SQLite."""
    return date.fromisoformat(value) if isinstance(value, str) else value


def _rows(statement: str, parameters: Sequence[Any] | dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _run(statement: str, parameters: Sequence[Any] = ()) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
