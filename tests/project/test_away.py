"""Which errors of the database say that somebody may try again, and which are faults of ours."""

import logging
import sqlite3

import pytest
from celery import shared_task
from django.db import DatabaseError, OperationalError, connection
from django.test import RequestFactory

from config.mishaps import failed
from league.background import run_here
from tests.conftest import needs_postgresql
from tests.league.boards.test_worker import in_thread


@needs_postgresql
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "status"),
    [("53100", 503), ("53300", 503), ("55P03", 503), ("57014", 503), ("58030", 503), ("54001", 500), ("54000", 500)],
)
def test_only_what_may_go_well_in_a_moment_is_to_be_tried_again(state: str, status: int) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'said' USING ERRCODE = '{state}'; END $$")
    except DatabaseError:
        assert failed(RequestFactory().get("/")).status_code == status


def test_background_work_that_asks_for_a_missing_table_says_that_it_failed(caplog: pytest.LogCaptureFixture) -> None:
    @shared_task(name="tests.missing_table")  # type: ignore[untyped-decorator]
    def work() -> None:
        try:
            sqlite3.connect(":memory:").execute("SELECT 1 FROM nothing")
        except sqlite3.Error as error:
            raise OperationalError from error

    assert work.name == "tests.missing_table"
    logger = logging.getLogger("league.background")
    logger.addHandler(caplog.handler)
    try:
        in_thread(lambda: run_here("tests.missing_table", ())).join()
    finally:
        logger.removeHandler(caplog.handler)
    assert {record.levelname for record in caplog.records} == {"ERROR"}
