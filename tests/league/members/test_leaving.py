from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import ProtectedError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.models import Confirmation, Hanchan, League, LeagueOffer, Membership, Player, Revision
from league.services.history import SYSTEM, Actor
from league.services.members import accept_offer, leave_league, offer_league
from league.services.people import PeopleError, link_user, remove_member, set_role
from tests.journeys.pages import Visitor
from tests.league.entry_contexts import url
from tests.league.factories import client_of, make_league, make_players, make_session, make_user, play
from tests.league.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OWNER, ORGANISER, PLAYER = Membership.Role.OWNER, Membership.Role.ORGANISER, Membership.Role.PLAYER


@pytest.fixture
def owner(league: League) -> User:
    return make_user("aoki", league=league, role="owner")


@pytest.fixture
def scorer(league: League) -> User:
    return make_user("ueno", league=league, role="scorer")


def visitor(user: User) -> Visitor:
    return Visitor(client_of(user))


def role_of(user: User, league: League) -> str | None:
    return Membership.objects.filter(league=league, user=user).values_list("role", flat=True).first()


def test_member_leaves_through_the_pages_and_their_player_stays(league: League, owner: User, scorer: User) -> None:
    (player,) = make_players(league, 1)
    link_user(player=player, user=scorer, by=SYSTEM)
    page = visitor(scorer).opens("/").follows(to=r"^/account/$").follows(to="/leave/$")
    page.reads("青木")
    page.submits("リーグを抜ける")
    assert page.client.post(url("leave", league)).status_code in {302, 403}, "sent twice, it is one change"
    assert role_of(scorer, league) is None
    assert Player.objects.get(pk=player.pk).user is None
    told = Revision.objects.filter(league=league, subject="membership", action=Revision.Action.WITHDRAWN).get()
    assert (told.before, told.by) == ({"user": "ueno", "role": "scorer"}, scorer)
    assert role_of(owner, league) == OWNER


def test_only_owner_cannot_leave_and_is_offered_to_hand_over(client: Client, league: League, owner: User) -> None:
    client.force_login(owner)
    address = url("leave", league)
    page = client.get(address).content.decode()
    assert url("offer", league) in page
    assert 'button danger"' not in page
    assert client.post(address).status_code == 200
    assert role_of(owner, league) == OWNER


def test_only_owner_of_a_league_cannot_be_deleted(league: League, owner: User, scorer: User) -> None:
    with pytest.raises(ProtectedError):
        owner.delete()
    set_role(league=league, user=scorer, role=OWNER, by=SYSTEM)
    owner.delete()
    assert [member.user for member in league.members.select_related("user")] == [scorer]


def test_admin_cannot_delete_the_only_owner(client: Client, league: League, owner: User) -> None:
    client.force_login(make_user("root", is_superuser=True, is_staff=True))
    assert client.post(reverse("admin:auth_user_delete", args=[owner.pk]), {"post": "yes"}).status_code < 500
    assert role_of(owner, league) == OWNER
    several = {"action": "delete_selected", "_selected_action": [owner.pk], "post": "yes"}
    assert client.post(reverse("admin:auth_user_changelist"), several).status_code < 500
    assert role_of(owner, league) == OWNER


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["leave", "lower", "delete"])
def test_two_owners_leaving_at_once_leave_one_owner(way: str) -> None:
    league = make_league()
    users = [make_user(name, league=league, role="owner") for name in ("aoki", "ishida")]

    def goes(user: User) -> None:
        if way == "leave":
            membership = league.members.select_related("league", "user").get(user=user)
            leave_league(membership=membership, by=Actor(user, "web"))
        elif way == "lower":
            set_role(league=league, user=user, role=PLAYER, by=SYSTEM)
        else:
            client = client_of(User.objects.get(username="root"))
            client.post(reverse("admin:auth_user_delete", args=[user.pk]), {"post": "yes"})

    make_user("root", is_superuser=True, is_staff=True)
    at_once(*(lambda user=user: goes(user) for user in users))
    assert league.members.filter(role=OWNER).count() >= 1
    at_once(*(lambda user=user: goes(user) for user in users))
    assert league.members.filter(role=OWNER).count() == 1


def offered(
    league: League, owner: User, to: User, afterwards: LeagueOffer.Afterwards = LeagueOffer.Afterwards.ORGANISER
) -> LeagueOffer:
    member = league.members.select_related("user").get(user=to)
    return offer_league(league=league, to=member, afterwards=afterwards, by=Actor(owner, "web"))


def test_league_is_handed_over_through_the_pages(league: League, owner: User, scorer: User) -> None:
    member = league.members.get(user=scorer)
    giving = visitor(owner).opens("/").follows(to=r"^/l/camarade/$").follows("運営")
    giving.follows(to="/manage/settings/$").follows(to="/manage/hand-over/$")
    giving.submits("譲り渡しを申し出る", to=str(member.pk), afterwards="organiser")
    assert (role_of(owner, league), role_of(scorer, league)) == (OWNER, "scorer")
    visitor(scorer).opens("/").follows(to=r"^/l/camarade/$").follows(to="hand-over").submits("リーグを引き継ぐ")
    assert (role_of(owner, league), role_of(scorer, league)) == (ORGANISER, OWNER)
    assert not LeagueOffer.objects.exists()
    told = Revision.objects.filter(league=league, subject="leagueoffer").order_by("pk")
    assert [each.action for each in told] == [Revision.Action.CREATED, Revision.Action.CHANGED]


def test_owner_may_leave_after_handing_over(league: League, owner: User, scorer: User) -> None:
    offered(league, owner, scorer, LeagueOffer.Afterwards.LEAVES)
    accept_offer(league=league, by=Actor(scorer, "web"))
    assert (role_of(owner, league), role_of(scorer, league)) == (None, OWNER)


def test_only_an_open_offer_to_oneself_is_accepted(client: Client, league: League, owner: User, scorer: User) -> None:
    other = make_user("eguchi", league=league, role="player")
    address = url("offered", league)
    offer = offered(league, owner, scorer)
    client.force_login(other)
    client.post(address, {"accept": "1"})
    client.force_login(owner)
    client.post(url("offer", league), {"withdraw": "1"})
    client.force_login(scorer)
    client.post(address, {"accept": "1"})
    offered(league, owner, scorer)
    client.post(address, {"refuse": "1"})
    assert not LeagueOffer.objects.exists()
    offer = offered(league, owner, scorer)
    LeagueOffer.objects.filter(pk=offer.pk).update(ends_at=timezone.now() - timedelta(seconds=1))
    client.post(address, {"accept": "1"})
    with pytest.raises(PeopleError, match="no_offer"):
        accept_offer(league=league, by=Actor(scorer, "web"))
    assert (role_of(owner, league), role_of(scorer, league), role_of(other, league)) == (OWNER, "scorer", "player")


def test_offer_ends_with_the_role_of_either_side(league: League, owner: User, scorer: User) -> None:
    second = make_user("ishida", league=league, role="owner")
    offered(league, owner, scorer)
    set_role(league=league, user=owner, role=PLAYER, by=Actor(second, "web"))
    with pytest.raises(PeopleError, match="no_offer"):
        accept_offer(league=league, by=Actor(scorer, "web"))
    offered(league, second, scorer)
    remove_member(membership=league.members.select_related("league", "user").get(user=scorer), by=SYSTEM)
    assert not LeagueOffer.objects.exists()


def test_referee_confirms_a_result_from_the_league_home_page(client: Client) -> None:
    league = make_league("league", confirmed_by=League.ConfirmedBy.ONE)
    referee = make_user("ueno", league=league, role="referee")
    hanchan = play(make_session(league))
    client.force_login(referee)
    page = Visitor(client).opens("/").follows(to=r"^/l/league/$")
    page.reads("審判の確認を待つ成績")
    page.follows(to=rf"/g/{hanchan.pk}/").submits("幹事として確認する")
    hanchan.refresh_from_db()
    assert hanchan.state == Hanchan.State.CONFIRMED
    said = Confirmation.objects.get(hanchan=hanchan, by=referee)
    assert (said.by_name, said.player) == ("ueno", None)
    assert Revision.objects.filter(league=league, by=referee, by_name="ueno").exists()
