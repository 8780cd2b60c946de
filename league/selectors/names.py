"""Under which name a reader sees a player."""

from collections.abc import Iterable

from django.utils.translation import gettext, override

from league.models import League, Player
from league.permissions import Person, may_read_name


def shown_names(user: Person, league: League, players: Iterable[Player]) -> dict[int, str]:
    """Return each player's name by primary key; whoever may not read a name reads a number in its place.

    One query for the reader's role, remembered for the request.
    """
    return {player.pk: _shown_name(user, league, player) for player in players}


def hide_names(user: Person, league: League, players: Iterable[Player]) -> None:
    """Put a number in place of every name that the reader may not read. The players are for showing, not for saving."""
    for player in players:
        if not may_read_name(user, player, league):
            player.name = _shown_name(user, league, player)
            with override("en"):
                player.romanised = _shown_name(user, league, player)
            player.kana = player.number = ""


def _shown_name(user: Person, league: League, player: Player) -> str:
    if may_read_name(user, player, league):
        return player.name
    return gettext("Player %(number)s") % {"number": f"{player.pk:03d}"}
