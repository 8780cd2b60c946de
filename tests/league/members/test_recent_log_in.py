import time

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from accounts.models import Invitation, Preferences
from league.http.reauthentication import FRESH, LOGGED_IN_AT
from league.models import League, LiveAddress, Membership
from tests.league.entry_contexts import url
from tests.league.factories import PASSWORD, make_players, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def owner(league: League) -> User:
    return make_user("aoki", league=league, role="owner")


@pytest.fixture
def scorer(league: League) -> User:
    return make_user("ueno", league=league, role="scorer")


@pytest.fixture
def stale(client: Client, owner: User) -> Client:
    """A browser in which the owner logged in this morning."""
    client.force_login(owner)
    session = client.session
    session[LOGGED_IN_AT] = time.time() - FRESH - 1
    session.save()
    return client


def role_of(user: User) -> str:
    return Membership.objects.get(user=user).role


def is_asked(answer: object) -> bool:
    where: str = getattr(answer, "headers", {}).get("Location", "")
    return where.startswith(reverse("account_reauthenticate"))


def test_role_change_continues_after_the_password_is_confirmed(stale: Client, league: League, scorer: User) -> None:
    typed = {"username": "ueno", "role": "organiser", "seen": "scorer"}
    answer = stale.post(url("members", league), typed)
    assert is_asked(answer)
    assert role_of(scorer) == "scorer"
    wrong = stale.post(answer.headers["Location"], {"password": "not it"})
    assert (wrong.status_code, role_of(scorer)) == (200, "scorer")
    done = stale.post(answer.headers["Location"], {"password": PASSWORD})
    assert done.status_code == 302
    assert role_of(scorer) == "organiser"


@pytest.mark.parametrize(
    ("method", "name", "sent"),
    [
        ("get", "league:end", {}),
        ("post", "league:end", {"name": "カマラードリーグ", "without_file": "on"}),
        ("get", "league:offer", {}),
        ("post", "league:offer", {"to": "1", "afterwards": "leaves"}),
        ("get", "tournaments:export", {}),
        ("post", "league:live_change", {"do": "new"}),
        ("post", "league:members", {"username": "ueno", "role": "owner", "seen": "scorer"}),
        ("post", "accounts:invitations", {"role": "owner", "uses": "1", "days": "7"}),
        ("post", "accounts:invitations", {"role": "organiser", "uses": "1", "days": "7"}),
    ],
)
def test_dangerous_actions_require_a_recent_log_in(
    stale: Client, league: League, scorer: User, method: str, name: str, sent: dict[str, str]
) -> None:
    assert is_asked(getattr(stale, method)(reverse(name, args=[league.slug]), sent))
    assert role_of(scorer) == "scorer"
    assert not LiveAddress.objects.exists()
    assert not Invitation.objects.exists()
    assert League.objects.get(pk=league.pk).ends_at is None


def test_new_calendar_address_requires_a_recent_log_in(stale: Client) -> None:
    answer = stale.post(reverse("accounts:calendar_change"), {"do": "new"})
    assert is_asked(answer)
    assert not Preferences.objects.exists()
    stale.post(answer.headers["Location"], {"password": PASSWORD})
    assert Preferences.objects.get().user.username == "aoki"
    assert not is_asked(stale.post(reverse("accounts:calendar_change"), {"do": "revoke"}))


def test_erasing_a_name_requires_a_recent_log_in(stale: Client, league: League) -> None:
    player = make_players(league, 1)[0]
    page = url("player_erase", league, player.pk)
    assert stale.get(page).status_code == 200
    answer = stale.post(page, {"reason": "asked for it", "confirm": player.name})
    assert is_asked(answer)
    assert league.players.filter(pk=player.pk, erased_at=None).exists()
    done = stale.post(answer.headers["Location"], {"password": PASSWORD})
    assert done.status_code == 302
    assert not league.players.filter(pk=player.pk, erased_at=None).exists()
    assert stale.get(page).status_code == 302


def test_harmless_actions_do_not_require_a_recent_log_in(stale: Client, league: League, scorer: User) -> None:
    assert stale.get(url("members", league)).status_code == 200
    assert not is_asked(stale.post(url("members", league), {"username": "ueno", "role": "player", "seen": "scorer"}))
    assert role_of(scorer) == "player"
    assert not is_asked(stale.post(url("live_change", league), {"do": "revoke"}))
    assert not is_asked(stale.post(url("leave", league)))
    assert not is_asked(
        stale.post(reverse("accounts:invitations", args=[league.slug]), {"role": "player", "uses": "1", "days": "7"})
    )


def test_recent_log_in_is_not_asked_for_the_password(league: League, owner: User) -> None:
    client = Client()
    client.post(reverse("login"), {"username": "aoki", "password": PASSWORD, "login": "aoki"})
    assert client.get(url("end", league)).status_code == 200


def test_users_without_permission_are_refused_without_asking_for_the_password(
    client: Client, league: League, scorer: User
) -> None:
    client.force_login(scorer)
    session = client.session
    session[LOGGED_IN_AT] = 0
    session.save()
    assert client.get(url("end", league)).status_code == 403
    assert not is_asked(Client().get(url("end", league)))
