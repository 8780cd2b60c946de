"""Behind a pooler that gives each transaction another connection, nothing may live longer than a transaction."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection

from league.exports.hanchan import FileLayout, hanchan_table, hanchan_within
from league.models import League
from league.selectors.addresses import league_at
from league.selectors.moment import one_moment
from league.services.backups.rows import row_chunks
from league.services.backups.tables import applied_migrations, tables_at
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


@needs_postgresql
@pytest.mark.django_db
def test_a_backup_reads_with_a_cursor_that_lives_as_long_as_its_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, POOLED, True)
    monkeypatch.setattr("league.services.backups.rows.ROWS_AT_ONCE", 1)
    make_league("first")
    make_league("second")
    [table] = [each for each in tables_at(applied_migrations()) if each.name == "league_league"]
    with one_moment():
        chunks = row_chunks(table)
        assert len(next(chunks)) == 1
        assert open_cursors() == 1
        with connection.cursor() as cursor:
            cursor.execute("SELECT bool_or(is_holdable) FROM pg_cursors WHERE name LIKE '\\_django\\_curs\\_%'")
            assert cursor.fetchone() == (False,)
        assert len([*chunks]) == 1
    assert open_cursors() == 0


@needs_postgresql
@pytest.mark.django_db
@pytest.mark.parametrize(("is_pooled", "kept"), [(True, 0), (False, 1)])
def test_what_every_page_asks_is_planned_once_unless_the_connection_is_pooled(
    monkeypatch: pytest.MonkeyPatch, *, is_pooled: bool, kept: int
) -> None:
    monkeypatch.setitem(connection.settings_dict, POOLED, is_pooled)
    league = make_league()
    for _ in range(3):
        assert league_at(league.slug) == league
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_prepared_statements WHERE statement LIKE '%FROM league_league AS%'")
        assert cursor.fetchone()[0] == kept


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_migration_that_changes_a_column_meanwhile_costs_no_page() -> None:
    league = make_league()
    assert league_at(league.slug) == league
    field = League._meta.get_field("name_en")
    try:
        somebody_else("ALTER TABLE league_league ALTER COLUMN name_en TYPE text")
        assert league_at(league.slug) == league
    finally:
        somebody_else(f"ALTER TABLE league_league ALTER COLUMN name_en TYPE {field.db_type(connection)}")


def somebody_else(statement: str) -> None:
    """Run a statement on a connection of its own."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute(statement)
    finally:
        other.close()


def open_cursors() -> int:
    """Return how many cursors the connection holds on the server."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_cursors WHERE statement ILIKE 'declare%'")
        return int(cursor.fetchone()[0])
