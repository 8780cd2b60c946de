from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from league.models import League, Player
from league.selectors.people import written_alike

MAX_LIKE = 10
"""Most similar names to warn about at once."""


def warn_of_likeness(request: HttpRequest, league: League, added: Sequence[Player]) -> None:
    """Warn if new names are written like those of existing players."""
    for player, other in written_alike(league, added)[:MAX_LIKE] if added else ():
        text = _("%(name)s looks like %(other)s. If they are the same person, merge them on the page of either player.")
        messages.warning(request, text % {"name": player.name, "other": other.name})
