"""Why points of a session cannot be entered, in words."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from league.messages import plain_name
from league.models import Player
from scoring.messages import points_text

SENTENCES = {
    "no_lines": _("Choose at least one player and type the points."),
    "hanchan": _("The points stand for 1 to %(most)s hanchan; leave it empty where nobody knows for how many."),
    "places": _("The places of %(player)s come to %(places)s, the hanchan are %(hanchan)s. Correct one of them."),
    "withdrawn": _("The points of %(name)s were withdrawn meanwhile. Enter them again."),
    "not_in_league": _("%(name)s is not a player of this league any more. Choose again."),
    "entered": _("%(name)s has points without hanchan in this session already. Withdraw them first."),
    "unbalanced": _(
        "The points add up to %(total)s, not to 0. Correct them; if they were published like this, say so in the note."
    ),
}


def session_points_sentence(code: str, values: Mapping[str, object]) -> str:
    texts = {name: points_text(value) if name == "total" else value for name, value in values.items()}  # type: ignore[arg-type]
    if isinstance(player := values.get("player"), Player):
        texts["player"] = plain_name(player)
    return str(SENTENCES[code]) % texts
