import logging
import select
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from celery import shared_task
from django.db import DatabaseError, OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client, RequestFactory

from config.errors import failed
from league.background import Message, run_here
from league.database_errors import is_away
from league.models import Hanchan
from tests.conftest import database_url, needs_postgresql
from tests.league.boards.test_worker import in_thread
from tests.league.entry_contexts import JSON, at, link_of, typed
from tests.league.factories import make_league, make_session, settle
from tests.league.races import PATIENCE


@needs_postgresql
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "status"),
    [
        *(
            (state, 503)
            for state in ("40001", "40P01", "53100", "53300", "55P03", "57014", "57P01", "57P03", "57P05", "58030")
        ),
        # The server takes no writes now: it is a replica, is being moved, or is full; or it ended an idle session.
        *((state, 503) for state in ("25006", "25P03", "25P04")),
        # A statement that is too large, one in a failed transaction, damaged files: all permanent.
        *((state, 500) for state in ("54000", "54001", "25P01", "25P02", "XX000", "XX001", "XX002", "42P01")),
    ],
)
def test_only_temporary_database_errors_answer_503(state: str, status: int) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'said' USING ERRCODE = '{state}'; END $$")
    except DatabaseError:
        assert failed(RequestFactory().get("/")).status_code == status


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_read_only_database_serves_pages_and_defers_results(caplog: pytest.LogCaptureFixture) -> None:
    league = make_league(players=4)
    link = link_of(make_session(league))
    visitor, result = Client(raise_request_exception=False), typed(league)
    with only_reading():
        assert visitor.get(f"/l/{league.slug}/").status_code == 200
        answer = visitor.post(at(link), result, headers=JSON)
        assert (answer.status_code, answer.json()["state"]) == (503, "away")
        assert int(answer.headers["Retry-After"]) > 0
        assert levels_told("league.sweep_stale_periods", caplog) == {"WARNING"}
    assert visitor.post(at(link), result, headers=JSON).status_code == 200
    assert Hanchan.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["slept in a transaction", "was ended"])
def test_connection_closed_by_the_server_is_reopened(way: str) -> None:
    own = connection.copy()
    with pytest.raises(DatabaseError) as raised:
        outlive(own, way)
    assert is_away(raised.value)
    own.close()


def outlive(own: BaseDatabaseWrapper, way: str) -> None:
    with own.cursor() as cursor:
        if way == "was ended":
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        else:
            cursor.execute("SET idle_in_transaction_session_timeout = 50")
            cursor.execute("BEGIN")
            select.select([own.connection.fileno()], [], [], PATIENCE)
        cursor.execute("SELECT 1")


@contextmanager
def only_reading() -> Iterator[None]:
    name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
    settle()
    with psycopg.connect(database_url(), autocommit=True) as other:
        other.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        connection.close()
        try:
            yield
        finally:
            other.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
            connection.close()


def test_background_task_with_a_permanent_database_error_logs_an_error(caplog: pytest.LogCaptureFixture) -> None:
    @shared_task(name="tests.missing_table")  # type: ignore[untyped-decorator]
    def work() -> None:
        try:
            sqlite3.connect(":memory:").execute("SELECT 1 FROM nothing")
        except sqlite3.Error as error:
            raise OperationalError from error

    assert work.name == "tests.missing_table"
    assert levels_told("tests.missing_table", caplog) == {"ERROR"}


def levels_told(task: str, caplog: pytest.LogCaptureFixture) -> set[str]:
    logger = logging.getLogger("league.background")
    logger.addHandler(caplog.handler)
    try:
        in_thread(lambda: run_here(Message(task))).join()
    finally:
        logger.removeHandler(caplog.handler)
    return {record.levelname for record in caplog.records if record.name == "league.background"}
