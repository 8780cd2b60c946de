"""The end of an account: only by the person, with a proof, once, and never leaving a league without an owner."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.models import Preferences
from accounts.services import deletion
from accounts.services.deletion import DeletionError, close_account, end_account
from league.http.reauthentication import FRESH, LOGGED_IN_AT
from league.models import Hanchan, League, Membership, Revision
from league.selectors.former import FORMER
from league.services.history import SYSTEM, Actor
from league.services.people import link_user, set_role
from tests.league.factories import PASSWORD, make_league, make_players, make_session, make_user, play
from tests.league.people.erasing import found_in, whole_database

pytestmark = pytest.mark.django_db

PAGE = "/en/account/delete/"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def league() -> League:
    league = make_league()
    make_user("ishida", league=league, role="owner")
    return league


@pytest.fixture
def aoki(league: League) -> User:
    """A scorer who is a player of the list too, and has entered a result."""
    user = make_user("aoki", league=league, role="scorer")
    players = make_players(league, 4)
    link_user(player=players[0], user=user, by=SYSTEM)
    play(make_session(league), players=players, by=Actor(user, "web"))
    return user


def test_an_account_goes_and_what_was_played_stays(league: League, aoki: User, monkeypatch: pytest.MonkeyPatch) -> None:
    Preferences.objects.create(user=aoki, theme="dark")
    here, phone = client_of(aoki), client_of(aoki)
    answer = here.post(PAGE, {"password": PASSWORD})
    assert answer["Location"] == "/en/"
    assert answer["Clear-Site-Data"] == '"cache"'
    assert "Your account is closed for good." in here.get("/en/").content.decode()
    assert not User.objects.filter(username="aoki").exists()
    assert phone.get("/me/").status_code == 302
    monkeypatch.setattr(deletion, "LATE", timedelta(0))
    assert end_account(aoki.pk)
    assert not User.objects.filter(pk=aoki.pk).exists()
    assert not Preferences.objects.exists()
    assert not Membership.objects.filter(role="scorer").exists()
    assert league.players.count() == 4
    assert not league.players.filter(user__isnull=False).exists()
    hanchan = Hanchan.objects.get()
    assert hanchan.recorded_by is None
    assert hanchan.seats.count() == 4
    assert Revision.objects.filter(subject="membership", action="withdrawn", by_name=FORMER).exists()
    assert found_in(whole_database(), ["aoki"]) == []
    assert phone.get("/me/").status_code == 302
    assert not Client().login(username="aoki", password=PASSWORD)


@pytest.mark.parametrize("typed", [{}, {"password": ""}, {"password": "wrong"}, {"confirm": "yes"}])
def test_without_the_password_nothing_is_deleted(aoki: User, typed: dict[str, str]) -> None:
    html = client_of(aoki).post(PAGE, typed).content.decode()
    assert "This could not be saved yet." in html
    assert User.objects.filter(pk=aoki.pk).exists()
    assert Membership.objects.filter(user=aoki).exists()


def test_looking_at_the_page_deletes_nothing(aoki: User) -> None:
    assert "This cannot be undone." in client_of(aoki).get(PAGE, {"password": PASSWORD}).content.decode()
    assert User.objects.filter(pk=aoki.pk).exists()


def test_the_password_of_somebody_else_is_no_proof(aoki: User) -> None:
    make_user("eguchi")
    User.objects.filter(pk=aoki.pk).update(password=User(username="x").password)
    other = User.objects.get(username="eguchi")
    other.set_password("another-long-secret")
    other.save()
    aoki.set_password("my-own-long-secret")
    aoki.save()
    client_of(aoki).post(PAGE, {"password": "another-long-secret", "username": "eguchi"})
    assert User.objects.filter(username__in=("aoki", "eguchi")).count() == 2


@pytest.mark.long
def test_a_password_cannot_be_guessed_here_either(aoki: User) -> None:
    client = client_of(aoki)
    for _ in range(12):
        client.post(PAGE, {"password": "wrong"})
    html = client.post(PAGE, {"password": PASSWORD}).content.decode()
    assert "tried too often" in html
    assert User.objects.filter(pk=aoki.pk).exists()


def test_sent_twice_it_is_done_once(aoki: User) -> None:
    client = client_of(aoki)
    client.post(PAGE, {"password": PASSWORD})
    again = client.post(PAGE, {"password": PASSWORD})
    assert again.status_code == 302
    assert "/login/" in again["Location"]


def test_a_form_of_another_site_deletes_nothing(aoki: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(aoki)
    assert client.post(PAGE, {"password": PASSWORD}).status_code == 403
    assert User.objects.filter(pk=aoki.pk).exists()


@pytest.mark.parametrize("state", ["active", "archived", "taken_down"])
def test_the_last_owner_hands_over_first(league: League, aoki: User, state: str) -> None:
    League.objects.update(state=state)
    owner = User.objects.get(username="ishida")
    client = client_of(owner)
    page = client.get(PAGE).content.decode()
    assert "These leagues would have no owner" in page
    assert f"/en/l/{league.slug}/manage/members/" in page
    client.post(PAGE, {"password": PASSWORD})
    assert User.objects.filter(pk=owner.pk).exists()
    set_role(league=league, user=aoki, role=Membership.Role.OWNER, by=SYSTEM)
    assert client.post(PAGE, {"password": PASSWORD})["Location"] == "/en/"
    assert not User.objects.filter(pk=owner.pk, is_active=True).exists()


def test_the_only_administrator_stays(league: League) -> None:
    root = make_user("root", is_superuser=True, is_staff=True)
    html = client_of(root).post(PAGE, {"password": PASSWORD}).content.decode()
    assert "You are the only administrator" in html
    make_user("root2", is_superuser=True, is_staff=True)
    close_account(user=root, source="web")
    assert not User.objects.filter(username="root").exists()


def test_what_hinders_leaves_everything_as_it_was(league: League) -> None:
    owner = User.objects.get(username="ishida")
    other = make_league("other")
    make_user("ueno", league=other, role="owner")
    set_role(league=other, user=owner, role=Membership.Role.PLAYER, by=SYSTEM)
    with pytest.raises(DeletionError) as caught:
        close_account(user=owner, source="web")
    assert caught.value.leagues == [league]
    assert Membership.objects.filter(user=owner).count() == 2


def test_an_account_without_a_password_asks_for_a_log_in_that_is_fresh(aoki: User) -> None:
    aoki.set_unusable_password()
    aoki.save()
    client = client_of(aoki)
    session = client.session
    session[LOGGED_IN_AT] -= FRESH + 1
    session.save()
    assert "You logged in some time ago." in client.get(PAGE).content.decode()
    client.post(PAGE, {})
    assert User.objects.filter(pk=aoki.pk).exists()
    assert client_of(aoki).post(PAGE, {"sure": "on"})["Location"] == "/en/"
    assert not User.objects.filter(pk=aoki.pk, is_active=True).exists()
