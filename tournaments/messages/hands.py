"""Hands of a hanchan in words."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import pgettext, pgettext_lazy

ROUNDS: Mapping[str, object] = {
    "E": pgettext_lazy("round wind", "East"),
    "S": pgettext_lazy("round wind", "South"),
    "W": pgettext_lazy("round wind", "West"),
    "N": pgettext_lazy("round wind", "North"),
}


def hand_name(hand: str) -> str:
    """Return what a hand is called: 南4局, South 4."""
    return pgettext("hand of a hanchan", "%(wind)s %(number)s") % {"wind": ROUNDS[hand[0]], "number": hand[1]}


def hand_line(hand: str, honba: int, sticks: int) -> str:
    return _("%(hand)s · honba %(honba)s · sticks %(sticks)s") % {
        "hand": hand_name(hand),
        "honba": honba,
        "sticks": sticks,
    }
