"""Under which name a reader sees a player."""

from collections.abc import Iterable
from copy import copy

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext, override

from league.core.name_order import name_order
from league.models import League, Player
from league.permissions import Person, may_read_name


def hide_names(user: Person, league: League, players: Iterable[Player]) -> None:
    """Put a number in place of every name that the reader may not read. The players are for showing, not for saving.

    One query for the reader's role, remembered for the request.
    """
    for player in players:
        if not may_read_name(user, player, league):
            player.name = _number_of(player)
            with override("en"):
                player.romanised = _number_of(player)
            player.kana = player.number = player.club = ""
            # Keys that came with a file are often names themselves.
            player.key = f"p-{player.pk}"
            player.sort_key = name_order(player.name, "", "")


def as_everybody_reads(league: League, players: Iterable[Player]) -> list[Player]:
    """Return the players under the names that may stand where anybody reads them; those that came in stay."""
    shown = [copy(player) for player in players]
    hide_names(AnonymousUser(), league, shown)
    return shown


def _number_of(player: Player) -> str:
    return gettext("Player %(number)s") % {"number": f"{player.pk:03d}"}
