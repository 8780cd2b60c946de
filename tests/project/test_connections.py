"""A connection that the server has ended is noticed before a page is asked of it, and no question is spent on that."""

from typing import Any

import psycopg
import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from tests.conftest import needs_postgresql

pytestmark = [pytest.mark.django_db, needs_postgresql]


@pytest.fixture
def other() -> psycopg.Connection[tuple[object, ...]]:
    """A connection that looks on from outside."""
    settings = connection.get_connection_params()
    return psycopg.connect(
        host=settings["host"], port=settings["port"], user=settings["user"], dbname=settings["dbname"], autocommit=True
    )


def pid_of(own: BaseDatabaseWrapper) -> int:
    with own.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def test_a_connection_that_works_is_not_asked_whether_it_does(other: psycopg.Connection[tuple[object, ...]]) -> None:
    own = connection.copy()
    pid = pid_of(own)
    assert own.is_usable()
    asked = other.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone()
    assert asked == ("SELECT pg_backend_pid()",)
    own.close()
    other.close()


def test_a_connection_that_the_server_ended_is_made_anew(other: psycopg.Connection[tuple[object, ...]]) -> None:
    own: Any = connection.copy()
    own.settings_dict = {**own.settings_dict, "CONN_HEALTH_CHECKS": True, "CONN_MAX_AGE": None}
    pid = pid_of(own)
    other.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
    assert not own.is_usable()
    # As at the beginning of a request.
    own.health_check_enabled, own.health_check_done = True, False
    assert pid_of(own) != pid
    own.close()
    other.close()
