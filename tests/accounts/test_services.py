import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.socialaccount.providers.discord.views import DiscordOAuth2Adapter
from allauth.socialaccount.providers.line.views import LineOAuth2Adapter
from django.conf import settings as site
from django.contrib.auth.models import User
from django.test import Client

from config import environment
from tests.accounts.factories import logged_in
from tests.league.factories import client_of, make_user

pytestmark = pytest.mark.django_db

SAID: dict[str, Any] = {}
"""Claims that the identity provider sends."""


class OtherService(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self._answer({"access_token": "a token", "expires_in": 600, "token_type": "Bearer"})

    def do_GET(self) -> None:
        self._answer(SAID)

    def _answer(self, said: dict[str, Any]) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_given: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), OtherService)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def _keys(settings: Any, service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("LINE", "DISCORD"):
        monkeypatch.setenv(f"{key}_KEY", f"{key} id:{key} secret")
    settings.SOCIALACCOUNT_PROVIDERS = environment.services({"line": ["profile"], "discord": ["identify"]})
    settings.SIGNUP = True
    for adapter in (LineOAuth2Adapter, DiscordOAuth2Adapter):
        monkeypatch.setattr(adapter, "access_token_url", f"{service}/token")
        monkeypatch.setattr(adapter, "profile_url", f"{service}/me")
    SAID.clear()


def log_in_through(phone: Client, key: str, process: str = "login", **said: Any) -> Any:
    SAID.update(said)
    there = phone.post(f"/en/accounts/{key}/login/", {"process": process, "next": "/en/glossary/"})
    assert there.status_code == 302
    asked = parse_qs(urlsplit(there["Location"]).query)
    assert "email" not in asked["scope"][0]
    return phone.get(f"/en/accounts/{key}/login/callback/", {"code": "a code", "state": asked["state"][0]}, follow=True)


def user_name_of(phone: Client) -> str:
    number = phone.session.get("_auth_user_id")
    return User.objects.get(pk=number).username if number else ""


def test_services_are_offered_only_with_configured_keys(settings: Any) -> None:
    page = Client().get("/en/accounts/login/").content.decode()
    assert "Continue with LINE" in page
    assert "Continue with Discord" in page
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert "Continue with" not in Client().get("/en/accounts/login/").content.decode()
    for address in ("line/login/", "discord/login/callback/"):
        assert Client().get(f"/en/accounts/{address}").status_code == 404


@pytest.mark.parametrize(
    ("keys", "said"),
    [(("line", "discord"), "LINE and Discord"), (("discord",), "Discord"), (("line",), "LINE"), ((), "")],
)
def test_account_page_names_the_configured_services(settings: Any, keys: tuple[str, ...], said: str) -> None:
    make_user("aoki")
    phone = logged_in()
    settings.SOCIALACCOUNT_PROVIDERS = {key: settings.SOCIALACCOUNT_PROVIDERS[key] for key in keys}
    page = phone.get("/en/account/").content.decode()
    assert ("/en/accounts/services/" in page) == bool(said)
    assert f">{said}</a>" in page or not said
    for name in ("LINE", "Discord"):
        assert (name in page) == (name in said)
    page = phone.get("/en/accounts/services/").content.decode()
    assert f"<h1>{said or 'Other services'}</h1>" in page
    for name in ("LINE", "Discord"):
        assert (name in page) == (name in said)


def test_csp_allows_no_other_form_targets_without_keys() -> None:
    assert site.CONTENT_SECURITY_POLICY["DIRECTIVES"]["form-action"] == ["'self'"]


@pytest.mark.parametrize(
    ("key", "said"), [("line", {"userId": "U1", "displayName": "さくら"}), ("discord", {"id": "7"})]
)
def test_new_user_of_a_service_chooses_a_user_name_once(key: str, said: dict[str, str]) -> None:
    phone = Client()
    assert "Choose a name" in log_in_through(phone, key, **said).content.decode()
    answer = phone.post("/en/accounts/services/signup/", {"username": "sakura"})
    assert (user_name_of(phone), answer["Location"]) == ("sakura", "/en/glossary/")
    other = Client()
    assert log_in_through(other, key, **said).redirect_chain[-1][0] == "/en/glossary/"
    assert user_name_of(other) == "sakura"
    assert SocialToken.objects.count() == 0


def test_sign_up_by_a_service_requires_an_invitation(settings: Any) -> None:
    settings.SIGNUP = False
    phone = Client()
    assert "You need an invitation" in log_in_through(phone, "line", userId="U1").content.decode()
    assert (user_name_of(phone), User.objects.count()) == ("", 0)


@pytest.mark.parametrize("is_verified_there", [True, False])
@pytest.mark.parametrize("is_verified_here", [True, False])
@pytest.mark.parametrize("key", ["discord", "line"])
def test_address_of_service_takes_over_no_account(key: str, is_verified_here: bool, is_verified_there: bool) -> None:
    victim = make_user("aoki")
    EmailAddress.objects.create(user=victim, email=victim.email, verified=is_verified_here, primary=True)
    thief = Client()
    said = {"id": "666", "userId": "U666", "email": victim.email, "username": "aoki"}
    log_in_through(thief, key, **said, verified=is_verified_there)
    assert user_name_of(thief) == ""
    thief.post("/en/accounts/services/signup/", {"username": "aoki", "email": victim.email})
    assert user_name_of(thief) == ""
    thief.post("/en/accounts/services/signup/", {"username": "thief", "email": victim.email})
    assert user_name_of(thief) == "thief"
    assert User.objects.get(username="thief").email == ""
    assert [(each.user, each.email) for each in EmailAddress.objects.all()] == [(victim, victim.email)]
    assert not SocialAccount.objects.filter(user=victim).exists()


def test_logged_in_user_connects_and_disconnects_a_service() -> None:
    make_user("aoki")
    phone = logged_in()
    page = log_in_through(phone, "line", process="connect", userId="U1", displayName="あおき").content.decode()
    assert "The service was connected" in page
    page = phone.get("/en/accounts/services/").content.decode()
    assert "Continue with LINE" not in page
    assert SocialAccount.objects.get().user.username == "aoki"
    other = Client()
    log_in_through(other, "line", userId="U1")
    assert user_name_of(other) == "aoki"
    phone.post("/en/accounts/services/", {"service": "line"})
    assert not SocialAccount.objects.exists()


def test_connecting_a_service_requires_the_password() -> None:
    log_in_through(client_of(make_user("aoki")), "line", process="connect", userId="U666")
    assert not SocialAccount.objects.exists()


def test_service_account_is_connected_to_one_user_only() -> None:
    make_user("aoki")
    make_user("ueno")
    log_in_through(logged_in("aoki"), "line", process="connect", userId="U1")
    log_in_through(logged_in("ueno"), "line", process="connect", userId="U1")
    assert SocialAccount.objects.get().user.username == "aoki"


def test_only_way_to_log_in_cannot_be_disconnected() -> None:
    phone = Client()
    log_in_through(phone, "line", userId="U1")
    phone.post("/en/accounts/services/signup/", {"username": "sakura"})
    page = phone.post("/en/accounts/services/", {"service": "line"}, follow=True).content.decode()
    assert "This is your only way to log in" in page
    assert SocialAccount.objects.count() == 1


@pytest.mark.parametrize("given", [{}, {"code": "a code"}, {"code": "a code", "state": "made up"}, {"error": "x"}])
def test_unrequested_callback_is_refused(given: dict[str, str]) -> None:
    phone = Client()
    answer = phone.get("/en/accounts/line/login/callback/", given)
    assert answer.status_code == 401
    assert "Log in" in answer.content.decode()
    assert user_name_of(phone) == ""


def test_cancelled_service_log_in_says_so() -> None:
    phone = Client()
    there = phone.post("/en/accounts/line/login/", {"process": "login"})
    state = parse_qs(urlsplit(there["Location"]).query)["state"][0]
    page = phone.get("/en/accounts/line/login/callback/", {"error": "access_denied", "state": state}, follow=True)
    assert "You cancelled" in page.content.decode()
