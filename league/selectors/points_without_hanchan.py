"""Points that come from no hanchan: adjustments, and points of sessions of which only the sums are known.

Both count in the period of their day and are never hanchan played. The boards' statement unites the same two tables.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, QuerySet, Value

from league.core.periods import Period
from league.models import Adjustment, League, SessionPoints
from league.selectors.questions import Question, Rows, day_of, question_of

COLUMNS = ("player_id", "day", "points", "stands_for", "session__number", "session__date")


@dataclass(frozen=True, slots=True)
class PointsWithoutHanchan:
    """Points in 1/1000 pt on a player's total.

    `stands_for`: so many hanchan that nobody has; none for an adjustment. `session`: the number of the session of that
    day to which the points belong.
    """

    player: int
    day: date
    points: int
    stands_for: int
    session: int | None


def points_without_hanchan(
    league: League, period: Period, players: Iterable[int] | None = None
) -> list[PointsWithoutHanchan]:
    """Return what counts in a period besides the hanchan, of everybody or of these players, by day. One query."""
    return _in_order(_united(league, period, None if players is None else list(players)))


def question_of_points(league: League, period: Period, player: int) -> Question:
    """Return the statement for what counts in a period besides the hanchan of a player."""
    return question_of(_united(league, period, [player]))


def points_from(rows: Rows) -> list[PointsWithoutHanchan]:
    """Return what that statement found, by day."""
    return _in_order(
        (*facts, day_of(day), amount, stands_for, number, session_day and day_of(session_day))
        for *facts, day, amount, stands_for, number, session_day in rows
    )


def _united(league: League, period: Period, players: list[int] | None) -> QuerySet[Any, tuple[Any, ...]]:
    adjustments = Adjustment.objects.annotate(stands_for=Value(0))
    points = SessionPoints.objects.annotate(stands_for=F("hanchan"))
    first, second = (_columns(rows, league, period, players) for rows in (adjustments, points))
    return first.union(second, all=True)


def _in_order(rows: Iterable[tuple[Any, ...]]) -> list[PointsWithoutHanchan]:
    found = [
        PointsWithoutHanchan(player, day, amount, stands_for, number if session_day == day else None)
        for player, day, amount, stands_for, number, session_day in rows
    ]
    return sorted(found, key=lambda line: line.day)


def _columns(
    rows: QuerySet[Any], league: League, period: Period, players: list[int] | None
) -> QuerySet[Any, tuple[Any, ...]]:
    rows = rows.filter(league=league, withdrawn=False, day__gte=period.start, day__lt=period.end)
    rows = rows if players is None else rows.filter(player__in=players)
    return rows.order_by().values_list(*COLUMNS)


def sums_without_hanchan(league: League, period: Period) -> Counter[int]:
    """Return what each player has in a period besides the hanchan. One query."""
    sums: Counter[int] = Counter()
    for line in points_without_hanchan(league, period):
        sums[line.player] += line.points
    return sums


def days_without_hanchan(league: League) -> set[date]:
    """Return every day on which points without hanchan lie, withdrawn ones included. One query."""
    adjusted = Adjustment.objects.filter(league=league).order_by().values_list("day", flat=True)
    return set(adjusted.union(SessionPoints.objects.filter(league=league).order_by().values_list("day", flat=True)))
