"""The directory of a league: everybody who plays or has played."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Max

from league.models import League, Player, Seat


@dataclass(frozen=True, slots=True)
class DirectoryPlayer:
    """A player with how much they have played and when they last did."""

    player: Player
    hanchan: int
    latest: date | None


def directory(league: League) -> list[DirectoryPlayer]:
    """Return everybody who plays or has played, by reading, with their other names fetched. Three queries."""
    seats = Seat.objects.counted().filter(league=league).order_by().values_list("player_id")
    played = {player: (count, day) for player, count, day in seats.annotate(Count("pk"), Max("day"))}
    players = Player.objects.filter(league=league).active().by_reading().prefetch_related("aliases")
    here = [player for player in players if player.is_active or player.pk in played]
    return [DirectoryPlayer(player, *played.get(player.pk, (0, None))) for player in here]
