import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail as post
from django.core.management import CommandError
from django.test import Client

from tests.accounts.factories import code_in, html, logged_in
from tests.league.factories import PASSWORD, client_of, make_user, run

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

CODE, RECOVER, CODES = "/en/accounts/code/", "/en/accounts/recover/", "/en/accounts/recovery-codes/"


def codes_of(phone: Client) -> list[str]:
    return re.findall(r"<code>([\w-]+)</code>", phone.post(CODES).content.decode())


def recover(code: str, name: str = "aoki", phone: Client | None = None, **more: Any) -> Any:
    return (phone or Client(**more)).post(RECOVER, {"username": name, "code": code})


@pytest.mark.usefixtures("mail")
def test_code_by_mail_logs_in_and_redirects() -> None:
    user = make_user("aoki")
    phone = Client()
    page = phone.get("/en/accounts/login/?next=/en/glossary/").content.decode()
    assert "/en/accounts/code/?next=/en/glossary/" in page
    answer = phone.post(CODE, {"email": "aoki@example.org", "next": "/en/glossary/"})
    page = phone.get(answer["Location"]).content.decode()
    assert "aoki@example.org" in page
    answer = phone.post(answer["Location"], {"code": code_in(post.outbox[0])})
    assert (answer.status_code, answer["Location"]) == (302, "/en/glossary/")
    assert phone.session["_auth_user_id"] == str(user.pk)
    assert "tenbo_device" in phone.cookies


@pytest.mark.usefixtures("mail")
def test_code_by_mail_expires_and_allows_three_attempts(pass_seconds: Any) -> None:
    make_user("aoki")
    phone = Client()
    confirm = phone.post(CODE, {"email": "aoki@example.org"})["Location"]
    for _ in range(3):
        phone.post(confirm, {"code": "WRONG1"})
    assert "_auth_user_id" not in phone.session
    phone.post(confirm, {"code": code_in(post.outbox[0])})
    assert "_auth_user_id" not in phone.session
    confirm = phone.post(CODE, {"email": "aoki@example.org"})["Location"]
    pass_seconds(16 * 60)
    phone.post(confirm, {"code": code_in(post.outbox[1])})
    assert "_auth_user_id" not in phone.session


@pytest.mark.usefixtures("mail")
def test_code_by_mail_works_only_on_the_device_that_asked() -> None:
    make_user("aoki")
    Client().post(CODE, {"email": "aoki@example.org"})
    thief = Client()
    thief.post(thief.post(CODE, {"email": "nobody@example.org"})["Location"], {"code": code_in(post.outbox[0])})
    assert "_auth_user_id" not in thief.session


@pytest.mark.usefixtures("mail")
def test_code_and_reset_mails_share_one_limit() -> None:
    make_user("aoki")
    for number in range(20):
        Client(REMOTE_ADDR=f"203.0.113.{number}").post(CODE, {"email": "aoki@example.org"})
        Client(REMOTE_ADDR=f"203.0.113.{number}").post("/en/accounts/password_reset/", {"email": "aoki@example.org"})
    assert len(post.outbox) == 5


def test_site_without_mail_offers_no_mails() -> None:
    make_user("aoki")
    reset, sent = "/en/accounts/password_reset/", {"email": "aoki@example.org"}
    assert "/accounts/code/" not in html(Client(), "/en/accounts/login/")
    assert Client().post(CODE, sent)["Location"] == reset
    told = (
        html(Client(), reset),
        Client().post(reset, sent).content.decode(),
        html(logged_in(), "/en/accounts/email/"),
    )
    assert all("does not send e-mail" in page for page in told)
    assert post.outbox == []


@pytest.mark.usefixtures("mail")
def test_new_email_address_is_verified_with_a_code() -> None:
    user = make_user("aoki")
    phone = logged_in()
    assert "not verified" in phone.get("/en/accounts/email/").content.decode()
    confirm = phone.post("/en/accounts/email/", {"email": "new@example.org"})["Location"]
    user.refresh_from_db()
    assert user.email == "aoki@example.org"
    phone.post(confirm, {"code": code_in(post.outbox[0])})
    user.refresh_from_db()
    assert user.email == "new@example.org"
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("new@example.org", True)]
    phone.post("/en/accounts/email/", {"remove": "yes"})
    user.refresh_from_db()
    assert (user.email, EmailAddress.objects.count()) == ("", 0)


@pytest.mark.usefixtures("mail")
def test_adding_a_way_to_log_in_requires_the_password() -> None:
    thief = client_of(make_user("aoki"))
    answer = thief.post("/en/accounts/email/", {"email": "thief@example.org"})
    assert answer["Location"].startswith("/en/accounts/reauthenticate/")
    assert post.outbox == []
    assert "Wrong password" in thief.post(answer["Location"], {"password": "guess"}).content.decode()
    for address in ("/en/accounts/recovery-codes/", "/en/accounts/passkeys/", "/en/accounts/services/"):
        assert thief.post(address)["Location"].startswith("/en/accounts/reauthenticate/")
    assert thief.get("/en/accounts/passkeys/new/")["Location"].startswith("/en/accounts/reauthenticate/")


def test_guessing_the_password_inside_a_session_is_throttled() -> None:
    user = make_user("aoki")
    thief = client_of(user, REMOTE_ADDR="192.0.2.10")
    for turn in range(6):
        thief.post("/en/accounts/reauthenticate/", {"password": f"guess {turn}"})
        new = {"new_password1": "a longer secret 5", "new_password2": "a longer secret 5"}
        thief.post("/en/accounts/password_change/", {"old_password": f"guess {turn}"} | new)
    thief.post("/en/accounts/password_change/", {"old_password": PASSWORD} | new)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)


def test_recovery_code_logs_in_once_and_asks_for_a_new_password() -> None:
    user = make_user("aoki")
    codes = codes_of(logged_in())
    assert len({*codes}) == 10
    phone = Client()
    answer = recover(codes[3].upper().replace("-", " "), phone=phone)
    assert answer["Location"] == "/en/accounts/password_change/"
    assert "old_password" not in phone.get(answer["Location"]).content.decode()
    new = {"new_password1": "a longer secret 5", "new_password2": "a longer secret 5"}
    assert phone.post(answer["Location"], new).status_code == 302
    user.refresh_from_db()
    assert user.check_password("a longer secret 5")
    assert "old_password" in phone.get(answer["Location"]).content.decode()
    assert "do not match" in recover(codes[3]).content.decode()
    assert "9 codes are left" in phone.get(CODES).content.decode()


def test_recovery_code_works_only_for_its_active_account_until_replaced() -> None:
    user = make_user("aoki")
    make_user("ueno")
    phone = logged_in()
    old, code = codes_of(phone)[0], codes_of(phone)[0]
    for name, wrong in (("aoki", old), ("ueno", code), ("nobody", code), ("aoki", "")):
        assert recover(wrong, name).status_code == 200
    user.is_active = False
    user.save()
    assert recover(code).status_code == 200
    user.is_active = True
    user.save()
    assert recover(code).status_code == 302


def test_guessing_recovery_codes_is_throttled() -> None:
    make_user("aoki")
    code = codes_of(logged_in())[0]
    guesses = [recover("2222-2222-2222-2222", REMOTE_ADDR="192.0.2.10").status_code for _ in range(12)]
    assert guesses == [200] * 10 + [429] * 2
    assert recover(code, REMOTE_ADDR="192.0.2.10").status_code == 429
    assert recover(code, REMOTE_ADDR="198.51.100.4").status_code == 302


def test_recovery_codes_are_stored_hashed() -> None:
    make_user("aoki")
    codes = codes_of(logged_in())
    kept = str(Authenticator.objects.values_list("data", flat=True))
    assert "digests" in kept
    assert not any(code in kept for code in codes)


def test_password_link_command_makes_a_link_that_works_once() -> None:
    user = make_user("aoki")
    link = run("password_link", "aoki").split()[-1]
    phone = Client()
    page = phone.get(link, follow=True)
    new = {"new_password1": "a longer secret 5", "new_password2": "a longer secret 5"}
    assert phone.post(page.redirect_chain[-1][0], new).status_code == 302
    user.refresh_from_db()
    assert user.check_password("a longer secret 5")
    assert "new_password1" not in Client().get(link, follow=True).content.decode()


def test_password_link_command_refuses_an_unknown_user() -> None:
    with pytest.raises(CommandError, match="No open account"):
        run("password_link", "nobody")
