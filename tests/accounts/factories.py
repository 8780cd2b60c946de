import re
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import Invitation
from accounts.services.invitations import WantedInvitation, invite
from league.models import League, Membership
from league.services.history import Actor
from league.services.secret_links import secret_of
from tests.league.factories import PASSWORD, make_user


def make_invitation(league: League, role: str = "player", *, by: User | None = None, **wanted: Any) -> Invitation:
    owner = league.members.filter(role=Membership.Role.OWNER).select_related("user").first()
    inviter = by or (owner.user if owner else make_user(f"{league.slug}-owner", league=league, role="owner"))
    facts = WantedInvitation(role, timezone.now() + timedelta(days=14), **wanted)
    return invite(league=league, wanted=facts, by=Actor(inviter, "web"))


def way_in(invitation: Invitation) -> str:
    return reverse("accounts:join", args=[secret_of(invitation)])


def logged_in(name: str = "aoki", **options: Any) -> Client:
    client = Client(**options)
    assert client.post("/en/accounts/login/", {"username": name, "password": PASSWORD}).status_code == 302
    return client


def html(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def code_in(letter: Any) -> str:
    found = re.search(r"^([A-Z0-9-]{6,12})\r?$", str(letter.body), re.MULTILINE)
    assert found, letter.body
    return found[1]
