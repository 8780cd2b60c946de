"""The rows of boards and their marks, as a refresh reads and writes them: plain statements, each for all boards at once."""

# ruff: noqa: S608 - the statements are put together from constants and whole numbers; every other value is a parameter

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection
from django.utils import timezone

from league.core.periods import ALL_TIME, Period, parse_period
from league.models import Board, League
from league.selectors.questions import Question, answers
from league.selectors.stored_rows import StoredRow

BATCH = 10_000
"""Marks per statement."""


_LEAGUE = StoredRow(League, "league")

_LOCK = "SELECT id FROM league_board WHERE league_id = %s AND period = %s {for_update}"

_MARKS = "SELECT id, period, players FROM league_staleperiod WHERE league_id = %s"

_STRIKE = "DELETE FROM league_staleperiod WHERE id IN ({marks})"

_SETTINGS = f"SELECT {_LEAGUE.columns} FROM league_league AS league WHERE id = %s"

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
    SELECT %s, (SELECT MAX(day) FROM league_seat
                WHERE league_id = %s AND counted AND day >= %s AND day < %s),
           (SELECT COUNT(*) FROM league_hanchan
            WHERE league_id = %s AND day >= %s AND day < %s AND state <> 'voided' AND (state <> 'disputed' OR
                  (SELECT disputed_count FROM league_league WHERE id = %s))
                  AND (NOT as_is OR (SELECT unbalanced_count FROM league_league WHERE id = %s)))
"""
"""Of a month: its key, the last day of play, and how many hanchan count there."""


@dataclass(slots=True)
class BoardFacts:
    """What a board's row says. `key` is its primary key; `last_day` the last day of play; `lines` is only written."""

    key: int
    version: int = 0
    hanchan: int = 0
    last_day: date | None = None
    is_new: bool = True
    lines: int = 0


Mark = tuple[int, str, list[int] | None]
"""The primary key of a mark, the key of its board, and whom it is about, None for anybody."""


@dataclass(slots=True)
class Found:
    """What a refresh begins with: the marks, the league's settings, boards by their keys, and what months have played.

    `asked`: the keys whose boards were asked for, and the months in them; what was played is there of these.
    """

    marks: list[Mark]
    league: League
    boards: dict[str, BoardFacts]
    played: dict[str, tuple[date | None, int]]
    asked: frozenset[str]


def found_for(league_id: int, keys: Collection[str]) -> Found:
    """Return what there is to a refresh of these boards. One question.

    The marks come first: whoever changes the league's settings marks every board, so older settings never meet their
    marks. What was played comes after the marks that tell of it. For a year or all time the marks are those on every
    board of the league, with a year come all months that may be in it, with all time all years.
    """
    months = [key for key in keys if "-" in key]
    only_months = len(months) == len(keys)
    marks = f"{_MARKS} AND period IN ({_places(keys)})" if only_months else _MARKS
    boards, wanted = _boards_of(keys)
    marked, settings, rows, *played = answers(
        (marks, [league_id, *(keys if only_months else ())]),
        (_SETTINGS, [league_id]),
        (_READ.format(boards=boards), [league_id, *wanted]),
        *((_PLAYED, _played_in(league_id, parse_period(key))) for key in months),
    )
    return Found(
        [(mark, key, None if players is None else json.loads(players)) for mark, key, players in marked],
        _LEAGUE.read(settings[0]),
        {
            key: BoardFacts(pk, version, hanchan, _day(day), is_new=bool(is_new))
            for key, pk, version, hanchan, day, is_new in rows
        },
        {key: (_day(last_day), hanchan) for ((key, last_day, hanchan),) in played},
        frozenset(keys),
    )


def _boards_of(keys: Collection[str]) -> tuple[str, list[str]]:
    """Return the condition for these boards and for those that they may be put together from, with its parameters."""
    conditions, wanted = [f"period IN ({_places(keys)})"], list(keys)
    for year in (int(key) for key in keys if key.isdigit()):
        # A league's year may end in the next one.
        conditions.append("period BETWEEN %s AND %s")
        wanted += [f"{year:04d}-01", f"{year + 1:04d}-12"]
    if ALL_TIME.key in keys:
        conditions.append("LENGTH(period) = 4")
    return " OR ".join(conditions), wanted


def _played_in(league_id: int, month: Period) -> list[Any]:
    return [month.key, *(2 * [league_id, month.start, month.end]), league_id, league_id]


def _places(values: Collection[str]) -> str:
    return ", ".join(["%s"] * len(values))


def lock_boards(league_id: int) -> None:
    """Let nobody else refresh a board of the league until the transaction ends. Entry never waits for this."""
    lock = _LOCK.format(for_update="FOR UPDATE" if connection.features.has_select_for_update else "")
    question = (lock, [league_id, ALL_TIME.key])
    if not answers(question)[0]:
        Board.objects.bulk_create([Board(league_id=league_id, period=ALL_TIME.key)], ignore_conflicts=True)
        answers(question)


def make_boards(league: League, keys: Iterable[str]) -> dict[str, BoardFacts]:
    """Store boards that there are not yet, and return them."""
    made = Board.objects.bulk_create([Board(league=league, period=key) for key in keys])
    return {board.period: BoardFacts(board.pk) for board in made}


def written_boards(boards: Sequence[BoardFacts]) -> Question:
    """Return the statement that stores that these boards are up to date now."""
    on_postgresql = connection.vendor == "postgresql"
    rows = ", ".join(f"({board.key}, {board.version}, {board.hanchan}, {board.lines}, %s)" for board in boards)
    # Rows without any date in them would be texts to PostgreSQL; SQLite keeps dates as texts and knows no such type.
    statement = _WRITE.format(rows=rows, last_day="CAST(fresh.last_day AS date)" if on_postgresql else "fresh.last_day")
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    return statement, [*(board.last_day and board.last_day.isoformat() for board in boards), now]


def struck_off(marks: Sequence[int]) -> Iterator[Question]:
    """Yield the statements that remove marks whose boards are up to date."""
    for start in range(0, len(marks), BATCH):
        yield _STRIKE.format(marks=", ".join(map(str, marks[start : start + BATCH]))), ()


def _day(value: date | str | None) -> date | None:
    """Return a date as PostgreSQL gives it, or SQLite."""
    return date.fromisoformat(value) if isinstance(value, str) else value
