import logging
import re
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import PBKDF2PasswordHasher, identify_hasher
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client

from league.models import League
from tests.accounts.factories import logged_in
from tests.league.entry_contexts import url
from tests.league.factories import PASSWORD, client_of, make_league, make_user
from tests.project.test_settings import SECRET, load_settings

pytestmark = pytest.mark.django_db

LOG_IN = "/accounts/login/"
PUBLIC = ("/", "/l/camarade/", "/accounts/login/", "/nothing/here/", "/sw.js", "/manifest.webmanifest", "/healthz")


@pytest.mark.parametrize("address", PUBLIC)
def test_every_response_has_security_headers(address: str) -> None:
    make_league()
    headers = Client().get(address).headers
    policy = headers["Content-Security-Policy"]
    for directive in ("object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"):
        assert directive in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers
    assert headers.get("Content-Type", "").partition(";")[0]


@pytest.mark.long
def test_production_cookies_are_sent_only_over_https(tmp_path: Any) -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS")
    shown = ", ".join(f"settings.{name}" for name in (*names, "SECURE_HSTS_INCLUDE_SUBDOMAINS", "DEBUG"))
    assert load_settings(tmp_path, shown, SECRET_KEY=SECRET).stdout == "True True True 31536000 True False\n"


def test_cookies_are_same_site_and_hidden_from_scripts(settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    make_user("aoki")
    client = Client()
    client.get(LOG_IN)
    client.post(LOG_IN, {"username": "aoki", "password": PASSWORD})
    assert {"sessionid", "csrftoken", "tenbo_device"} <= set(client.cookies)
    for name, cookie in client.cookies.items():
        assert (cookie["secure"], cookie["samesite"], cookie["domain"]) == (True, "Lax", ""), name
        # The outbox sends with the open page's token.
        assert bool(cookie["httponly"]) is (name != "csrftoken")
        assert len(name) + len(cookie.value) < 4096


def test_http_redirects_to_https_except_for_health_checks(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/")["Location"] == "https://testserver/"
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/metrics").status_code == 404
    assert "max-age" not in Client().get("/healthz").headers.get("Strict-Transport-Security", "")


@pytest.mark.parametrize("name", ["settings", "player_new", "session_new", "members", "rebuild", "league_state"])
def test_form_of_another_site_is_refused(league: League, name: str) -> None:
    make_user("aoki", league=league, role="owner")
    owner = client_of(User.objects.get(), enforce_csrf_checks=True)
    address = url(name, league)
    assert owner.post(address, {"name": "x"}, headers={"Origin": "https://elsewhere.example"}).status_code == 403
    assert owner.post(address, {"name": "x", "csrfmiddlewaretoken": "a" * 64}).status_code == 403


@pytest.mark.parametrize("address", [LOG_IN, "/account/delete/", "/join/aaaaaaaaaaaaaaaaaaaaaaaaaa/"])
def test_other_sites_cannot_log_in_or_out(address: str) -> None:
    visitor = client_of(make_user("aoki"), enforce_csrf_checks=True)
    assert visitor.post(address, {"username": "aoki", "password": PASSWORD}).status_code == 403


@pytest.mark.parametrize(
    "target",
    ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "javascript:alert(1)", "\thttps:x"],
)
def test_log_in_never_redirects_to_another_site(target: str) -> None:
    make_user("aoki")
    assert Client().post(LOG_IN, {"username": "aoki", "password": PASSWORD, "next": target})["Location"] == "/me/"


@pytest.mark.parametrize("host", ["elsewhere.example", "testserver.elsewhere.example", "testserver@elsewhere.example"])
def test_unknown_host_is_refused(host: str, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    make_user("aoki")
    sent = {"email": "aoki@example.org"}
    assert Client().post("/accounts/password_reset/", sent, headers={"Host": host}).status_code == 400


def test_log_in_starts_a_new_session() -> None:
    make_user("aoki")
    client = Client()
    client.cookies["sessionid"] = "a" * 32
    client.post(LOG_IN, {"username": "aoki", "password": PASSWORD})
    assert re.fullmatch(r"[a-z0-9]{32}", client.cookies["sessionid"].value)
    assert client.cookies["sessionid"].value != "a" * 32


def test_log_out_ends_a_stolen_session(league: League) -> None:
    make_user("aoki", league=league, role="owner")
    client = logged_in()
    stolen = Client()
    stolen.cookies["sessionid"] = client.cookies["sessionid"].value
    inside = url("manage", league)
    assert stolen.get(inside).status_code == 200
    client.post("/accounts/logout/")
    assert stolen.get(inside).status_code == 302


@pytest.mark.parametrize("password", ["short 7", "password", "12345678", "football", "aoki@example.org"])
def test_common_passwords_are_refused(password: str) -> None:
    with pytest.raises(ValidationError):
        validate_password(password, make_user("aoki"))


@pytest.mark.parametrize(
    "password", ["correct horse", "あおきひなたのあいことば", "🀄🀅🀆🀇🀈🀉🀊🀋", "x7" * 50, " leading and trailing "]
)
def test_passwords_of_any_characters_and_length_are_accepted(password: str) -> None:
    user = make_user("aoki")
    validate_password(password, user)
    user.set_password(password)
    user.save()
    for given, status in ((password, 302), (password.swapcase() + "x", 200)):
        assert Client().post(LOG_IN, {"username": "aoki", "password": given}).status_code == status


@pytest.mark.long
def test_production_passwords_are_hashed_slowly(tmp_path: Any) -> None:
    answer = load_settings(tmp_path, "getattr(settings, 'PASSWORD_HASHERS', 'as Django does')", SECRET_KEY=SECRET)
    assert answer.stdout == "as Django does\n"
    assert PBKDF2PasswordHasher.iterations >= 600_000
    assert identify_hasher(make_user("aoki").password).algorithm == "pbkdf2_sha256"


def test_log_ins_are_logged_in_one_line_without_passwords(caplog: pytest.LogCaptureFixture) -> None:
    make_user("aoki")
    with caplog.at_level(logging.INFO, logger="league.http.log_ins"):
        Client(REMOTE_ADDR="192.0.2.1").post(LOG_IN, {"username": "aoki", "password": PASSWORD})
        for _ in range(12):
            Client(REMOTE_ADDR="192.0.2.1").post(LOG_IN, {"username": "ao\nki\r\u2028", "password": "hush, a secret"})
    lines = [record.getMessage() for record in caplog.records if record.name == "league.http.log_ins"]
    assert sum("failed" in line for line in lines) == 10
    assert sum("too many" in line for line in lines) == 2
    assert all("192.0.2.1" in line for line in lines)
    assert not any(secret in line for line in lines for secret in ("hush", PASSWORD, "\n", "\r", "\u2028"))


def test_error_page_reveals_no_details(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.http.access.league_at", Mock(side_effect=RuntimeError("SELECT secret FROM tables")))
    answer = Client(raise_request_exception=False).get(f"/l/{league.slug}/")
    assert answer.status_code == 500
    assert "SELECT" not in answer.content.decode()
    assert "RuntimeError" not in answer.content.decode()


def test_form_fields_cannot_raise_privileges(league: League) -> None:
    make_user("aoki", league=league, role="organiser")
    client = logged_in()
    sent = {"name": "新人", "visibility": "public", "key": "chosen", "user": "1", "league": "2", "is_superuser": "on"}
    client.post(url("player_new", league), sent)
    player = league.players.get(name="新人")
    assert (player.key == "chosen", player.user_id, player.league_id) == (False, None, league.pk)
    assert not get_user_model().objects.filter(is_superuser=True).exists()


def test_password_field_is_masked_and_allows_pasting() -> None:
    page = Client().get(LOG_IN).content.decode()
    (field,) = re.findall(r'<input type="password"[^>]*>', page)
    assert 'autocomplete="current-password"' in field
    assert "onpaste" not in page


def test_refused_requests_are_logged(league: League, caplog: pytest.LogCaptureFixture) -> None:
    make_user("aoki", league=league, role="player")
    with caplog.at_level(logging.WARNING, logger="django.request"):
        logged_in().get(url("members", league))
    assert any("Forbidden" in record.getMessage() for record in caplog.records)
