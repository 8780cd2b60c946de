from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import OuterRef, Subquery

from league.core.periods import ALL_TIME
from league.models import League, Player, Seat
from league.selectors.what_if import NOTHING, period_totals


@dataclass(frozen=True, slots=True)
class DirectoryPlayer:
    """A player with their number of hanchan and last day of play."""

    player: Player
    hanchan: int
    latest: date | None


def directory(league: League) -> list[DirectoryPlayer]:
    """Return all current and former players by reading, with their aliases prefetched. At most five queries.

    Numbers of hanchan come from boards where these are up to date, else from seats.
    """
    seats = Seat.objects.counted().filter(league=league, player=OuterRef("pk"))
    latest = seats.order_by("-played_at").values("day")[:1]
    players = Player.objects.filter(league=league).active().by_reading().prefetch_related("aliases")
    totals = period_totals(league, ALL_TIME)
    found: Any = players.annotate(latest=Subquery(latest))
    return [
        DirectoryPlayer(player, totals.get(player.pk, NOTHING).hanchan, player.latest)
        for player in found
        if player.is_active or player.pk in totals
    ]
