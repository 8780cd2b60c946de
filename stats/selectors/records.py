"""What stands out in a period of a league."""

from dataclasses import dataclass
from operator import attrgetter

from django.db.models import Q, Subquery

from league.core.periods import Period
from league.models import League, Player, Seat, Standing
from league.selectors.standings_sql import points_column


@dataclass(frozen=True, slots=True)
class MonthRecords:
    """What stands out in a period. Nothing does by raw score where only points are known."""

    best_raw: Seat | None
    best_points: Seat
    busiest: Standing | None

    @property
    def players(self) -> tuple[Player, ...]:
        """Everybody who is named."""
        lines = (self.best_raw, self.best_points, self.busiest)
        return tuple(line.player for line in lines if line)


def month_records(league: League, period: Period) -> MonthRecords | None:
    """Return the records of a stored period; None when nothing was played. Two queries."""
    points = points_column(league)
    seats = Seat.objects.counted().in_period(period).filter(league=league).values("pk")
    known = seats.filter(raw_score__isnull=False)
    raw = Subquery(known.order_by("-raw_score", "played_at", "pk")[:1])
    most = Subquery(seats.order_by(f"-{points}", "played_at", "pk")[:1])
    # Two at most, and their players: joined to all seats, the database would read the players of the whole site.
    found = list(Seat.objects.filter(Q(pk=raw) | Q(pk=most)).select_related("player").order_by("played_at", "pk"))
    if not found:
        return None
    lines = Standing.objects.filter(league=league, player__league=league, period=period.key).select_related("player")
    return MonthRecords(
        best_raw=max((seat for seat in found if seat.raw_score is not None), key=attrgetter("raw_score"), default=None),
        best_points=max(found, key=attrgetter(points)),
        busiest=lines.order_by("-hanchan", "player__kana", "pk").first(),
    )
