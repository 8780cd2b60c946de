"""Names of players in the reader's language."""

from collections.abc import Iterable

from django.utils.translation import get_language

from league.models import Player
from tournaments.core.facts import Participant
from tournaments.messages.errors import joined
from tournaments.selectors.state import CurrentState


def reader_name(player: Player) -> str:
    return player.name if get_language() == "ja" else player.romanised or player.name


def names_of(current: CurrentState, players: Iterable[Participant]) -> str:
    return joined(reader_name(current.player(participant)) for participant in players)
