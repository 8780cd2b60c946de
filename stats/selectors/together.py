"""Careers of several players, and their points step by step."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Q

from league.core.periods import Period, PeriodKind, parse_period
from league.models import Board, League, Player, Standing
from league.selectors.board_parts import divided
from league.selectors.points_without_hanchan import points_without_hanchan
from stats.core.careers import PARTS, Career
from stats.core.statistics import HeadToHead
from stats.models import KeptSums
from stats.selectors.career_seats import CareerRows, careers_of, seat_rows
from stats.selectors.careers import kept_within, on_days

Gains = dict[date, int]
"""Points in 1/1000 pt by day."""


def gains_by_day(league: League, period: Period) -> dict[int, Gains]:
    """Return the points of each day of a period by player, including points without hanchan. Four queries."""
    places, days_between = divided(period, kept_within(league, period))
    gains: dict[int, Gains] = defaultdict(lambda: defaultdict(int))
    for player, days in _kept_part(league, places, "days"):
        for day, _, _, points in days:
            gains[player][date.fromordinal(day)] += sum(points)
    if days_between:
        for seat in seat_rows(league, on_days(days_between) & Q(league=league)).seats:
            gains[seat.player][seat.day] += seat.points + seat.total_only
    for line in points_without_hanchan(league, period):
        gains[line.player][line.day] += line.points
    return {player: dict(days) for player, days in gains.items()}


def meetings_among(league: League, players: Collection[int], period: Period) -> dict[tuple[int, int], HeadToHead]:
    """Return head-to-head results between these players. Three queries."""
    places, days = divided(period, kept_within(league, period))
    wanted = set(players)
    found: dict[tuple[int, int], list[int]] = {}
    for player, met in _kept_part(league, places, "met"):
        for opponent, counts in met.items() if player in wanted else ():
            if int(opponent) in wanted:
                _add(found, (player, int(opponent)), counts)
    seats = seat_rows(league, on_days(days) & Q(league=league)) if days else CareerRows()
    for player, career in careers_of(seats).items():
        for opponent, counts in career.met.items():
            if player in wanted and opponent in wanted:
                _add(found, (player, opponent), counts)
    return {pair: HeadToHead(pair[1], *counts) for pair, counts in found.items()}


def _add(found: dict[tuple[int, int], list[int]], pair: tuple[int, int], counts: Collection[int]) -> None:
    known = found.get(pair)
    found[pair] = [one + other for one, other in zip(known, counts, strict=True)] if known else list(counts)


def _kept_part(league: League, months: Collection[str], part: str) -> list[tuple[int, Any]]:
    rows = KeptSums.objects.filter(league=league, period__in=months, player__isnull=False)
    return list(rows.values_list("player_id", f"sums__{PARTS.index(part)}"))


def gains_of_careers(
    league: League, players: Collection[Player], period: Period, careers: Mapping[int, Career]
) -> dict[int, Gains]:
    """Return points by day in a period for players whose careers are loaded. One query."""
    gains = {
        player.pk: defaultdict(int, {each.on: sum(each.gains) for each in careers[player.pk].days})
        for player in players
    }
    for line in points_without_hanchan(league, period, gains):
        gains[line.player][line.day] += line.points
    return {player: dict(days) for player, days in gains.items()}


DAYS_BY_DAY = timedelta(days=93)
"""Longer periods have one step per month, unless there was play in at most three months."""

MAX_MONTHS_BY_DAY = 3


@dataclass(frozen=True, slots=True)
class Race:
    """All players' points after each step. `steps`: last day of each. `is_by_day`: steps are days with points.

    `sums`: by player, in 1/1000 pt; None before the player's first points.
    """

    steps: tuple[date, ...]
    is_by_day: bool
    sums: Mapping[int, tuple[int | None, ...]]


def race_in(league: League, period: Period) -> Race:
    """Return the race of a period, by day or by month. At most five queries."""
    if period.end - period.start <= DAYS_BY_DAY:
        return _race(gains_by_day(league, period), is_by_day=True)
    months = _months(league, period)
    if len(months) <= MAX_MONTHS_BY_DAY:
        return _race(gains_by_day(league, period) if months else {}, is_by_day=True)
    return _race(_by_month(league, period, months), is_by_day=False)


def _months(league: League, period: Period) -> list[Period]:
    boards = Board.objects.filter(league=league, period__contains="-", lines__gt=0)
    if period.kind is not PeriodKind.ALL:
        boards = boards.filter(period__range=(f"{period.start:%Y-%m}", f"{period.last:%Y-%m}"))
    return [parse_period(key) for key in boards.order_by("period").values_list("period", flat=True)]


def _by_month(league: League, period: Period, months: list[Period]) -> dict[int, dict[date, int]]:
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
