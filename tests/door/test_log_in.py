import re
from collections import Counter
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from league.models import Attempts
from league.services.attempts import TryLimit, forget_ended_attempts
from tests.league.factories import PASSWORD, make_user, run

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.usefixtures("mail")]


LOG_IN = "/en/accounts/login/"
RESET = "/en/accounts/password_reset/"
CAFE, HOME, ELSEWHERE = "192.0.2.10", "198.51.100.4", "203.0.113.9"


def log_in(client: Client, name: str, password: str, **more: Any) -> Any:
    return client.post(LOG_IN, {"username": name, "password": password}, **more)


def guess(times: int, name: str = "aoki", address: str = CAFE) -> list[int]:
    return [log_in(Client(REMOTE_ADDR=address), name, f"guess {turn}").status_code for turn in range(times)]


def test_known_device_is_not_locked_out_by_guesses_of_others() -> None:
    make_user("aoki")
    phone = Client(REMOTE_ADDR=CAFE)
    assert log_in(phone, "aoki", PASSWORD).status_code == 302
    phone.post("/en/accounts/logout/")
    assert guess(40)[-1] == 429
    assert log_in(phone, "aoki", PASSWORD).status_code == 302


def test_guessing_one_account_from_one_address_is_throttled() -> None:
    make_user("aoki")
    assert guess(12) == [200] * 10 + [429, 429]
    answer = log_in(Client(REMOTE_ADDR=CAFE), "aoki", PASSWORD)
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert "Too many attempts" in answer.content.decode()


@pytest.mark.long
def test_guessing_one_account_from_many_addresses_is_throttled() -> None:
    make_user("aoki")
    statuses = [guess(1, address=f"203.0.113.{number}")[0] for number in range(64)]
    assert statuses[:60] == [200] * 60
    assert set(statuses[60:]) == {429}


@pytest.mark.long
def test_one_address_cannot_lock_out_an_account_elsewhere(pass_seconds: Any) -> None:
    make_user("aoki")
    for _ in range(9):
        guess(12)
        assert log_in(Client(REMOTE_ADDR=HOME), "aoki", PASSWORD).status_code == 302
        pass_seconds(8 * 60)


def test_refused_attempts_store_no_more_rows() -> None:
    for number in range(40):
        guess(1, name=f"name{number}")
    assert Attempts.objects.count() == 1 + 30 * 2


@pytest.mark.long
def test_trying_one_password_on_many_accounts_is_throttled() -> None:
    make_user("aoki")
    statuses = [guess(1, name=f"name{number}")[0] for number in range(40)]
    assert 429 in statuses
    assert statuses[-1] == 429
    assert log_in(Client(REMOTE_ADDR=ELSEWHERE), "aoki", PASSWORD).status_code == 302


@pytest.mark.long
def test_correct_passwords_use_no_attempts() -> None:
    make_user("aoki")
    for _ in range(40):
        assert log_in(Client(REMOTE_ADDR=CAFE), "aoki", PASSWORD).status_code == 302


def test_known_device_is_throttled_and_known_only_for_its_accounts() -> None:
    make_user("aoki")
    make_user("ueno")
    phone = Client(REMOTE_ADDR=HOME)
    log_in(phone, "aoki", PASSWORD)
    phone.post("/en/accounts/logout/")
    assert [log_in(phone, "aoki", "no").status_code for _ in range(12)][-1] == 429
    assert guess(12, "ueno", HOME)[-1] == 429
    assert log_in(phone, "ueno", PASSWORD).status_code == 429


def test_forged_device_cookie_is_not_known() -> None:
    make_user("aoki")
    phone = Client(REMOTE_ADDR=CAFE)
    log_in(phone, "aoki", PASSWORD)
    (name,) = [name for name in phone.cookies if "device" in name]
    thief = Client(REMOTE_ADDR=CAFE)
    thief.cookies[name] = phone.cookies[name].value[:-2] + "xx"
    guess(12)
    assert log_in(thief, "aoki", PASSWORD).status_code == 429


def test_unknown_users_are_throttled_like_known_ones() -> None:
    make_user("aoki")
    assert guess(12, "aoki", CAFE) == guess(12, "nobody", HOME)


def test_admin_log_in_is_throttled_too() -> None:
    make_user("aoki", is_staff=True)
    for _ in range(12):
        Client(REMOTE_ADDR=CAFE).post("/en/admin/login/", {"username": "aoki", "password": "no"})
    answer = Client(REMOTE_ADDR=CAFE).post("/en/admin/login/", {"username": "aoki", "password": PASSWORD})
    assert answer.status_code != 302


def reset_password(phone: Client) -> None:
    phone.post(RESET, {"email": "aoki@example.org"})
    (letter,) = mail.outbox
    link = re.search(r"https?://[^/]+(/\S+)", str(letter.body))
    assert link
    page = phone.get(link[1], follow=True)
    new = {"new_password1": "a longer secret 5", "new_password2": "a longer secret 5"}
    assert phone.post(page.redirect_chain[-1][0], new).status_code == 302


def test_password_reset_unlocks_an_account() -> None:
    make_user("aoki")
    guess(12)
    phone = Client(REMOTE_ADDR=CAFE)
    reset_password(phone)
    assert log_in(phone, "aoki", "a longer secret 5").status_code == 302


@pytest.mark.long
def test_password_reset_unlocks_a_throttled_address() -> None:
    make_user("aoki")
    for number in range(40):
        guess(1, name=f"name{number}")
    phone = Client(REMOTE_ADDR=CAFE)
    reset_password(phone)
    assert log_in(phone, "aoki", "a longer secret 5").status_code == 302


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "known before"])
def test_password_reset_unlocks_a_known_device(is_known: bool) -> None:
    make_user("aoki")
    phone = Client(REMOTE_ADDR=CAFE)
    log_in(phone, "aoki", PASSWORD)
    phone.post("/en/accounts/logout/")
    assert [log_in(phone, "aoki", "no").status_code for _ in range(12)][-1] == 429
    if not is_known:
        for number in range(10):
            make_user(f"other{number}")
            log_in(phone, f"other{number}", PASSWORD)
            phone.post("/en/accounts/logout/")
    reset_password(phone)
    assert log_in(phone, "aoki", "a longer secret 5").status_code == 302


def test_host_can_reset_rate_limits() -> None:
    make_user("aoki")
    assert guess(12)[-1] == 429
    assert run("reset_rate_limits") == "3 counts removed.\n"
    assert log_in(Client(REMOTE_ADDR=CAFE), "aoki", PASSWORD).status_code == 302


def test_sweep_deletes_expired_attempts(pass_seconds: Any) -> None:
    guess(1)
    pass_seconds(60 * 60 + 1)
    guess(1, "ueno", HOME)
    assert forget_ended_attempts() == 3
    assert forget_ended_attempts() == 0


def ask(email: str, address: str) -> tuple[int, str]:
    answer = Client(REMOTE_ADDR=address).post(RESET, {"email": email})
    return answer.status_code, answer["Location"]


def test_reset_mails_are_limited_per_mailbox_with_the_same_response() -> None:
    make_user("aoki")
    answers = {ask("aoki@example.org", f"203.0.113.{number}") for number in range(20)}
    answers |= {ask("Nobody@example.org", f"203.0.113.{number}") for number in range(20)}
    assert len(answers) == 1
    assert Counter(letter.to[0] for letter in mail.outbox) == {"aoki@example.org": 5, "Nobody@example.org": 5}


def test_one_client_cannot_exhaust_anothers_mails(pass_seconds: Any) -> None:
    make_user("aoki")
    for _ in range(5):
        for _turn in range(14):
            ask("aoki@example.org", CAFE)
        mail.outbox.clear()
        ask("aoki@example.org", HOME)
        assert len(mail.outbox) == 1
        pass_seconds(50 * 60)


def test_refused_reset_mails_store_no_more_rows() -> None:
    for number in range(30):
        ask(f"name{number}@example.org", CAFE)
    assert Attempts.objects.count() == 1 + 10 * 2


def test_reset_mails_are_limited_per_client() -> None:
    for number in range(30):
        make_user(f"name{number}")
    assert len({ask(f"name{number}@example.org", CAFE) for number in range(30)}) == 1
    assert len(mail.outbox) == 10
    ask("name29@example.org", HOME)
    assert len(mail.outbox) == 11


def test_attempts_are_counted_in_the_database_and_expire(pass_seconds: Any) -> None:
    limit = TryLimit("test", tries=3, seconds=60)
    assert [limit.use("aoki") for _ in range(5)] == [True, True, True, False, False]
    assert limit.use("ishida")
    pass_seconds(61)
    assert limit.use("aoki")
