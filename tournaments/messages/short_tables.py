"""How a table goes on that has lost a player, in words."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.core.facts import Remedy
from tournaments.models import Decision

SETTLED: Mapping[Remedy, Promise] = {
    Remedy.SUBSTITUTE: _("A substitute sits down."),
    Remedy.HOUSE: _("A house player fills the seat."),
    Remedy.THREE: _("The other three play on."),
    Remedy.NOBODY: _("What is left of these hanchan is not played."),
}


def settled_words(decision: Decision, pk: int) -> str:
    """Return how the tables go on that an entry has left, nothing while that is open."""
    settled = decision.body.get("short", {}).get(str(pk))
    return str(SETTLED[Remedy(settled["remedy"])]) if settled else ""
