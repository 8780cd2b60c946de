"""What everybody's hanchan of a period add up to. Boards that are stored and up to date serve; the rest is summed."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, Sum

from league.core.board_lines import RankingBasis
from league.core.periods import Period, PeriodKind
from league.core.placements import halves_of
from league.models import League, Seat, Standing
from league.selectors.board_parts import division_of, on_days
from league.selectors.standings_sql import points_column


@dataclass(frozen=True, slots=True)
class PeriodTotal:
    """What a player's lines of a period add up to; `points` with what lies on the total only.

    `placement_halves` is twice the placements, each in the middle of the places that a shared one covers.
    """

    hanchan: int = 0
    points: int = 0
    placement_halves: int = 0

    @property
    def basis(self) -> RankingBasis:
        return RankingBasis(self.hanchan, self.points, self.placement_halves)

    def plus(self, other: "PeriodTotal", times: int = 1) -> "PeriodTotal":
        """Return the sum of both, or what is left without the other for -1."""
        return PeriodTotal(
            self.hanchan + times * other.hanchan,
            self.points + times * other.points,
            self.placement_halves + times * other.placement_halves,
        )


NOTHING = PeriodTotal()


def period_totals(league: League, period: Period) -> dict[int, PeriodTotal]:
    """Return what everybody who played in a period has from it, under the league's ledger.

    A month is one query over its seats. Others are three: which boards in it are up to date, what those say, and the
    seats of all other days; so they cost what the boards cost, however much was played.
    """
    if period.kind is PeriodKind.MONTH:
        return _summed(league, Q(day__gte=period.start, day__lt=period.end))
    stored, days = division_of(league, period)
    totals = _stored(league, stored) if stored else {}
    for player, total in _summed(league, on_days(days)).items() if days else ():
        totals[player] = totals.get(player, NOTHING).plus(total)
    return totals


def _stored(league: League, keys: Collection[str]) -> dict[int, PeriodTotal]:
    points = F(points_column(league)) + F("total_only")
    played = Standing.objects.filter(league=league, period__in=list(keys), hanchan__gt=0)
    lines = played.order_by().values_list("player_id")
    return _totals(
        lines.annotate(games=Sum("hanchan"), counted=Sum(points), halves=Sum("placement_halves")),
    )


def _summed(league: League, days: Q) -> dict[int, PeriodTotal]:
    points = F(points_column(league)) + F("total_only")
    seats = Seat.objects.counted().filter(days, league=league).order_by().values_list("player_id")
    halves = Sum(halves_of(F("placement"), F("sharing")))
    return _totals(seats.annotate(games=Count("pk"), counted=Sum(points), halves=halves))


def _totals(rows: Iterable[tuple[Any, ...]]) -> dict[int, PeriodTotal]:
    # PostgreSQL sums bigint to numeric: such sums become whole numbers again.
    return {player: PeriodTotal(*map(int, sums)) for player, *sums in rows}
