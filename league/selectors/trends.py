"""How points came together over a period: one curve per player on steps that all players of the board share."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

from django.db.models import Sum

from league.core.numbers import running, thinned
from league.core.periods import Period, PeriodKind, month_of
from league.models import Board, League, Seat, Standing
from league.selectors.board_parts import KnownBoards, division_of, on_days
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.standings_sql import Days, points_column

MAX_STEPS = 24
"""A curve the width of a thumb shows no more."""

DAYS_BY_DAY = timedelta(days=93)
"""A free range that is longer than a quarter has a step for each month, like a year."""

Gains = Mapping[int, Mapping[str, int]]
"""Points in 1/1000 pt by player and by step; a step is a day or a month, as text."""


Sums = defaultdict[int, Counter[str]]


Curves = dict[int, tuple[int, ...]]
"""Cumulative points by player, beginning at zero."""


def trends(league: League, period: Period, players: Iterable[int], known: KnownBoards | None = None) -> Curves:
    """Return the curves of these players: by day within a month or a short free range, by month otherwise.

    By day it costs two queries. By month too, which read the months' boards; two more for a long free range, where
    months that it does not hold whole are summed. `known`: as for `board_parts.parts_of`.
    """
    players = list(players)
    gains, steps = gains_in(league, period, players, known)
    return drawn(gains, steps, players)


def gains_in(
    league: League, period: Period, players: Collection[int], known: KnownBoards | None = None
) -> tuple[Gains, list[str]]:
    """Return what each step of a period brought these players, and the steps in order. As many queries as `trends`."""
    played = set[str]()
    if period.kind in {PeriodKind.YEAR, PeriodKind.ALL}:
        gains, played = _by_month(league, period, players)
    elif period.end - period.start <= DAYS_BY_DAY:
        gains = _by_day(league, period)
    else:
        gains = _by_part(league, period, known)
    return gains, sorted(played.union(*gains.values()))


def drawn(gains: Gains, steps: Sequence[str], players: Iterable[int]) -> Curves:
    kept = thinned(len(steps) + 1, MAX_STEPS)
    return {player: _curve(gains.get(player, {}), steps, kept) for player in players}


def _curve(gained: Mapping[str, int], steps: Sequence[str], kept: Sequence[int]) -> tuple[int, ...]:
    sums = running((0, *(gained.get(step, 0) for step in steps)))
    return tuple(sums[index] for index in kept)


def _by_day(league: League, period: Period) -> Gains:
    gains: Sums = defaultdict(Counter)
    for player, day, points in _points_on(league, period, [Days(0, period.start, period.end)]):
        gains[player][day.isoformat()] += points
    return gains


def _by_part(league: League, period: Period, known: KnownBoards | None) -> Gains:
    """Return what each month of a free range brought: from its board, or from its days that are in the range."""
    months, days = division_of(league, period, kinds={PeriodKind.MONTH}, known=known)
    gains: Sums = defaultdict(Counter)
    stored = Standing.objects.filter(league=league, period__in=list(months))
    for player, month, total in stored.values_list("player_id", "period", "total"):
        gains[player][month] = total
    for player, day, points in _points_on(league, period, days):
        gains[player][month_of(day).key] += points
    return gains


def _points_on(league: League, period: Period, ranges: Sequence[Days]) -> Iterator[tuple[int, date, int]]:
    if ranges:
        seats = Seat.objects.counted().filter(on_days(ranges), league=league).order_by()
        sums = seats.values_list("player_id", "day").annotate(Sum(points_column(league)), Sum("total_only"))
        for player, day, points, total_only in sums:
            yield player, day, points + total_only
        for line in points_without_hanchan(league, period):
            if any(days.start <= line.day < days.end for days in ranges):
                yield line.player, line.day, line.points


def _by_month(league: League, period: Period, players: Collection[int]) -> tuple[Gains, set[str]]:
    """Return what each month brought these players, and in which months anybody played."""
    within = {}
    if period.kind is PeriodKind.YEAR:
        within = {"period__gte": f"{period.start:%Y-%m}", "period__lte": f"{period.last:%Y-%m}"}
    boards = Board.objects.filter(league=league, period__contains="-", hanchan__gt=0, **within)
    lines = Standing.objects.filter(league=league, period__contains="-", player__in=players, **within)
    gains: dict[int, dict[str, int]] = defaultdict(dict)
    for player, month, total in lines.values_list("player_id", "period", "total"):
        gains[player][month] = total
    return gains, set(boards.values_list("period", flat=True))
