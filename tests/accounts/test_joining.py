from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Claim, Invitation
from accounts.services.invitations import WayInError, invitation_of, join_by, revoke_invitation
from league.http.codes import GUESSES
from league.models import League, Membership, Player, Revision
from league.services.history import SYSTEM, Actor
from league.services.ownership import set_league_state
from league.services.people import link_user, merge_players, remove_member, set_role
from league.services.secret_links import secret_of
from tests.accounts.factories import make_invitation, way_in
from tests.league.entry_contexts import text
from tests.league.factories import make_league, make_players, make_user
from tests.league.members.test_leaving import role_of
from tests.league.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    return make_league(is_public=False)


def test_invitation_page_shows_only_league_role_player_and_inviter(client: Client, league: League) -> None:
    invitation = make_invitation(league, "scorer", player=make_players(league, 2)[0], label="水曜の人")
    html = text(client.get("/en" + way_in(invitation)))
    for fact in ("Camarade League", "Scorer", "enters results", "Aoki", "camarade-owner"):
        assert fact in html, fact
    for secret in ("水曜の人", "/l/camarade/", "Ishida"):
        assert secret not in html, secret


def test_log_in_returns_to_the_invitation(client: Client, league: League, tanaka: User) -> None:
    invitation = make_invitation(league)
    back = reverse("accounts:join_kept")
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en-GB, ja;q=0.5"
    assert client.get(way_in(invitation))["Location"] == "/en" + way_in(invitation)
    assert f'href="{reverse("login")}?next={back}"' in text(client.get(way_in(invitation)))
    page = text(client.get("/en/accounts/signup/?next=/join/"))
    assert "account and join" in page.partition("You are joining Camarade")[2]
    client.force_login(tanaka)
    assert client.get(back)["Location"] == way_in(invitation)
    assert client.post(way_in(invitation))["Location"] == reverse("accounts:who", args=[league.slug])
    assert role_of(tanaka, league) == "player"
    assert client.get(back)["Location"] == reverse("league:home")


def test_invitation_for_a_player_links_the_user_and_ends_a_claim(guest: Client, league: League, tanaka: User) -> None:
    player = make_players(league, 1)[0]
    Claim.objects.create(league=league, player=player, user=tanaka)
    answer = guest.post(way_in(make_invitation(league, player=player)), follow=True)
    assert Claim.objects.get().state == Claim.State.ACCEPTED
    assert answer.redirect_chain[-1][0] == reverse("stats:player", args=[league.slug, player.pk])
    player.refresh_from_db()
    assert player.user == tanaka
    told = league.revisions.filter(subject="invitation").values_list("action", "by_name")
    assert list(told) == [("changed", "tanaka"), ("created", "camarade-owner")]


def test_new_member_is_asked_which_player_they_are(guest: Client, league: League, tanaka: User) -> None:
    taken, hidden, free = make_players(league, 3)
    link_user(player=taken, user=make_user("aoki"), by=SYSTEM)
    Player.objects.filter(pk=hidden.pk).update(visibility="nobody")
    page = guest.post(way_in(make_invitation(league, role="scorer")), follow=True)
    assert [player.pk for player in page.context["players"]] == [free.pk]
    guest.post(reverse("accounts:claim", args=[league.slug, free.pk]), {"do": "claim"})
    assert Claim.objects.get(user=tanaka).player == free


def test_invitation_for_a_merged_player_follows_the_merge(guest: Client, league: League, tanaka: User) -> None:
    first, second, third = make_players(league, 3)
    invitation = make_invitation(league, player=first)
    merge_players(source=first, target=second, by=SYSTEM, reason="one person")
    merge_players(source=second, target=third, by=SYSTEM, reason="one person")
    guest.post(way_in(invitation))
    assert tanaka.players.get() == third


@pytest.mark.parametrize(
    ("held", "invited", "becomes"),
    [("owner", "player", "owner"), ("player", "scorer", "scorer"), ("referee", "scorer", "referee")],
)
def test_no_role_is_lowered(guest: Client, league: League, tanaka: User, held: str, invited: str, becomes: str) -> None:
    invitation = make_invitation(league, invited)
    set_role(league=league, user=tanaka, role=Membership.Role(held), by=SYSTEM)
    page = text(guest.post("/en" + way_in(invitation), follow=True))
    assert role_of(tanaka, league) == becomes
    assert ("You keep the role of Referee" in page) == (held == "referee")


def test_invitation_is_not_used_by_its_author(league: League) -> None:
    invitation = make_invitation(league)
    owner = Client()
    assert invitation.created_by is not None
    owner.force_login(invitation.created_by)
    owner.post(way_in(invitation))
    invitation.refresh_from_db()
    assert invitation.uses == 0


def test_invitation_page_hides_a_hidden_name(client: Client, league: League) -> None:
    player = make_players(league, 1)[0]
    address = way_in(make_invitation(league, player=player))
    for visibility, is_shown in (("members", True), ("nobody", False)):
        Player.objects.filter(pk=player.pk).update(visibility=visibility)
        assert ("青木" in text(client.get(address))) is is_shown


def test_opening_an_invitation_does_not_use_it(guest: Client, league: League, tanaka: User) -> None:
    invitation = make_invitation(league)
    for visitor in (Client(), guest):
        for ask in (visitor.get, visitor.head):
            answer = ask(way_in(invitation), headers={"purpose": "prefetch"})
            assert answer.status_code == 200
            assert answer["Cache-Control"] == "private, no-store"
            assert answer["Referrer-Policy"] == "same-origin"
    assert Client().post(way_in(invitation)).status_code == 200
    invitation.refresh_from_db()
    assert (invitation.uses, role_of(tanaka, league)) == (0, None)


def test_extra_form_fields_and_redirects_are_ignored(guest: Client, league: League, tanaka: User) -> None:
    sent = {"role": "owner", "player": make_players(league, 1)[0].pk, "league": "9", "next": "https://example.org/"}
    answer = guest.post(way_in(make_invitation(league)) + "?next=https://example.org/&role=owner", sent)
    assert answer["Location"] == reverse("accounts:who", args=[league.slug])
    assert (role_of(tanaka, league), tanaka.players.count()) == ("player", 0)


def test_accepting_twice_uses_the_invitation_once(guest: Client, league: League, tanaka: User) -> None:
    invitation = make_invitation(league, most_uses=3)
    for _ in range(2):
        assert guest.post(way_in(invitation))["Location"] == reverse("accounts:who", args=[league.slug])
    invitation.refresh_from_db()
    assert (invitation.uses, role_of(tanaka, league)) == (1, "player")


def test_removed_member_cannot_reuse_the_invitation(guest: Client, league: League, tanaka: User) -> None:
    invitation = make_invitation(league, most_uses=3)
    guest.post(way_in(invitation))
    remove_member(membership=league.members.get(user=tanaka), by=SYSTEM)
    assert guest.post(way_in(invitation)).status_code == 404
    assert role_of(tanaka, league) is None


def demote_the_inviter(invitation: Invitation) -> None:
    assert invitation.created_by is not None
    set_role(league=invitation.league, user=make_user("second"), role=Membership.Role.OWNER, by=SYSTEM)
    set_role(league=invitation.league, user=invitation.created_by, role=Membership.Role.PLAYER, by=SYSTEM)


def change(model: type[Model], pk: int | None, **values: object) -> None:
    model._default_manager.filter(pk=pk).update(**values)


ENDS: dict[str, Callable[[Invitation], object]] = {
    "expired": lambda each: change(Invitation, each.pk, expires_at=timezone.now() - timedelta(seconds=1)),
    "revoked": lambda each: revoke_invitation(invitation=each, by=SYSTEM),
    "used": lambda each: join_by(invitation=each, user=make_user("thief"), by=SYSTEM, now=timezone.now()),
    "of a demoted inviter": demote_the_inviter,
    "of a blocked inviter": lambda each: change(User, each.created_by_id, is_active=False),
    "to a league taken down": lambda each: change(League, each.league_id, state=League.State.TAKEN_DOWN),
    "to a deleted league": lambda each: change(League, each.league_id, ends_at=timezone.now() - timedelta(days=1)),
}


@pytest.mark.parametrize("end", ENDS)
def test_ended_invitation_looks_like_an_unknown_one(guest: Client, league: League, tanaka: User, end: str) -> None:
    invitation = make_invitation(league, "scorer")
    ENDS[end](invitation)
    unknown = reverse("accounts:join", args=["a" * 26])
    for visitor in (guest, Client()):
        for ask in (visitor.get, visitor.post):
            got, wanted = ask(way_in(invitation)), ask(unknown)
            assert (got.status_code, wanted.status_code) == (404, 404)
            assert text(got).replace(secret_of(invitation), "") == text(wanted).replace("a" * 26, "")
    assert role_of(tanaka, league) is None


def test_unknown_and_revoked_codes_cost_the_same(guest: Client, league: League) -> None:
    invitation = make_invitation(league)
    revoke_invitation(invitation=invitation, by=SYSTEM)
    counts = []
    for address in (way_in(invitation), reverse("accounts:join", args=["a" * 26])):
        with CaptureQueriesContext(connection) as queries:
            guest.get(address)
        counts.append(len([each for each in queries if "attempts" not in each["sql"]]))
    assert counts[0] == counts[1]


def test_guessing_codes_is_throttled_without_blocking_the_right_one(client: Client, league: League) -> None:
    invitation = make_invitation(league)
    answers = [client.get(reverse("accounts:join", args=[f"{number:026}"])) for number in range(GUESSES.tries + 1)]
    assert {answer.status_code for answer in answers[:-1]} == {404}
    assert answers[-1].status_code == 429
    assert client.get(way_in(invitation)).status_code == 200


@pytest.mark.parametrize("code", ["x", "%00", "あ", "%F0%9F%80%80", "a" * 3000, "A" * 26])
def test_malformed_codes_are_not_found(client: Client, code: str) -> None:
    assert client.get(f"/join/{code}/").status_code == 404


def test_stored_invitation_does_not_contain_its_code(league: League) -> None:
    invitation = make_invitation(league)
    kept = {str(value) for value in Invitation.objects.values_list().get()}
    told = str(list(Revision.objects.filter(subject="invitation").values_list("before", "after", "reason")))
    code = secret_of(invitation)
    assert len(code) == 26
    assert code not in kept
    assert code not in told
    assert not any(invitation_of(value) for value in kept)


def test_archived_league_accepts_no_invitation(guest: Client, league: League, tanaka: User) -> None:
    invitation = make_invitation(league)
    set_league_state(league=league, state=League.State.ARCHIVED, reason="", by=SYSTEM)
    for ask in (guest.get, guest.post):
        assert "archived" in text(ask("/en" + way_in(invitation)))
    assert role_of(tanaka, league) is None


def test_user_gets_no_second_player(guest: Client, league: League, tanaka: User) -> None:
    players = make_players(league, 2)
    link_user(player=players[0], user=tanaka, by=SYSTEM)
    invitation = make_invitation(league, player=players[1])
    assert "already Aoki in this league" in text(guest.post("/en" + way_in(invitation)))
    invitation.refresh_from_db()
    assert (invitation.uses, tanaka.players.get()) == (0, players[0])


def test_invitation_ends_once_the_player_is_linked(guest: Client, league: League, tanaka: User) -> None:
    player = make_players(league, 1)[0]
    invitation = make_invitation(league, player=player)
    link_user(player=player, user=make_user("suzuki"), by=SYSTEM)
    assert guest.post(way_in(invitation)).status_code == 404
    assert tanaka.players.count() == 0


@pytest.mark.django_db(transaction=True)
def test_two_users_cannot_accept_one_invitation_at_once(league: League) -> None:
    player = make_players(league, 1)[0]
    invitation = make_invitation(league, player=player)
    people = [make_user("tanaka"), make_user("suzuki")]

    def follow(user: User) -> Player | None:
        return join_by(invitation=invitation, user=user, by=Actor(user, "web"), now=timezone.now())

    outcomes = at_once(*(lambda user=user: follow(user) for user in people))
    assert [outcome.code for outcome in outcomes if isinstance(outcome, WayInError)] == ["ended"]
    invitation.refresh_from_db()
    player.refresh_from_db()
    assert (invitation.uses, len(invitation.used_by), league.members.filter(role="player").count()) == (1, 1, 1)
    assert player.user in people
