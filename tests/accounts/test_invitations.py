import re

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.core.limits import MAX_OPEN_INVITATIONS
from accounts.models import Invitation
from accounts.services.invitations import WayInError, join_by
from league.models import League
from league.selectors.history import history_lines, revisions_of
from league.services.history import SYSTEM
from league.services.people import link_user
from league.services.secret_links import secret_of
from tests.accounts.factories import html, make_invitation, way_in
from tests.league.factories import make_league, make_players, make_user

pytestmark = pytest.mark.django_db


def to(name: str, league: League, *args: object) -> str:
    return "/en" + reverse(f"accounts:{name}", args=[league.slug, *args])


def wanted(**changed: object) -> dict[str, object]:
    return {"role": "scorer", "player": "", "label": "", "most_uses": "1", "until": "14"} | changed


def post_invitation(client: Client, league: League, **changed: object) -> Invitation:
    answer = client.post(to("invitations", league), wanted(**changed))
    assert answer.status_code == 302, answer.context["form"].errors
    return Invitation.objects.latest("pk")


def errors(client: Client, league: League, **changed: object) -> dict[str, list[str]]:
    page = client.post(to("invitations", league), wanted(**changed))
    assert page.status_code == 200
    assert not Invitation.objects.exists()
    found: dict[str, list[str]] = page.context["form"].errors
    return found


def test_invitation_is_shown_as_link_qr_code_and_message(owner: Client, league: League) -> None:
    invitation = post_invitation(owner, league, label="水曜の記録係")
    page = html(owner, to("invitation", league, invitation.pk))
    address = f"http://testserver/en{way_in(invitation)}"
    assert f'value="{address}"' in page
    assert 'class="qr-code"' in page
    assert f"You are invited to Camarade League. Open this link to join.\n{address}" in page
    assert '<li aria-current="page">水曜の記録係</li>' in page
    order = [page.index(each) for each in ('class="qr-code"', "Copy message", "Valid until", ">Revoke<")]
    assert order == sorted(order), "the code to scan first, revoking last"


def test_invitation_expires_after_two_weeks_or_with_the_league_day(owner: Client, league: League) -> None:
    with time_machine.travel("2025-11-21T12:00:00+00:00", tick=False):  # 21:00 in Tokyo
        fortnight, evening = (
            post_invitation(owner, league),
            post_invitation(owner, league, until="evening", most_uses="30"),
        )
    assert fortnight.expires_at.isoformat() == "2025-12-05T12:00:00+00:00"
    assert evening.expires_at.isoformat() == "2025-11-21T21:00:00+00:00"  # the start of the league's next day


def test_player_is_invited_from_their_edit_page(organiser: Client, league: League) -> None:
    player = make_players(league, 1)[0]
    address = f"{to('invitations', league)}?player={player.pk}"
    assert address in html(organiser, "/en" + reverse("league:player_edit", args=[league.slug, player.pk]))
    assert f'<option value="{player.pk}" selected>' in html(organiser, address)
    assert post_invitation(organiser, league, role="player", player=player.pk).player == player


def test_unknown_user_name_is_offered_an_invitation(owner: Client, league: League) -> None:
    page = owner.post("/en" + reverse("league:members", args=[league.slug]), {"username": "田中", "role": "scorer"})
    address = f"{to('invitations', league)}?label=%E7%94%B0%E4%B8%AD&amp;role=scorer"
    assert address in page.content.decode()
    form = html(owner, address.replace("&amp;", "&"))
    assert 'value="田中"' in form
    assert re.search(r'value="scorer"[^>]* checked', form)


def test_organiser_can_invite_only_to_lower_roles(organiser: Client, league: League) -> None:
    page = html(organiser, to("invitations", league))
    assert 'value="scorer"' in page
    assert 'value="organiser"' not in page
    for role in ("owner", "organiser", "x", ""):
        assert "role" in errors(organiser, league, role=role)


def test_inviter_cannot_give_a_role_they_may_not_grant(league: League) -> None:
    for name, held, role in (
        ("ishida", "organiser", "owner"),
        ("ueno", "scorer", "player"),
        ("eguchi", "player", "player"),
    ):
        with pytest.raises(WayInError, match="role"):
            make_invitation(league, role, by=make_user(name, league=league, role=held))


def test_organiser_does_not_see_the_link_to_a_higher_role(organiser: Client, league: League) -> None:
    invitation = make_invitation(league, "owner")
    code = secret_of(invitation)
    for address in (to("invitations", league), to("invitation", league, invitation.pk)):
        assert code not in html(organiser, address)
    organiser.post(to("invitation_revoke", league, invitation.pk))
    invitation.refresh_from_db()
    assert invitation.revoked_at is not None


def test_only_one_free_player_of_the_league_can_be_invited(owner: Client, league: League) -> None:
    foreign = make_players(make_league("other"), 1)[0]
    taken = make_players(league, 1)[0]
    link_user(player=taken, user=make_user("tanaka"), by=SYSTEM)
    for player in (foreign.pk, taken.pk, "x", 9**30):
        assert "player" in errors(owner, league, player=player)
    assert "most_uses" in errors(owner, league, player=make_players(league, 1)[0].pk, most_uses="2")
    for gone in (foreign, taken):
        with pytest.raises(WayInError, match="player_gone"):
            make_invitation(league, player=gone)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"most_uses": "0"}, "most_uses"),
        ({"most_uses": "101"}, "most_uses"),
        ({"most_uses": "9" * 40}, "most_uses"),
        ({"until": "9999"}, "until"),
        ({"label": "x" * 61}, "label"),
        ({"label": "a\x00b"}, "label"),
    ],
)
def test_errors_are_at_their_field(owner: Client, league: League, changed: dict[str, object], field: str) -> None:
    assert [*errors(owner, league, **changed)] == [field]


@pytest.mark.parametrize("asked", ["?player=x&role=x", "?player=9999999999999999999", "?player=-1", "?label=%00"])
def test_invalid_query_is_ignored(owner: Client, league: League, asked: str) -> None:
    assert owner.get(to("invitations", league) + asked).status_code == 200


def test_open_invitations_are_limited(league: League) -> None:
    invitation = make_invitation(league)
    rows = [
        Invitation(league=league, role="player", expires_at=invitation.expires_at, secret_hash=str(number))
        for number in range(MAX_OPEN_INVITATIONS - 1)
    ]
    Invitation.objects.bulk_create(rows)
    with pytest.raises(WayInError, match="many"):
        make_invitation(league)


def test_list_shows_who_joined_and_revokes_invitations(owner: Client, league: League) -> None:
    invitation = make_invitation(league, most_uses=5)
    join_by(invitation=invitation, user=make_user("tanaka"), by=SYSTEM, now=timezone.now())
    assert "tanaka" in html(owner, to("invitations", league))
    for _ in range(2):
        owner.post(to("invitation_revoke", league, invitation.pk))
    assert "has ended" in html(owner, to("invitation", league, invitation.pk))
    told = league.revisions.filter(subject="invitation").values_list("action", flat=True)
    assert list(told) == ["withdrawn", "changed", "created"]


def test_history_has_the_invitation_without_its_secret(owner: Client, league: League, tanaka: User) -> None:
    invitation = make_invitation(league, "scorer", label="水曜の人")
    join_by(invitation=invitation, user=tanaka, by=SYSTEM, now=timezone.now())
    lines = [line for line in history_lines(league, revisions_of(league)) if line.what == "招待"]
    assert [line.name for line in lines] == ["水曜の人", "水曜の人"]
    assert "tanaka" in str(lines[0].changes)
    assert "記録係" in str(lines[1].changes)
    assert secret_of(invitation) not in html(owner, "/en" + reverse("league:history", args=[league.slug]))


def test_invitation_works_after_the_secret_key_changed(league: League, owner: Client, settings: object) -> None:
    invitation = make_invitation(league)
    address = way_in(invitation)
    settings.SECRET_KEY = "another" * 9  # type: ignore[attr-defined]
    settings.SECRET_KEY_FALLBACKS = []  # type: ignore[attr-defined]
    assert Client().get(address).status_code == 200
    assert not secret_of(invitation)
    owner.force_login(User.objects.get(username="aoki"))
    assert "is hidden from you" in html(owner, to("invitation", league, invitation.pk))
