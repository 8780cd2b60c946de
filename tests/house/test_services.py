"""The parts are real."""

import os

import pytest
from django.db import connection
from redis import Redis


@pytest.mark.django_db
def test_database_is_a_real_postgresql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        assert cursor.fetchone()[0].startswith("PostgreSQL")


def test_broker_is_a_real_redis() -> None:
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        broker.set("tenbo", "点棒")
        assert broker.get("tenbo") == "点棒".encode()
