from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests.accounts.telling import AT_ONCE
from tests.league.factories import PASSWORD, make_user


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.services.notices.SETTLES", AT_ONCE)


@pytest.fixture
def mail(settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"


@pytest.fixture
def open_site(settings: Any) -> None:
    settings.SIGNUP = True


@pytest.fixture
def time_machine_at() -> Iterator[Callable[[int], None]]:
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield lambda seconds: traveller.shift(timedelta(seconds=seconds))


@pytest.fixture
def logged_in() -> Callable[[str], Client]:
    def entered(name: str) -> Client:
        make_user(name)
        client = Client()
        assert client.post("/en/accounts/login/", {"username": name, "password": PASSWORD}).status_code == 302
        return client

    return entered
