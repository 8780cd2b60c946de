"""How everybody's points came together over a period, step by step."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from league.core.periods import Period, PeriodKind, parse_period
from league.models import Board, League, Standing
from stats.selectors.together import gains_by_day

DAYS_BY_DAY = timedelta(days=93)
"""A longer period has a step for each month, unless there is play in three of them at most."""

MAX_MONTHS_BY_DAY = 3


@dataclass(frozen=True, slots=True)
class Race:
    """Everybody's points after each step. `steps`: the last day of each, in order. `is_by_day`: a step is a day with points.

    `sums`: by player, in 1/1000 pt; None before a player has any.
    """

    steps: tuple[date, ...]
    is_by_day: bool
    sums: Mapping[int, tuple[int | None, ...]]


def race_in(league: League, period: Period) -> Race:
    """Return the race of a period. Five queries at most by day, and as many by month, whatever was played."""
    if period.end - period.start <= DAYS_BY_DAY:
        return _race(gains_by_day(league, period), is_by_day=True)
    months = _months(league, period)
    if len(months) <= MAX_MONTHS_BY_DAY:
        return _race(gains_by_day(league, period) if months else {}, is_by_day=True)
    return _race(_by_month(league, period, months), is_by_day=False)


def _months(league: League, period: Period) -> list[Period]:
    """Return the months with points that a period touches, in order. One query."""
    boards = Board.objects.filter(league=league, period__contains="-", lines__gt=0)
    if period.kind is not PeriodKind.ALL:
        boards = boards.filter(period__range=(f"{period.start:%Y-%m}", f"{period.last:%Y-%m}"))
    return [parse_period(key) for key in boards.order_by("period").values_list("period", flat=True)]


def _by_month(league: League, period: Period, months: list[Period]) -> dict[int, dict[date, int]]:
    """Return what each month brought everybody: from its board, or from its days where the period cuts it."""
    whole = [month for month in months if period.start <= month.start and month.end <= period.end]
    last_days = {month.key: month.last for month in whole}
    gains: dict[int, dict[date, int]] = {}
    lines = Standing.objects.filter(league=league, period__in=list(last_days))
    for player, key, total in lines.values_list("player_id", "period", "total"):
        gains.setdefault(player, {})[last_days[key]] = total
    for month in months:
        if month.key not in last_days:
            part = Period(PeriodKind.RANGE, "", max(month.start, period.start), min(month.end, period.end))
            for player, days in gains_by_day(league, part).items():
                gains.setdefault(player, {})[part.last] = sum(days.values())
    return gains


def _race(gains: Mapping[int, Mapping[date, int]], *, is_by_day: bool) -> Race:
    steps = sorted({day for days in gains.values() for day in days})
    return Race(tuple(steps), is_by_day, {player: _sums(days, steps) for player, days in gains.items()})


def _sums(gained: Mapping[date, int], steps: list[date]) -> tuple[int | None, ...]:
    total: int | None = None
    sums = []
    for step in steps:
        if step in gained:
            total = (total or 0) + gained[step]
        sums.append(total)
    return tuple(sums)
