"""Behind a pooler that gives each transaction another connection, nothing may live longer than a transaction."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection

from league.exports.hanchan import FileLayout, hanchan_table, hanchan_within
from tests.conftest import needs_postgresql
from tests.league.factories import make_league, make_session, play
from tests.project.test_settings import POSTGRESQL, SECRET, load_settings

POOLED = "DISABLE_SERVER_SIDE_CURSORS"


@pytest.mark.long
@pytest.mark.parametrize(("said", "is_pooled"), [("on", "True"), ("off", "False"), ("", "False")])
def test_a_site_says_that_its_database_is_pooled(tmp_path: Any, said: str, is_pooled: str) -> None:
    shown = f'settings.DATABASES["default"]["{POOLED}"]'
    answer = load_settings(tmp_path, shown, SECRET_KEY=SECRET, DATABASE_URL=POSTGRESQL, DATABASE_POOLED=said)
    assert answer.stdout.strip() == is_pooled, answer.stderr


@needs_postgresql
@pytest.mark.django_db
@pytest.mark.parametrize(("is_pooled", "cursors"), [(True, 0), (False, 1)])
def test_a_long_file_leaves_no_cursor_on_a_pooled_connection(
    monkeypatch: pytest.MonkeyPatch, *, is_pooled: bool, cursors: int
) -> None:
    monkeypatch.setitem(connection.settings_dict, POOLED, is_pooled)
    monkeypatch.setattr("league.selectors.plain_rows.HANCHAN_AT_ONCE", 1)
    session = make_session(league := make_league())
    play(session)
    play(session)
    rows = hanchan_table(league, hanchan_within(league), AnonymousUser(), FileLayout()).rows()
    assert next(rows)
    assert open_cursors() == cursors
    assert len(list(rows)) == 7


def open_cursors() -> int:
    """Return how many cursors the connection holds on the server."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_cursors WHERE statement ILIKE 'declare%'")
        return int(cursor.fetchone()[0])
