"""What stands out in a period of a league."""

from dataclasses import dataclass

from league.core.periods import Period
from league.models import League, Player, Seat, Standing
from league.selectors.standings_sql import points_column


@dataclass(frozen=True, slots=True)
class MonthRecords:
    """What stands out in a period."""

    best_raw: Seat
    best_points: Seat
    busiest: Standing | None

    @property
    def players(self) -> tuple[Player, ...]:
        """Everybody who is named."""
        lines = (self.best_raw, self.best_points, self.busiest)
        return tuple(line.player for line in lines if line)


def month_records(league: League, period: Period) -> MonthRecords | None:
    """Return the records of a stored period; None when nothing was played. Three queries."""
    seats = Seat.objects.counted().in_period(period).filter(league=league).select_related("player")
    best_raw = seats.order_by("-raw_score", "played_at", "pk").first()
    best_points = seats.order_by(f"-{points_column(league)}", "played_at", "pk").first()
    if best_raw is None or best_points is None:
        return None
    lines = Standing.objects.filter(league=league, period=period.key).select_related("player")
    return MonthRecords(best_raw, best_points, lines.order_by("-hanchan", "player__kana", "pk").first())
