"""What an organiser is told of names that are hardly told from others."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from league.models import League, Player
from league.selectors.people import written_alike

MAX_LIKE = 10
"""So many names that are written like others are spoken of at once."""


def warn_of_likeness(request: HttpRequest, league: League, added: Sequence[Player]) -> None:
    """Say of new names that are hardly told from others that there are two now."""
    for player, other in written_alike(league, added)[:MAX_LIKE] if added else ():
        text = _(
            "%(name)s is written like %(other)s. If they are one person, merge the two on the page of one of them."
        )
        messages.warning(request, text % {"name": player.name, "other": other.name})
