import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from league.http.reauthentication import FRESH, LOGGED_IN_AT
from league.models import League
from tests.accounts.factories import make_invitation, way_in
from tests.league.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db

NEW = {"new_password1": "another one of mine", "new_password2": "another one of mine"}


@pytest.fixture
def owner(league: League) -> User:
    user = make_user("aoki", league=league, role="owner")
    user.set_unusable_password()
    user.save()
    return user


@pytest.fixture
def found(client: Client, owner: User) -> Client:
    """A browser in which the owner logged in this morning."""
    client.force_login(owner)
    logged_in_at(client, time.time() - FRESH - 1)
    return client


def logged_in_at(client: Client, moment: float) -> None:
    session = client.session
    session[LOGGED_IN_AT] = moment
    session.save()


def set_password(owner: User, client: Client) -> None:
    owner.set_password(PASSWORD)
    owner.save()
    client.force_login(owner)
    logged_in_at(client, 0)


def has_password(user: User) -> bool:
    return User.objects.get(pk=user.pk).has_usable_password()


def test_first_password_is_never_kept_in_the_session(found: Client, owner: User) -> None:
    Authenticator.objects.create(user=owner, type=Authenticator.Type.WEBAUTHN, data={})
    asked = found.get("/en/accounts/password_change/")
    assert asked["Location"].startswith("/en/accounts/reauthenticate/")
    sent = found.post("/en/accounts/password_change/", NEW)
    assert sent["Location"] == "/en/accounts/password_change/"
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
def test_dangerous_action_without_password_requires_a_recent_log_in(
    found: Client, league: League, name: str, app: str
) -> None:
    answer = found.get(reverse(f"{app}:{name}", args=[league.slug]))
    assert answer.status_code == 403
    assert reverse("logout") in answer.text


def test_link_to_a_high_role_requires_a_recent_log_in(found: Client, league: League, owner: User) -> None:
    set_password(owner, found)
    for role, code_is_shown in (("owner", False), ("organiser", False), ("scorer", True)):
        made = make_invitation(league, role)
        answer = found.get(reverse("accounts:invitation", args=[league.slug, made.pk]))
        assert (way_in(made) in answer.text) is code_is_shown
        assert answer.status_code == (200 if code_is_shown else 302)
    logged_in_at(found, time.time())
    page = found.get(reverse("accounts:invitation", args=[league.slug, league.invitations.get(role="owner").pk]))
    assert way_in(league.invitations.get(role="owner")) in page.text


def test_recent_log_in_without_password_may_set_one(found: Client, league: League, owner: User) -> None:
    logged_in_at(found, time.time())
    assert found.get(reverse("league:end", args=[league.slug])).status_code == 200
    assert found.post("/en/accounts/password_change/", NEW).status_code == 302
    assert User.objects.get(pk=owner.pk).check_password(NEW["new_password1"])


def test_password_change_requires_the_old_password(found: Client, owner: User) -> None:
    set_password(owner, found)
    assert found.get("/en/accounts/password_change/").status_code == 200
    assert found.post("/en/accounts/password_change/", NEW | {"old_password": PASSWORD}).status_code == 302


def test_suspended_form_is_not_replayed_for_another_request(found: Client, league: League, owner: User) -> None:
    set_password(owner, found)
    page = reverse("league:end", args=[league.slug])
    assert found.post(page, {"name": "カマラードリーグ", "without_file": "on"}).status_code == 302
    asked = found.get(page)
    assert found.post(asked["Location"], {"password": PASSWORD}).status_code == 302
    assert League.objects.get(pk=league.pk).ends_at is None


def test_user_name_cannot_be_an_email_address(found: Client, owner: User) -> None:
    victim = make_user("ueno")
    User.objects.filter(pk=victim.pk).update(email="ueno@example.org")
    form = {"username": "ueno@example.org", "called": "", "full_name": "", "language": "", "sign": "", "theme": ""}
    assert "cannot contain @" in found.post("/en/account/", form).text
    assert User.objects.get(pk=owner.pk).username == "aoki"
    answer = Client().post("/en/accounts/login/", {"username": "ueno@example.org", "password": PASSWORD})
    assert answer.status_code == 302
    kept = User.objects.create_user("old@example.org", password=PASSWORD)
    found.force_login(kept)
    assert found.post("/en/account/", form | {"username": "old@example.org", "called": "Oka"}).status_code == 302
