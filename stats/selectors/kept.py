"""Which months and years of a league are kept and say what the facts say, and which are to be kept."""

from datetime import date, datetime, timedelta
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from league.core.periods import Period, PeriodKind, month_of, parse_period
from league.models import Board, League, StalePeriod
from stats.models import KeptSums

COMES_LATE = timedelta(days=2)
"""For so long after a month it is not kept yet: the results of its last evening are still coming, and being corrected."""


def earliest_open_day(now: datetime) -> date:
    """Return the first day of the earliest month that is not over, or whose results are still coming."""
    return month_of((now - COMES_LATE).date()).start


def still_true(kept: QuerySet[KeptSums]) -> QuerySet[KeptSums]:
    of_period = {"league": OuterRef("league"), "period": OuterRef("period")}
    return kept.filter(
        Exists(Board.objects.filter(**of_period, followed=True)), ~Exists(StalePeriod.objects.filter(**of_period))
    )


def kept_within(league: League, period: Period, *, years: bool = False) -> list[Period]:
    """Return the months that are kept inside a period, in order; with `years` those too, but itself. One query."""
    rows = still_true(KeptSums.objects.filter(league=league, player=None))
    if years:
        rows = rows.exclude(period=period.key)
    known = (parse_period(key, league.first_month) for key in rows.values_list("period", flat=True))
    found: list[Period] = []
    at = period.start
    for part in sorted(known, key=lambda part: (part.start, part.key)):
        is_wanted = years or part.kind is PeriodKind.MONTH
        if is_wanted and at <= part.start and part.end <= period.end:
            found.append(part)
            at = part.end
    return found


def due_leagues(now: datetime) -> list[int]:
    """Return the leagues in which something is to follow, by primary key. One query."""
    closed = f"{earliest_open_day(now):%Y-%m}"
    kept = KeptSums.objects.filter(league=OuterRef("league"), period=OuterRef("period"), player=None)
    is_due = Q(followed=False) | Q(~Exists(kept), period__contains="-", period__lt=closed)
    rows = Board.objects.filter(is_due, computed_at__isnull=False).order_by("league")
    return list(rows.values_list("league", flat=True).distinct())


class FollowedBoard(NamedTuple):
    """A board, when it was refreshed, whether everything followed that, and whether its period is kept."""

    period: Period
    computed_at: datetime
    followed: bool
    is_kept: bool


def boards_to_follow(league: League) -> list[FollowedBoard]:
    """Return the boards that are not followed or whose period is not kept: months, then years, then all time. One query."""
    kept = KeptSums.objects.filter(league=league, period=OuterRef("period"), player=None)
    boards = Board.objects.filter(Q(followed=False) | ~Exists(kept), league=league, computed_at__isnull=False)
    rows = boards.values_list("period", "computed_at", "followed", Exists(kept))
    found = [FollowedBoard(parse_period(key, league.first_month), *rest) for key, *rest in rows]
    return sorted(found, key=lambda board: (-len(board.period.key), board.period.key))
