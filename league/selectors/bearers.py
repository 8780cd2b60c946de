"""Since when an account is a player of a league."""

from datetime import datetime, timedelta

from league.models import Player, Revision

BORNE = timedelta(days=14)
"""So long an account has been a player before it erases the name by itself.

Organisers say who is who, and that can be taken back; what is erased cannot. Meanwhile others see a wrong link.
"""


def may_erase_from(player: Player) -> datetime | None:
    """Return the moment from which the player's account erases the name by itself, None where nobody noted the link."""
    linked = Revision.objects.filter(
        league=player.league_id, subject="player", subject_id=player.pk, after__has_key="user"
    )
    last = linked.order_by("-pk").values_list("at", flat=True).first()
    return last + BORNE if last else None
