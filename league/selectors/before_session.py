"""What players have of a year before a session: from the boards of its months, and from the seats of the days between.

A hanchan stands with the date of its session; its seats, and so the boards, with the day on which it was played. Where
the two differ the session strays, which is seldom: such sessions are looked at one by one.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from datetime import date, timedelta

from django.db import connection

from league.core.periods import FIRST_DAY, LAST_DAY, Period, month_of
from league.models import League, Session
from league.selectors.session_totals import CHANGED
from league.selectors.standings_sql import FAR, among

KNOWN = """
    SELECT period, 0 FROM league_board AS board
    WHERE league_id = %s AND period IN ({months}) AND computed_at IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM league_staleperiod AS stale
        WHERE stale.league_id = board.league_id AND stale.period = board.period)
    UNION ALL
    SELECT '', total.session_id FROM league_sessiontotal AS total
    JOIN league_session AS session ON session.id = total.session_id
    WHERE total.strays AND session.league_id = %s
    UNION ALL
    SELECT '', changed.id FROM ({changed}) AS changed WHERE changed.league_id = %s
"""
"""The months whose boards are up to date, and the sessions that stray or may have begun to."""

OF_BOARDS = """
    SELECT player_id, CAST(SUM({points} + total_only) AS bigint) FROM league_standing
    WHERE league_id = %(league)s AND period IN ({months}) AND {players}
    GROUP BY player_id
"""

OF_DAYS = """
    SELECT player_id, CAST(SUM({points} + total_only) AS bigint) FROM league_seat
    WHERE league_id = %(league)s AND counted AND {players} AND {days} AND {moments}
    GROUP BY player_id
"""
"""Whole days before that of the session: whoever stands there is before it, but for sessions that stray."""

OF_SEATS = """
    SELECT seat.player_id, CAST({sign} * SUM(seat.{points} + seat.total_only) AS bigint)
    FROM league_seat AS seat
    JOIN league_hanchan AS hanchan ON hanchan.id = seat.hanchan_id
    JOIN league_session AS session ON session.id = hanchan.session_id
    WHERE seat.league_id = %(league)s AND seat.counted AND seat.{players}
          AND seat.day >= %(start)s
          AND seat.day < %(end)s
          AND {sessions}
          AND {which} (session.date < %(date)s OR (session.date = %(date)s AND session.number < %(number)s))
          AND {days} AND {moments}
    GROUP BY seat.player_id
"""
"""Single sessions: those of the same day with a lower number, and those that stray."""


def points_before(session: Session, year: Period, players: Collection[int], points: str) -> Counter[int]:
    """Return what players have in a year from the hanchan before a session, in 1/1000 pt. Two queries.

    `points`: the column of the ledger.
    """
    if not players:
        return Counter()
    months = list(_months_before(year, session.date))
    stored, strays = _known(session.league, [month.key for month in months])
    boards = [month for month in months if month.key in stored]
    parameters: dict[str, int | date] = {
        "league": session.league_id,
        "start": year.start,
        "end": year.end,
        "date": session.date,
        "number": session.number,
    }
    names = {"points": points, "players": among(players), "moments": "true"}
    on_boards = [(month.start, month.end) for month in boards]
    between = [(month.start, month.end) for month in months if month not in boards]
    if session.date > (first := month_of(session.date).start):
        between.append((first, session.date))
    same_day = (session.date, session.date + timedelta(days=1))
    odd = f"hanchan.session_id IN ({', '.join(map(str, strays))})" if strays else "false"
    of_day = names | {"days": _on_days([same_day], "seat."), "moments": _moments([same_day], "seat.")}
    parts = [OF_SEATS.format(sign="1", which="", sessions=f"NOT {odd}", **of_day)]
    if between:
        parts.append(OF_DAYS.format(**names | {"days": _on_days(between), "moments": _moments(between)}))
    if boards:
        keys = ", ".join(f"'{month.key}'" for month in boards)
        parts.append(OF_BOARDS.format(months=keys, **names))
    if strays:
        # Of those that stray, everything that is before and on no whole day; from whole days goes what is not before.
        whole = _on_days([*on_boards, *between], "seat.")
        parts.append(OF_SEATS.format(sign="1", which="", days=f"NOT {whole}", sessions=odd, **names))
        parts.append(OF_SEATS.format(sign="-1", which="NOT", days=whole, sessions=odd, **names))
    before: Counter[int] = Counter()
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(parts), parameters)
        for player, gained in cursor.fetchall():
            before[player] += gained
    return before


def _months_before(year: Period, day: date) -> Iterator[Period]:
    month = month_of(year.start)
    while month.end <= day:
        yield month
        month = month_of(month.end)


def _known(league: League, months: Collection[str]) -> tuple[set[str], list[int]]:
    """Return those of the months whose boards are up to date, and the sessions that may stray. One query."""
    keys = ", ".join(f"'{key}'" for key in months) or "NULL"
    with connection.cursor() as cursor:
        cursor.execute(KNOWN.format(months=keys, changed=CHANGED[connection.vendor]), [league.pk] * 3)
        rows = cursor.fetchall()
    return {period for period, _ in rows if period}, sorted({session for period, session in rows if not period})


def _on_days(ranges: Collection[tuple[date, date]], of: str = "") -> str:
    """Return the condition that a seat's day lies in one of these ranges."""
    days = (f"({of}day >= '{start}' AND {of}day < '{end}')" for start, end in ranges)
    return f"({' OR '.join(days)})" if ranges else "(false)"


def _moments(ranges: Collection[tuple[date, date]], of: str = "") -> str:
    """Return what lets the database find some players' seats of these days by when they played, as its index has them."""
    first, last = min(start for start, _ in ranges), max(end for _, end in ranges)
    if first <= FIRST_DAY + FAR or last >= LAST_DAY - FAR:
        return "true"
    return f"{of}played_at >= '{first - FAR}' AND {of}played_at < '{last + FAR}'"
