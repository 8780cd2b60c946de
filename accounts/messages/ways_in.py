from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    # Invitations
    "role": _("You cannot give this role. Choose one below your own, or ask an owner of the league."),
    "many": _("The league has as many open invitations as it may have. Revoke some first."),
    "player_gone": _("This player cannot be invited: somebody logs in as them already, or the name was merged."),
    "ended": _(
        "This invitation is not open. It may have been used, taken back or run out, or the address is not complete. Ask "
        "whoever sent it for a new one."
    ),
    "has_player": _("You are %(other)s in this league already, and nobody is two players. Ask the organisers."),
    "archived": _("%(league)s is archived: nobody joins it until an owner opens it again."),
    # Claims
    "taken": _("Somebody logs in as this player already. If that should be you, ask the organisers."),
    "is_other": _("You are %(other)s in this league, and nobody is two players. Give that up first."),
    "waiting": _("You have said that you are another player of this league. Take that back first."),
    "answered": _("This was answered or taken back already."),
    "has_other": _("%(user)s is %(other)s in this league by now, and nobody is two players."),
}


def way_in_sentence(code: str, values: Mapping[str, object]) -> str:
    return str(SENTENCES[code]) % values
