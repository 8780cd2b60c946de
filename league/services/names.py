"""Who may read a player's name changes here."""

from django.db import transaction

from league.models import Player, Revision
from league.services.history import Actor, Change, write_revision
from league.services.locking import locked


@transaction.atomic
def show_name_to(*, player: Player, visibility: Player.Visibility, by: Actor) -> Player:
    """Say who may read a player's name, and return the player as it stands; what stood so before is left alone."""
    current = locked(Player.objects.select_related("league"), player.pk)
    if current.visibility != visibility:
        before = {"visibility": current.visibility}
        Player.objects.filter(pk=current.pk).update(visibility=visibility)
        current.visibility = visibility
        change = Change(Revision.Action.CHANGED, before, {"visibility": str(visibility)})
        write_revision(current.league, current, change, by)
    return current
