from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    # Invitations
    "role": _("You cannot give this role. Choose a role below yours, or ask an owner of the league."),
    "many": _("The league has reached its limit of open invitations. Revoke some first."),
    "player_gone": _(
        "This player cannot be invited because they already have an account or were merged into another player."
    ),
    "ended": _(
        "This invitation is not valid. It may have been used or revoked, may have expired, or the address "
        "may be incomplete. Ask for a new one."
    ),
    "has_player": _(
        "You're already %(other)s in this league, and one account can be only one player. Ask the organisers."
    ),
    "archived": _("%(league)s is archived. No one can join until an owner reopens it."),
    # Claims
    "taken": _("This player is already linked to an account. If this is you, ask the organisers."),
    "is_other": _(
        "You're already %(other)s in this league, and one account can be only one player. Unlink that player first."
    ),
    "waiting": _("You have already claimed another player in this league. Withdraw that claim first."),
    "answered": _("This claim was already answered or withdrawn."),
    "has_other": _("%(user)s is already %(other)s in this league, and one account can be only one player."),
}


def way_in_sentence(code: str, values: Mapping[str, object]) -> str:
    return str(SENTENCES[code]) % values
