import json
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from tests.accounts.factories import logged_in
from tests.conftest import OpenPage
from tests.league.factories import PASSWORD, make_user

NOBODY_THERE = {"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": {}}


@pytest.fixture
def phone(open_page: OpenPage, live_server: LiveServer, transactional_db: None) -> tuple[Page, str]:
    """Return a page with a virtual authenticator that always verifies the user, and a site address with a host name."""
    del transactional_db
    page = open_page()
    device = page.context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    answering = {"isUserVerified": True, "automaticPresenceSimulation": True}
    device.send("WebAuthn.addVirtualAuthenticator", {"options": options | answering})
    return page, live_server.url.replace("127.0.0.1", "localhost")


@pytest.mark.long
@pytest.mark.browser
def test_passkey_is_created_and_used_to_log_in_and_to_confirm(phone: tuple[Page, str]) -> None:
    page, site = phone
    make_user("aoki")
    page.goto(f"{site}/en/accounts/login/")
    page.fill("[name=username]", "aoki")
    page.fill("[name=password]", PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url(lambda url: "/login/" not in url)
    page.goto(f"{site}/en/accounts/passkeys/")
    page.get_by_role("link", name="Add a passkey").click()
    page.fill("[name=name]", "my phone")
    page.get_by_role("button", name="Create passkey").click()
    page.wait_for_url(f"{site}/en/accounts/passkeys/")
    assert page.input_value("[name=name]") == "my phone"
    page.context.clear_cookies()
    page.goto(f"{site}/en/accounts/login/?next=/en/accounts/recovery-codes/")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.wait_for_url(f"{site}/en/accounts/recovery-codes/")
    page.get_by_role("button", name="Create ten new codes").click()
    page.wait_for_selector("ul.codes")
    assert page.locator("ul.codes li").count() == 10
    page.goto(f"{site}/en/accounts/reauthenticate/passkey/?next=/en/accounts/devices/")
    page.get_by_role("button", name="Use passkey").click()
    page.wait_for_url(f"{site}/en/accounts/devices/")


@pytest.mark.long
@pytest.mark.browser
def test_sign_up_with_a_passkey_needs_no_password(phone: tuple[Page, str], settings: Any) -> None:
    settings.SIGNUP = True
    page, site = phone
    page.goto(f"{site}/accounts/signup/?next=/glossary/")
    page.fill("[name=username]", "さくら")
    page.get_by_role("button", name="パスキー").click()
    page.wait_for_url(f"{site}/accounts/passkeys/new/*")
    page.get_by_role("button", name="パスキーを作成").click()
    page.wait_for_url(f"{site}/glossary/")
    page.context.clear_cookies()
    page.goto(f"{site}/accounts/login/?next=/glossary/")
    page.get_by_role("button", name="パスキーでログイン").click()
    page.wait_for_url(f"{site}/glossary/")
    assert "さくら" in page.content()
    assert Authenticator.objects.get().user.username == "さくら"


@pytest.mark.long
@pytest.mark.browser
def test_device_without_a_passkey_shows_an_error(phone: tuple[Page, str]) -> None:
    page, site = phone
    page.goto(f"{site}/en/accounts/login/")
    page.get_by_role("button", name="Log in with a passkey").click()
    page.get_by_text("The device did not provide a passkey").wait_for()
    assert page.locator("[name=username]").is_visible()


@pytest.mark.long
@pytest.mark.browser
def test_log_in_page_explains_passkeys(open_page: OpenPage, live_server: LiveServer, transactional_db: None) -> None:
    del transactional_db
    page = open_page(java_script_enabled=False)
    page.goto(f"{live_server.url}/en/accounts/login/")
    assert page.get_by_text("Passkeys need JavaScript").is_visible()
    assert not page.get_by_role("button", name="Log in with a passkey").is_visible()


def make_passkey(user: User, name: str = "phone") -> Authenticator:
    passkey: Authenticator = Authenticator.objects.create(user=user, type="webauthn", data={"name": name})
    return passkey


@pytest.mark.django_db
@pytest.mark.parametrize(
    "sent",
    ["", "x", "[]", "7", "null", '"x"', "{}", json.dumps(NOBODY_THERE), json.dumps(NOBODY_THERE | {"response": 7}),
     json.dumps(NOBODY_THERE | {"response": {"userHandle": "enp6enp6enp6enp6", "clientDataJSON": "e30",
                                             "authenticatorData": "AAAA", "signature": "AAAA"}}),
     json.dumps(NOBODY_THERE | {"response": {"userHandle": None, "clientDataJSON": "AAAA",
                                             "authenticatorData": "A" * 60, "signature": "!"}})],
)  # fmt: skip
def test_invalid_passkey_responses_are_refused(sent: str) -> None:
    make_user("aoki")
    phone = Client()
    phone.get("/en/accounts/passkey/")
    answer = phone.post("/en/accounts/passkey/", {"credential": sent})
    assert answer.status_code == 200
    assert "That did not work" in answer.content.decode()
    assert "_auth_user_id" not in phone.session
    phone.post("/en/accounts/login/", {"username": "aoki", "password": PASSWORD})
    phone.get("/en/accounts/passkeys/new/")
    assert phone.post("/en/accounts/passkeys/new/", {"credential": sent}).status_code == 200
    assert not Authenticator.objects.exists()


@pytest.mark.long
@pytest.mark.django_db
def test_passkey_challenges_are_limited() -> None:
    statuses = [Client(REMOTE_ADDR="192.0.2.10").get("/en/accounts/passkey/").status_code for _ in range(122)]
    assert statuses == [200] * 120 + [429] * 2


@pytest.mark.django_db
def test_passkeys_are_renamed_and_removed_except_the_only_way_to_log_in() -> None:
    user = make_user("aoki")
    phone = logged_in()
    first, second = make_passkey(user), make_passkey(user, "key")
    phone.post("/en/accounts/passkeys/", {"passkey": first.pk, "name": " desk "})
    first.refresh_from_db()
    assert first.data["name"] == "desk"
    phone.post("/en/accounts/passkeys/", {"passkey": first.pk, "remove": "yes"})
    assert [*Authenticator.objects.all()] == [second]
    user.set_unusable_password()
    user.save()
    session = phone.session
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    page = phone.post("/en/accounts/passkeys/", {"passkey": second.pk, "remove": "yes"}, follow=True)
    assert "This is your only way to log in" in page.content.decode()
    assert [*Authenticator.objects.all()] == [second]


@pytest.mark.django_db
@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 40, "２"])
def test_passkeys_of_other_users_cannot_be_removed(number: str) -> None:
    theirs = make_passkey(make_user("ueno"))
    make_user("aoki")
    phone = logged_in()
    for sent in (number, str(theirs.pk)):
        assert phone.post("/en/accounts/passkeys/", {"passkey": sent, "remove": "yes"}).status_code == 302
    assert [*Authenticator.objects.all()] == [theirs]
