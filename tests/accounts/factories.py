"""Invitations for tests: made by an owner, as a page would make them."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from accounts.models import Invitation
from accounts.services.invitations import WantedInvitation, invite
from league.models import League, Membership
from league.services.history import Actor
from league.services.secret_links import secret_of
from tests.league.factories import make_user


def make_invitation(
    league: League, role: str = "player", *, by: User | None = None, days: int = 14, **wanted: Any
) -> Invitation:
    """Return an invitation of the league's owner, who is made if there is none, or of somebody else."""
    owner = league.members.filter(role=Membership.Role.OWNER).select_related("user").first()
    inviter = by or (owner.user if owner else make_user(f"{league.slug}-owner", league=league, role="owner"))
    facts = WantedInvitation(role, timezone.now() + timedelta(days=days), **wanted)
    return invite(league=league, wanted=facts, by=Actor(inviter, "web"))


def way_in(invitation: Invitation) -> str:
    return reverse("accounts:join", args=[secret_of(invitation)])
