"""What a league's history says of invitations and claims."""

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.models import Claim, Invitation
from league.models import League, Membership
from league.selectors.history import HistorySubject, register_subject


def register() -> None:
    register_subject(
        HistorySubject(
            "invitation",
            _("Invitation"),
            _("Invitations"),
            Invitation,
            _invitations,
            labels={"user": _("user")},
            values={"role": dict(Membership.Role.choices)},
            silent=frozenset({"player", "name"}),
        )
    )
    register_subject(HistorySubject("claim", _("Claim"), _("Claims"), Claim, silent=frozenset({"player", "user"})))


def _invitations(league: League, _pk: int) -> str:
    return reverse("accounts:invitations", args=[league.slug])
