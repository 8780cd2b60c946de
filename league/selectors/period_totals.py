"""What everybody's hanchan of a period add up to. Months that are stored and up to date serve; the rest is summed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, F, Q, Sum

from league.core.periods import Period, PeriodKind, parse_period
from league.models import Board, League, Seat, StalePeriod, Standing


@dataclass(frozen=True, slots=True)
class PeriodTotal:
    """What a player's lines of a period add up to; `points` with what lies on the total only.

    `placement_halves` is twice the placements, each in the middle of the places that a shared one covers.
    """

    hanchan: int = 0
    points: int = 0
    placement_halves: int = 0

    def plus(self, other: "PeriodTotal", times: int = 1) -> "PeriodTotal":
        """Return the sum of both, or what is left without the other for -1."""
        return PeriodTotal(
            self.hanchan + times * other.hanchan,
            self.points + times * other.points,
            self.placement_halves + times * other.placement_halves,
        )


NOTHING = PeriodTotal()


def points_column(league: League) -> str:
    """Return the column of the account that the league's boards add up."""
    return "settlement" if league.ledger == League.RankingLedger.SETTLEMENT else "points"


def period_totals(league: League, period: Period) -> dict[int, PeriodTotal]:
    """Return what everybody who played in a period has from it, under the league's ledger.

    A month or a range of days is one query over its seats. A year and all time are three: which months are stored and up
    to date, what those say, and the seats of all other days; so they cost what months cost, however much was played.
    """
    if period.kind in (PeriodKind.MONTH, PeriodKind.RANGE):
        return _summed(league, Q(day__gte=period.start, day__lt=period.end))
    months = _fresh_months(league, period)
    totals = _stored(league, months) if months else {}
    days = Q()
    for start, end in _gaps(period, months):
        days |= Q(day__gte=start, day__lt=end)
    for player, total in _summed(league, days).items() if days else ():
        totals[player] = totals.get(player, NOTHING).plus(total)
    return totals


def _fresh_months(league: League, period: Period) -> list[Period]:
    """Return the months of a period whose stored boards say what the seats say, first one first."""
    stale = StalePeriod.objects.filter(league=league).values("period")
    boards = Board.objects.filter(league=league, computed_at__isnull=False, period__contains="-").exclude(
        period__in=stale
    )
    months = [parse_period(key, league.first_month) for key in boards.values_list("period", flat=True)]
    return sorted((month for month in months if month.start in period), key=lambda month: month.start)


def _gaps(period: Period, months: Iterable[Period]) -> Iterator[tuple[date, date]]:
    """Yield the ranges of days of a period, start and end, that lie in none of these months."""
    start = period.start
    for month in months:
        if start < month.start:
            yield start, month.start
        start = month.end
    if start < period.end:
        yield start, period.end


def _stored(league: League, months: Iterable[Period]) -> dict[int, PeriodTotal]:
    points = F(points_column(league)) + F("total_only")
    keys = [month.key for month in months]
    lines = Standing.objects.filter(league=league, period__in=keys, hanchan__gt=0).order_by().values_list("player_id")
    return _totals(
        lines.annotate(games=Sum("hanchan"), counted=Sum(points), halves=Sum("placement_halves")),
    )


def _summed(league: League, days: Q) -> dict[int, PeriodTotal]:
    points = F(points_column(league)) + F("total_only")
    seats = Seat.objects.counted().filter(days, league=league).order_by().values_list("player_id")
    halves = Sum(2 * F("placement") + F("sharing") - 1)
    return _totals(seats.annotate(games=Count("pk"), counted=Sum(points), halves=halves))


def _totals(rows: Iterable[tuple[Any, ...]]) -> dict[int, PeriodTotal]:
    # PostgreSQL sums bigint to numeric: such sums become whole numbers again.
    return {player: PeriodTotal(*map(int, sums)) for player, *sums in rows}
