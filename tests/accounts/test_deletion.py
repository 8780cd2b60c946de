from datetime import timedelta
from itertools import pairwise

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import ClosedAccount, Preferences
from accounts.services import deletion
from accounts.services.deletion import close_account, end_account, sweep_closed_accounts
from accounts.services.profiles import change_profile
from league.http.reauthentication import FRESH, LOGGED_IN_AT
from league.models import Hanchan, League, Membership, Player, Revision
from league.selectors.former import FORMER
from league.services.history import SYSTEM, Actor, Change, write_revisions
from league.services.people import link_user, remove_member, set_role
from tests.league.factories import PASSWORD, client_of, make_league, make_players, make_session, make_user, play
from tests.league.people.erasing import found_in, whole_database

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

PAGE = "/en/account/delete/"


@pytest.fixture(autouse=True)
def _nothing_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "LATE", timedelta(0))


@pytest.fixture
def league() -> League:
    league = make_league()
    make_user("ishida", league=league, role="owner")
    return league


@pytest.fixture
def aoki(league: League) -> User:
    user = make_user("aoki", league=league, role="scorer")
    players = make_players(league, 4)
    link_user(player=players[0], user=user, by=SYSTEM)
    play(make_session(league), players=players, by=Actor(user, "web"))
    return user


def test_closed_account_is_deleted_and_its_hanchan_stay(league: League, aoki: User) -> None:
    Preferences.objects.create(user=aoki, theme="dark")
    EmailAddress.objects.create(user=aoki, email="aoki@example.com", verified=True, primary=True)
    Authenticator.objects.create(user=aoki, type="webauthn", data={})
    here, phone = client_of(aoki), client_of(aoki)
    phone.get("/account/devices/")
    answer = here.post(PAGE, {"password": PASSWORD})
    assert answer["Location"] == "/en/"
    assert answer["Clear-Site-Data"] == '"cache"'
    assert "Your account is closed." in here.get("/en/").content.decode()
    assert phone.get("/me/").status_code == 302
    assert not Client().login(username="aoki", password=PASSWORD)
    assert Session.objects.count() <= 1
    assert not Membership.objects.filter(user=aoki).exists()
    assert not Player.objects.filter(user=aoki).exists()
    assert not EmailAddress.objects.exists()
    assert not Authenticator.objects.exists()
    left = User.objects.get(pk=aoki.pk)
    assert (left.is_active, left.email, left.first_name, left.last_name) == (False, "", "", "")
    assert "aoki" not in left.username

    assert end_account(aoki.pk)
    assert not User.objects.filter(pk=aoki.pk).exists()
    assert not Preferences.objects.exists()
    assert league.players.count() == 4
    hanchan = Hanchan.objects.get()
    assert hanchan.recorded_by is None
    assert hanchan.seats.count() == 4
    assert Revision.objects.filter(subject="membership", action="withdrawn", by_name=FORMER).exists()
    assert found_in(whole_database(), ["aoki"]) == []
    assert phone.get("/me/").status_code == 302


@pytest.mark.parametrize("typed", [{}, {"password": ""}, {"password": "wrong"}, {"confirm": "yes"}])
def test_account_is_not_closed_without_the_password(aoki: User, typed: dict[str, str]) -> None:
    client = client_of(aoki)
    assert "This cannot be undone." in client.get(PAGE, {"password": PASSWORD}).content.decode()
    assert "This has not been saved yet." in client.post(PAGE, typed).content.decode()
    assert User.objects.filter(pk=aoki.pk).exists()
    assert Membership.objects.filter(user=aoki).exists()


@pytest.mark.long
def test_guessing_the_password_to_close_an_account_is_throttled(aoki: User) -> None:
    client = client_of(aoki)
    for _ in range(12):
        client.post(PAGE, {"password": "wrong"})
    assert "Too many wrong passwords" in client.post(PAGE, {"password": PASSWORD}).content.decode()
    assert User.objects.filter(pk=aoki.pk).exists()


@pytest.mark.parametrize("state", ["active", "archived", "taken_down"])
def test_only_owner_of_a_league_cannot_close_their_account(league: League, aoki: User, state: str) -> None:
    League.objects.update(state=state)
    owner = User.objects.get(username="ishida")
    client = client_of(owner)
    page = client.get(PAGE).content.decode()
    assert "These leagues would have no owner" in page
    assert f"/en/l/{league.slug}/manage/members/" in page
    other = make_league("other")
    make_user("ueno", league=other, role="owner")
    set_role(league=other, user=owner, role=Membership.Role.PLAYER, by=SYSTEM)
    client.post(PAGE, {"password": PASSWORD})
    assert Membership.objects.filter(user=owner).count() == 2
    set_role(league=league, user=aoki, role=Membership.Role.OWNER, by=SYSTEM)
    assert client.post(PAGE, {"password": PASSWORD})["Location"] == "/en/"
    assert not User.objects.filter(pk=owner.pk, is_active=True).exists()


def test_only_administrator_cannot_close_their_account(league: League) -> None:
    root = make_user("root", is_superuser=True, is_staff=True)
    html = client_of(root).post(PAGE, {"password": PASSWORD}).content.decode()
    assert "You are the site&#x27;s only administrator" in html
    make_user("root2", is_superuser=True, is_staff=True)
    close_account(user=root, source="web")
    assert not User.objects.filter(username="root").exists()


def test_closing_an_account_without_password_requires_a_recent_log_in(aoki: User) -> None:
    aoki.set_unusable_password()
    aoki.save()
    client = client_of(aoki)
    session = client.session
    session[LOGGED_IN_AT] -= FRESH + 1
    session.save()
    assert "You logged in a while ago." in client.get(PAGE).content.decode()
    client.post(PAGE, {})
    assert User.objects.filter(pk=aoki.pk).exists()
    assert client_of(aoki).post(PAGE, {"sure": "on"})["Location"] == "/en/"
    assert not User.objects.filter(pk=aoki.pk, is_active=True).exists()


class KilledError(BaseException):
    """Stand-in for a killed process."""


def write_much(league: League, user: User, facts: int) -> None:
    hanchan = Hanchan.objects.filter(league=league).earliest("pk")
    changes = ((hanchan, Change(Revision.Action.CHANGED, {"note": ""}, {"note": "x"})) for _ in range(facts))
    write_revisions(league, changes, Actor(user, "web"))


def signed(user: User) -> int:
    return Revision.objects.filter(by_id=user.pk).exclude(by_name=FORMER).count()


@pytest.mark.long
def test_closing_costs_the_same_for_a_long_history(league: League, aoki: User) -> None:
    other = make_user("eguchi", league=league, role="scorer")
    write_much(league, aoki, 3000)
    with CaptureQueriesContext(connection) as few:
        close_account(user=other, source="web")
    with CaptureQueriesContext(connection) as many:
        close_account(user=aoki, source="web")
    # The player was linked to the first account, and is left without one.
    assert len(many) <= len(few) + 12
    assert signed(aoki) > 3000


@pytest.mark.parametrize("page", ["manage/history/", "g/{hanchan}/", "sessions/{session}/"])
def test_pages_show_a_former_member_at_once(league: League, aoki: User, page: str) -> None:
    hanchan = Hanchan.objects.get()
    address = f"/en/l/{league.slug}/" + page.format(hanchan=hanchan.pk, session=hanchan.session_id)
    owner = client_of(User.objects.get(username="ishida"))
    assert "aoki" in owner.get(address).content.decode()
    close_account(user=aoki, source="web")
    assert signed(aoki)
    html = owner.get(address).content.decode()
    assert "aoki" not in html
    assert FORMER in html


@pytest.mark.long
def test_long_history_is_rewritten_in_steps(league: League, aoki: User) -> None:
    write_much(league, aoki, 2600)
    close_account(user=aoki, source="web")
    left = [signed(aoki)]
    while deletion._step(aoki.pk):
        left.append(signed(aoki))
    assert max(before - after for before, after in pairwise(left)) <= 1000
    assert left[-1] == 0
    assert not ClosedAccount.objects.exists()
    assert found_in(whole_database(), ["aoki"]) == []


@pytest.mark.long
@pytest.mark.parametrize("strike", [1, 2, 3, 4, 5, 7])
def test_killed_deletion_is_resumed(league: League, aoki: User, strike: int, monkeypatch: pytest.MonkeyPatch) -> None:
    write_much(league, aoki, 1200)
    monkeypatch.setattr(deletion, "AT_ONCE", 1)
    close_account(user=aoki, source="web")
    step, steps = deletion._step, 0

    def killed(pk: int) -> bool:
        nonlocal steps
        steps += 1
        if steps == strike:
            raise KilledError
        return step(pk)

    monkeypatch.setattr(deletion, "_step", killed)
    try:
        end_account(aoki.pk)
    except KilledError:
        assert ClosedAccount.objects.exists()
    monkeypatch.setattr(deletion, "_step", step)
    assert end_account(aoki.pk)
    assert signed(aoki) == 0
    assert not User.objects.filter(pk=aoki.pk).exists()
    assert Hanchan.objects.get().recorded_by is None


def test_sweep_resumes_deletion_whose_task_died(league: League, aoki: User, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr("league.background.send", lambda *message: sent.append(message))
    close_account(user=aoki, source="web")
    sent.clear()
    sweep_closed_accounts()
    assert sent == [("accounts.end_account", aoki.pk)]
    assert end_account(aoki.pk)
    sent.clear()
    sweep_closed_accounts()
    assert sent == []


def test_name_is_erased_in_leagues_left_before(league: League, aoki: User) -> None:
    remove_member(membership=Membership.objects.get(user=aoki), by=SYSTEM)
    close_account(user=aoki, source="web")
    assert end_account(aoki.pk)
    assert found_in(whole_database(), ["aoki"]) == []


def test_next_user_of_a_user_name_keeps_it(league: League, aoki: User) -> None:
    close_account(user=aoki, source="web")
    heir = make_user("aoki")
    set_role(league=league, user=heir, role=Membership.Role.SCORER, by=Actor(heir, "web"))
    assert end_account(aoki.pk)
    told = Revision.objects.filter(subject="membership", by_id=heir.pk).get()
    assert told.by_name == "aoki"
    assert (told.after or {})["user"] == "aoki"


def test_deletion_continues_in_the_next_turn(league: League, aoki: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "A_TURN", deletion.A_TURN * 0)
    close_account(user=aoki, source="web")
    turns = 1
    while not end_account(aoki.pk):
        turns += 1
        assert turns < 50
    assert turns > 3


def test_name_in_result_after_closing_is_erased(league: League, aoki: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deletion, "LATE", timedelta(minutes=10))
    before = User.objects.get(pk=aoki.pk)
    close_account(user=aoki, source="web")
    assert not end_account(aoki.pk)
    assert found_in(whole_database(), ["aoki"]) == []
    play(Hanchan.objects.get().session, players=list(league.players.all()), by=Actor(before, "web"), round=2)
    assert not end_account(aoki.pk)
    ClosedAccount.objects.update(closed_at=timezone.now() - timedelta(minutes=11))
    assert end_account(aoki.pk)
    assert found_in(whole_database(), ["aoki"]) == []
    assert not Hanchan.objects.exclude(recorded_by=None).exists()


def test_former_user_names_are_erased_unless_reused(league: League, aoki: User) -> None:
    change_profile(user=aoki, username="another-name", full_name="")
    set_role(league=league, user=make_user("aoki"), role=Membership.Role.SCORER, by=SYSTEM)
    close_account(user=aoki, source="web")
    owner = client_of(User.objects.get(username="ishida"))
    assert "another-name" not in owner.get(f"/en/l/{league.slug}/manage/history/").content.decode()
    assert end_account(aoki.pk)
    assert found_in(whole_database(), ["another-name"]) == []
    told = Revision.objects.filter(subject="membership", after__has_key="user").order_by("pk")
    assert [(each.after or {})["user"] for each in told] == ["ishida", FORMER, "aoki"]
    assert not Revision.objects.filter(subject="player", after__user="aoki").exists()
