"""The directory of a league: everybody who plays or has played."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from league.core.periods import ALL_TIME
from league.models import League, Player, Seat, StalePeriod, Standing


@dataclass(frozen=True, slots=True)
class DirectoryPlayer:
    """A player with how much they have played and when they last did."""

    player: Player
    hanchan: int
    latest: date | None


def directory(league: League) -> list[DirectoryPlayer]:
    """Return everybody who plays or has played, by reading, with their other names fetched. Three queries.

    How much they have played stands on the board of all time; while that is recalculated, their seats are counted.
    """
    seats = Seat.objects.counted().filter(league=league, player=OuterRef("pk"))
    latest = seats.order_by("-played_at").values("day")[:1]
    players = Player.objects.filter(league=league).active().by_reading().prefetch_related("aliases")
    found: Any = players.annotate(played=Coalesce(Subquery(_played(league, seats)), 0), latest=Subquery(latest))
    here = [player for player in found if player.is_active or player.played]
    return [DirectoryPlayer(player, player.played, player.latest) for player in here]


def _played(league: League, seats: QuerySet[Seat]) -> Any:
    """Return the hanchan of a player: as the board has them, or counted while it is stale, as a subquery. One query."""
    if StalePeriod.objects.filter(league=league, period=ALL_TIME.key).exists():
        return seats.order_by().values("player").annotate(hanchan=Count("pk")).values("hanchan")
    return Standing.objects.filter(league=league, period=ALL_TIME.key, player=OuterRef("pk")).values("hanchan")
