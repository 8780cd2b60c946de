"""Points without hanchan: adjustments, and sessions known only by their totals.

Both count in the period of their day. Session totals count as the hanchan they represent. The SQL of boards reads the
same tables (standings_sql).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, PositiveSmallIntegerField, Value

from league.core.board_lines import NO_BASIS, PLACES, RankingBasis
from league.core.periods import Period
from league.models import Adjustment, League, SessionPoints

STANDS_FOR = ("stands_for", "in_first", "in_second", "in_third", "in_fourth")
COLUMNS = ("player_id", "day", "points", *STANDS_FOR, "session__number", "session__date")


@dataclass(frozen=True, slots=True)
class PointsWithoutHanchan:
    """Points on a player's total, in 1/1000 pt.

    `stands_for`: number of hanchan represented, 0 for adjustments, None if unknown. `places`: published counts of 1st
    to 4th placements. `session`: number of the session on its day.
    """

    player: int
    day: date
    points: int
    stands_for: int | None
    session: int | None
    places: tuple[int, int, int, int] | None = None

    @property
    def is_sum(self) -> bool:
        return self.stands_for != 0

    @property
    def basis(self) -> RankingBasis:
        return RankingBasis(
            hanchan=0,
            total=self.points,
            placement_halves=0,
            sums_hanchan=self.stands_for or 0,
            sums_unknown=int(self.stands_for is None),
            sums_placed=sum(self.places or ()),
            sums_halves=sum(2 * place * times for place, times in enumerate(self.places or (), start=1)),
            sums_left_out=self.points if self.stands_for is None else 0,
        )


def points_without_hanchan(
    league: League, period: Period, players: Iterable[int] | None = None
) -> list[PointsWithoutHanchan]:
    """Return the points without hanchan in a period, by day; `players`: only of these. One query."""
    nothing = Value(None, output_field=PositiveSmallIntegerField())
    adjustments = Adjustment.objects.annotate(stands_for=Value(0), **dict.fromkeys(STANDS_FOR[1:], nothing))
    sums = SessionPoints.objects.annotate(
        **{name: F(column) for name, column in zip(STANDS_FOR, ("hanchan", *PLACES), strict=True)}
    )
    which: dict[str, Any] = {"league": league, "withdrawn": False, "day__gte": period.start, "day__lt": period.end}
    if players is not None:
        which["player__in"] = list(players)
    first, second = (rows.filter(**which).order_by().values_list(*COLUMNS) for rows in (adjustments, sums))
    found = [
        PointsWithoutHanchan(
            player,
            day,
            amount,
            stands_for,
            number if session_day == day else None,
            None if first_places is None else (first_places, *others),
        )
        for player, day, amount, stands_for, first_places, *others, number, session_day in first.union(second, all=True)
    ]
    return sorted(found, key=lambda line: line.day)


def bases_without_hanchan(league: League, period: Period) -> dict[int, RankingBasis]:
    bases: dict[int, RankingBasis] = {}
    for line in points_without_hanchan(league, period):
        bases[line.player] = bases.get(line.player, NO_BASIS).plus(line.basis)
    return bases


def days_without_hanchan(league: League) -> set[date]:
    """Return all days with points without hanchan, including withdrawn ones. One query."""
    adjusted = Adjustment.objects.filter(league=league).order_by().values_list("day", flat=True)
    return set(adjusted.union(SessionPoints.objects.filter(league=league).order_by().values_list("day", flat=True)))
