import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail as post
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.services.recovery_codes import new_codes
from tests.league.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mail", "open_site")]

HASHED: list[str] = []


class CountingHasher(MD5PasswordHasher):
    def encode(self, password: str, salt: str) -> str:
        HASHED.append(password)
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def counted(settings: Any) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]


def answered(address: str, sent: dict[str, str], named: str) -> tuple[Any, ...]:
    """Return everything visible or measurable about a response, minus the submitted name."""
    HASHED.clear()
    post.outbox.clear()
    phone = Client(REMOTE_ADDR="192.0.2.10")
    with CaptureQueriesContext(connection) as asked:
        answer = phone.post(address, sent)
        page = phone.get(answer["Location"]) if answer.status_code == 302 else answer
    # Savepoints do not count as queries.
    statements = [re.split(r"\s", each["sql"], maxsplit=1)[0] for each in asked if "SAVEPOINT" not in each["sql"]]
    text = re.sub(r'value="[^"]*"', "", page.content.decode()).replace(named, "")
    cookies = sorted({*answer.cookies, *page.cookies})
    letters = [letter.to for letter in post.outbox]
    return answer.status_code, text, cookies, len(HASHED), len(letters), statements


WAYS: dict[str, Callable[[str, str], tuple[str, dict[str, str]]]] = {
    "a password": lambda name, _email: ("/en/accounts/login/", {"username": name, "password": "no"}),
    "an address and a password": lambda _name, email: ("/en/accounts/login/", {"username": email, "password": "no"}),
    "a code by mail": lambda _name, email: ("/en/accounts/code/", {"email": email}),
    "a new password": lambda _name, email: ("/en/accounts/password_reset/", {"email": email}),
    "a recovery code": lambda name, _email: ("/en/accounts/recover/", {"username": name, "code": "2222-2222"}),
    "a new account": lambda name, email: (
        "/en/accounts/signup/",
        {"username": f"{name}x", "password": "a longer secret 5", "email": email},
    ),
}


@pytest.mark.parametrize("is_verified", [True, False], ids=["verified", "as the administrator wrote it"])
@pytest.mark.parametrize("way", WAYS)
def test_known_and_unknown_users_get_the_same_response_for_the_same_work(way: str, is_verified: bool) -> None:
    for name in ("aoki", "taken"):
        user = make_user(name)
        new_codes(user)
        if is_verified:
            EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    answered(*WAYS[way]("taken", "taken@example.org"), "taken")  # fill caches
    known, unknown = (answered(*WAYS[way](name, f"{name}@example.org"), name) for name in ("aoki", "nono"))
    assert known[:5] == unknown[:5]
    assert known[5] == unknown[5]
