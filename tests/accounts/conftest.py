from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.accounts.mail_server import MailServer
from tests.accounts.telling import AT_ONCE, post
from tests.league.factories import make_user


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.services.notices.SETTLES", AT_ONCE)


@pytest.fixture
def open_site(settings: Any) -> None:
    settings.SIGNUP = True


@pytest.fixture
def tanaka(db: None) -> User:
    del db
    return make_user("tanaka")


@pytest.fixture
def guest(client: Client, tanaka: User) -> Client:
    client.force_login(tanaka)
    return client


@pytest.fixture
def server() -> Iterator[MailServer]:
    with post() as server:
        yield server
