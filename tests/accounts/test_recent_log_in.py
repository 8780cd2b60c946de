import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from accounts.models import Invitation, Preferences
from league.http.reauthentication import FRESH, LOGGED_IN_AT
from league.models import League, LiveAddress, Membership
from tests.accounts.factories import make_invitation, way_in
from tests.league.entry_contexts import url
from tests.league.factories import PASSWORD, make_players, make_user

pytestmark = pytest.mark.django_db

NEW = {"new_password1": "another one of mine", "new_password2": "another one of mine"}


@pytest.fixture
def owner(league: League) -> User:
    return make_user("aoki", league=league, role="owner")


@pytest.fixture
def scorer(league: League) -> User:
    return make_user("ueno", league=league, role="scorer")


@pytest.fixture
def stale(client: Client, owner: User) -> Client:
    client.force_login(owner)
    logged_in_at(client, time.time() - FRESH - 1)
    return client


@pytest.fixture
def found(client: Client, owner: User) -> Client:
    owner.set_unusable_password()
    owner.save()
    client.force_login(owner)
    logged_in_at(client, time.time() - FRESH - 1)
    return client


def logged_in_at(client: Client, moment: float) -> None:
    session = client.session
    session[LOGGED_IN_AT] = moment
    session.save()


def role_of(user: User) -> str:
    return Membership.objects.get(user=user).role


def is_asked(answer: object) -> bool:
    where: str = getattr(answer, "headers", {}).get("Location", "")
    return where.startswith(reverse("account_reauthenticate"))


def has_password(user: User) -> bool:
    return User.objects.get(pk=user.pk).has_usable_password()


def test_first_password_is_never_kept_in_the_session(found: Client, owner: User) -> None:
    Authenticator.objects.create(user=owner, type=Authenticator.Type.WEBAUTHN, data={})
    assert found.get("/en/accounts/password_change/")["Location"].startswith("/en/accounts/reauthenticate/")
    assert found.post("/en/accounts/password_change/", NEW)["Location"] == "/en/accounts/password_change/"
    assert not has_password(owner)
    kept: dict[str, Any] = dict(found.session)
    assert NEW["new_password1"] not in str(kept), "a password waits nowhere to be read"


@pytest.mark.parametrize("address", ["password_change", "recovery_codes", "account_email", "mfa_add_webauthn"])
def test_adding_a_way_to_log_in_requires_a_recent_log_in(found: Client, owner: User, address: str) -> None:
    answer = found.post(reverse(address), NEW | {"email": "thief@example.org"})
    assert answer.status_code == 403
    assert reverse("logout") in answer.text
    assert not has_password(owner)
    assert not Authenticator.objects.exists()


def test_connecting_a_service_requires_a_recent_log_in(found: Client, settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {"line": {"APP": {"client_id": "id", "secret": "secret"}}}
    assert found.post(reverse("line_login"), {"process": "connect"}).status_code == 403
    assert found.post(reverse("line_login"), {"process": "login"}).status_code == 302


@pytest.mark.parametrize(("name", "app"), [("end", "league"), ("offer", "league"), ("export", "tournaments")])
def test_danger_without_password_requires_a_recent_log_in(found: Client, league: League, name: str, app: str) -> None:
    answer = found.get(reverse(f"{app}:{name}", args=[league.slug]))
    assert answer.status_code == 403
    assert reverse("logout") in answer.text


def test_link_to_a_high_role_requires_a_recent_log_in(stale: Client, league: League) -> None:
    for role, code_is_shown in (("owner", False), ("organiser", False), ("scorer", True)):
        made = make_invitation(league, role)
        answer = stale.get(reverse("accounts:invitation", args=[league.slug, made.pk]))
        assert (way_in(made) in answer.text) is code_is_shown
        assert answer.status_code == (200 if code_is_shown else 302)
    logged_in_at(stale, time.time())
    page = stale.get(reverse("accounts:invitation", args=[league.slug, league.invitations.get(role="owner").pk]))
    assert way_in(league.invitations.get(role="owner")) in page.text


def test_recent_log_in_without_password_may_set_one(found: Client, league: League, owner: User) -> None:
    logged_in_at(found, time.time())
    assert found.get(reverse("league:end", args=[league.slug])).status_code == 200
    assert found.post("/en/accounts/password_change/", NEW).status_code == 302
    assert User.objects.get(pk=owner.pk).check_password(NEW["new_password1"])


def test_password_change_requires_the_old_password(stale: Client) -> None:
    assert stale.get("/en/accounts/password_change/").status_code == 200
    assert stale.post("/en/accounts/password_change/", NEW | {"old_password": PASSWORD}).status_code == 302


def test_suspended_form_is_not_replayed_for_another_request(stale: Client, league: League) -> None:
    page = reverse("league:end", args=[league.slug])
    assert stale.post(page, {"name": "カマラードリーグ", "without_file": "on"}).status_code == 302
    assert stale.post(stale.get(page)["Location"], {"password": PASSWORD}).status_code == 302
    assert League.objects.get(pk=league.pk).ends_at is None


def test_user_name_cannot_be_an_email_address(found: Client, owner: User) -> None:
    User.objects.filter(pk=make_user("ueno").pk).update(email="ueno@example.org")
    form = {"username": "ueno@example.org", "called": "", "full_name": "", "language": "", "sign": "", "theme": ""}
    assert "cannot contain @" in found.post("/en/account/", form).text
    assert User.objects.get(pk=owner.pk).username == "aoki"
    answer = Client().post("/en/accounts/login/", {"username": "ueno@example.org", "password": PASSWORD})
    assert answer.status_code == 302
    found.force_login(User.objects.create_user("old@example.org", password=PASSWORD))
    assert found.post("/en/account/", form | {"username": "old@example.org", "called": "Oka"}).status_code == 302


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
        ("post", "league:members", {"username": "ueno", "role": "organiser", "seen": "scorer"}),
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


def test_whole_league_is_downloaded_from_a_page_that_stays(stale: Client, league: League) -> None:
    answer = stale.get(f"{url('export', league)}?json=1")
    assert is_asked(answer)
    page = stale.post(answer.headers["Location"], {"password": PASSWORD}, follow=True).content.decode()
    assert f'http-equiv="refresh" content="0; url={reverse("tournaments:export", args=[league.slug])}"' in page


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
    assert stale.post(answer.headers["Location"], {"password": PASSWORD}).status_code == 302
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


def test_users_without_permission_are_not_asked_for_passwords(client: Client, league: League, scorer: User) -> None:
    client.force_login(scorer)
    session = client.session
    session[LOGGED_IN_AT] = 0
    session.save()
    assert client.get(url("end", league)).status_code == 403
    assert not is_asked(Client().get(url("end", league)))
