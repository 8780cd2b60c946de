"""Refreshing boards: marked stale in the transaction that changes the facts, recalculated by a task.

A sweep requeues boards whose message was lost. There is one message per transaction and league; its task refreshes all
boards that are stale by then, so that several results are refreshed together.
"""

import logging
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from django.db import DatabaseError

from league import background
from league.core.periods import ALL_TIME, Period, PeriodKind, month_of, parse_period, year_of
from league.models import Board, League, Seat, StalePeriod
from league.selectors.points_without_hanchan import days_without_hanchan
from league.services.board_refreshing import refresh

logger = logging.getLogger(__name__)

REFRESH_TASK = "league.refresh_standings"

TOGETHER = 12
"""Up to this many stale boards are refreshed in one transaction."""

TURN = 2.0
"""Seconds per turn, after which the other leagues' tasks come first."""


def mark_stale(league: League, days: Iterable[date], players: Iterable[int] | None = None) -> None:
    """Mark the boards that contain these days as stale, in the current transaction.

    `players`: everyone whose points or number of hanchan changed; None means any player.
    """
    mark_stale_keys(league, {period.key for day in days for period in league.periods_of(day)}, players)


def mark_all_stale(league: League) -> None:
    mark_stale_keys(league, {period.key for period in periods_with_play(league)})


def mark_stale_keys(league: League, keys: Iterable[str], players: Iterable[int] | None = None) -> None:
    """Mark the boards with these period keys as stale and queue their refresh for after the commit."""
    named = None if players is None else sorted(set(players))
    marks = [StalePeriod(league=league, period=key, players=named) for key in sorted(keys)]
    if StalePeriod.objects.bulk_create(marks):
        background.send(REFRESH_TASK, league.pk)


def refresh_board(league: League, period: Period) -> bool:
    """Recalculate a board, and stale boards of periods within it; return whether a row changed."""
    return refresh(league.pk, [period.key], anew=True)[period.key]


def refresh_in_turn(league_id: int) -> int:
    """Refresh the league's stale boards for one turn, queue the rest, and return how many were refreshed.

    Tasks of other leagues can run between two turns.
    """
    refreshed, is_done = _refreshed_until(league_id, time.monotonic() + TURN)
    if not is_done:
        background.send(REFRESH_TASK, league_id)
    return refreshed


def refresh_league(league_id: int) -> int:
    """Refresh all stale boards of a league; return their number. One query if there are none.

    The boards of a single result are refreshed in one transaction. If there are more than TOGETHER, each has its own,
    months first. A board that fails is logged and stays stale, as do the boards that contain it.
    """
    return _refreshed_until(league_id, math.inf)[0]


def _refreshed_until(league_id: int, ends: float) -> tuple[int, bool]:
    """Return how many boards were refreshed before `ends` (monotonic), and whether all were tried.

    At least one is tried.
    """
    keys = _stale_keys(league_id)
    if 0 < len(keys) <= TOGETHER:
        try:
            refresh(league_id, keys)
        except DatabaseError as error:
            logger.warning("The boards of league %s cannot be refreshed together: %s", league_id, error)
        else:
            return len(keys), True
    refreshed = 0
    for key in keys:
        if refreshed and time.monotonic() > ends:
            return refreshed, False
        refreshed += _is_refreshed(league_id, key)
    return refreshed, True


def _is_refreshed(league_id: int, key: str) -> bool:
    try:
        refresh(league_id, [key])
    except DatabaseError:
        logger.exception("The board %s of league %s cannot be refreshed", key, league_id)
        return False
    return True


def _stale_keys(league_id: int) -> list[str]:
    """Return the period keys of stale boards: months first, then years, then all time.

    A result stored while the league's first month was being changed may have marked the year by the old setting, so the
    years of stale months are included.
    """
    stale = StalePeriod.objects.filter(league=league_id).order_by()
    marks = stale.values_list("period", "league__first_month").distinct()
    keys = {key for key, _ in marks}
    years = {year_of(parse_period(key).start, first_month).key for key, first_month in marks if "-" in key}
    unnamed = years - keys if ALL_TIME.key in keys else set()
    if unnamed:
        StalePeriod.objects.bulk_create(StalePeriod(league_id=league_id, period=key) for key in sorted(unnamed))
    return sorted(keys | unnamed, key=lambda key: ("-" not in key, key))


def leagues_to_refresh() -> list[int]:
    return list(StalePeriod.objects.order_by("league").values_list("league", flat=True).distinct())


def sweep() -> None:
    """Queue refreshes for all boards that are still stale. One query."""
    for league_id in leagues_to_refresh():
        background.send(REFRESH_TASK, league_id)


def periods_with_play(league: League) -> tuple[Period, ...]:
    """Return all periods in which the league has facts or a stored board: months, then years, then all time."""
    days: set[date] = set()
    days.update(Seat.objects.filter(league=league).order_by().values_list("day", flat=True).distinct())
    days |= days_without_hanchan(league)
    found = {period.key: period for day in days for period in (month_of(day), year_of(day, league.first_month))}
    for key in Board.objects.filter(league=league).values_list("period", flat=True):
        found.setdefault(key, parse_period(key, league.first_month))
    found.pop(ALL_TIME.key, None)
    months_first = sorted(found.values(), key=lambda period: (period.kind is PeriodKind.YEAR, period.start))
    return (*months_first, ALL_TIME)


@dataclass(frozen=True, slots=True)
class Progress:
    done: int
    total: int
    item: str


class StoppedError(Exception):
    """The task was asked to stop; finished steps are kept."""


OnProgress = Callable[[Progress], None]
"""Callback with the progress of the work; may raise StoppedError to end it."""


def unwatched(progress: Progress) -> None: ...


def rebuild_boards(league: League, on_progress: OnProgress) -> int:
    """Recalculate every board of a league, one transaction each; return how many changed.

    `on_progress` is called after each board and may raise StoppedError.
    """
    periods = periods_with_play(league)
    changed = 0
    for number, period in enumerate(periods, start=1):
        changed += refresh_board(league, period)
        on_progress(Progress(number, len(periods), period.key))
    return changed
