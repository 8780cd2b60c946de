"""Leaderboards follow the facts here: marked stale with the fact, refreshed by a task, swept if a message was lost.

A refresh sums a whole period in one statement and is safe to run twice or twice at once: the board's row is locked
first, what was stale is read before the sums are taken, and only that is struck off the list afterwards.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import attrgetter

from django.db import DatabaseError, connection, transaction
from django.db.models import Count, F, Min, Q
from django.utils import timezone

from league import background
from league.core.periods import ALL_TIME, Period, month_of, parse_period, year_of
from league.models import Board, Hanchan, League, Seat, StalePeriod, Standing
from league.selectors.boards import TiedPlayer, broken_ties, results_for
from league.selectors.points_without_hanchan import days_without_hanchan
from league.selectors.standings_sql import REFRESH, REMOVE_GONE, refresh_parameters

logger = logging.getLogger(__name__)

REFRESH_TASK = "league.refresh_standings"


def mark_stale(league: League, days: Iterable[date]) -> None:
    """Note in the present transaction which boards of the league a change on these days has made stale."""
    keys = {period.key for day in days for period in league.periods_of(day)}
    mark_stale_keys(league, keys)


def mark_all_stale(league: League) -> None:
    """Note that every board of the league is stale: its settings or its rules changed."""
    mark_stale_keys(league, {period.key for period in periods_with_play(league)})


def mark_stale_keys(league: League, keys: Iterable[str]) -> None:
    """Note that the boards with these keys are stale, and have them refreshed after the commit."""
    ordered = sorted(keys)
    StalePeriod.objects.bulk_create([StalePeriod(league=league, period=key) for key in ordered])
    for key in ordered:
        background.send(REFRESH_TASK, league.pk, key)


@transaction.atomic
def refresh_board(league: League, period: Period) -> bool:
    """Bring one board up to date with the facts; return whether any line of it changed."""
    board = _locked_board(league, period)
    settled = list(StalePeriod.objects.filter(league=league, period=period.key).values_list("pk", flat=True))
    parameters = refresh_parameters(league, period)
    with connection.cursor() as cursor:
        cursor.execute(REFRESH, parameters)
        changed = cursor.rowcount
        cursor.execute(REMOVE_GONE, parameters)
        changed += cursor.rowcount
    changed += _break_ties(league, period)
    board.hanchan = Hanchan.objects.counted().filter(league=league).in_period(period).count()
    board.version += 1 if changed or board.computed_at is None else 0
    board.computed_at = timezone.now()
    board.save(update_fields=["hanchan", "version", "computed_at"])
    StalePeriod.objects.filter(pk__in=settled).delete()
    return bool(changed)


def _locked_board(league: League, period: Period) -> Board:
    Board.objects.get_or_create(league=league, period=period.key)
    return Board.objects.select_for_update().get(league=league, period=period.key)


def _break_ties(league: League, period: Period) -> int:
    """Give players who are equal on the board the order that the league's tie-breaks decide; return how many moved."""
    lines = Standing.objects.filter(league=league, period=period.key)
    ranked = lines.exclude(rank=None)
    shared = ranked.order_by().values("score").annotate(players=Count("pk")).filter(players__gt=1).values("score")
    unsettled = ranked.filter(Q(score__in=shared) | ~Q(rank=F("shared_rank")) | Q(decided_by__isnull=False))
    fields = ("pk", "player_id", "score", "rank", "shared_rank", "decided_by")
    by_score = attrgetter("score")
    groups = [list(group) for _, group in groupby(unsettled.only(*fields).order_by("-score", "player_id"), by_score)]
    tied = {line.player_id for group in groups if len(group) > 1 for line in group}
    results = results_for(league, period, tied) if tied else {}
    moved = [line for group in groups for line in _reordered(group, broken_ties(group, results, league.tiebreak))]
    Standing.objects.bulk_update(moved, ["rank", "decided_by"])
    return len(moved)


def _reordered(group: list[Standing], order: dict[int, TiedPlayer]) -> Iterator[Standing]:
    for line in group:
        tied = order[line.player_id]
        rank = (line.shared_rank or 0) + tied.offset
        if (line.rank, line.decided_by) != (rank, tied.decided_by):
            line.rank, line.decided_by = rank, tied.decided_by
            yield line


def periods_with_play(league: League) -> tuple[Period, ...]:
    """Return every month, year and all time in which the league has facts or still has a board; oldest month first."""
    days: set[date] = set()
    days.update(Seat.objects.filter(league=league).order_by().values_list("day", flat=True).distinct())
    days |= days_without_hanchan(league)
    found = {period.key: period for day in days for period in (month_of(day), year_of(day, league.first_month))}
    for key in Board.objects.filter(league=league).values_list("period", flat=True):
        found.setdefault(key, parse_period(key, league.first_month))
    found.pop(ALL_TIME.key, None)
    ordered = sorted(found.values(), key=lambda period: (period.start, period.end))
    return (*ordered, ALL_TIME)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long piece of work has come."""

    done: int
    total: int
    item: str


class StoppedError(Exception):
    """Somebody asked the work to stop; what was finished stays finished."""


OnProgress = Callable[[Progress], None]
"""Is called with how far the work is; raises StoppedError to end it."""


def rebuild_boards(league: League, on_progress: OnProgress) -> int:
    """Refresh every board of the league from the facts, one transaction each; return how many changed.

    `on_progress` is called after each board and may raise StoppedError.
    """
    periods = periods_with_play(league)
    changed = 0
    for number, period in enumerate(periods, start=1):
        changed += refresh_board(league, period)
        on_progress(Progress(number, len(periods), period.key))
    return changed


def sweep() -> int:
    """Refresh whatever is still marked stale; return how many boards were brought up to date.

    A board that the database refuses to compute is logged and keeps its mark; the others do not wait for it.
    """
    left = StalePeriod.objects.values("league", "period").annotate(first=Min("pk")).order_by("first")
    boards = [(row["league"], row["period"]) for row in left]
    leagues = League.objects.in_bulk({league_id for league_id, _ in boards})
    refreshed = 0
    for league_id, key in boards:
        league = leagues[league_id]
        try:
            refresh_board(league, parse_period(key, league.first_month))
        except DatabaseError:
            logger.exception("The board %s of %s cannot be refreshed", key, league.slug)
        else:
            refreshed += 1
    return refreshed
