import time
from typing import Any
from unittest.mock import Mock

import pytest
from celery import current_app
from django.db import OperationalError, connection
from django.test import Client
from kombu.exceptions import OperationalError as BrokerIsGone

from tests.processes import free_port


@pytest.mark.django_db
def test_health_page_reports_database_and_broker(client: Client) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"database": True, "broker": True})
    assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "told"),
    [pytest.param(f"redis://127.0.0.1:{free_port()}/0", False, id="gone"), pytest.param("", None, id="none wanted")],
)
def test_missing_broker_is_not_a_failure(client: Client, settings: Any, address: str, told: object) -> None:
    settings.REDIS_URL = address
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"database": True, "broker": told})


@pytest.mark.django_db
def test_missing_database_is_a_failure(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "cursor", Mock(side_effect=OperationalError))
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["database"]) == (503, False)


@pytest.mark.django_db
def test_health_page_accepts_the_local_host(client: Client) -> None:
    assert client.get("/healthz", headers={"host": "127.0.0.1:8000"}).status_code == 200
    assert client.get("/healthz", headers={"host": "someone-else.example"}).status_code == 400


@pytest.mark.timing
def test_message_to_an_unreachable_broker_fails_quickly() -> None:
    begun = time.monotonic()
    with current_app.connection(f"redis://127.0.0.1:{free_port()}/0") as connection_, pytest.raises(BrokerIsGone):
        current_app.send_task("league.sweep_stale_periods", connection=connection_)
    assert time.monotonic() - begun < 2
