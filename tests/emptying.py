"""Empties the database after a test that commits: rows go only from tables that have any.

Django's own flush empties every table and then stores content types and permissions again, which took eight times as long.
These two tables are kept here: they follow from the models, and no test changes them.
"""

from functools import cache
from typing import Any

from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

KEPT = frozenset({"django_content_type", "auth_permission"})


def empty_after(case: TransactionTestCase) -> None:
    """Empty every database that a test case used. Takes the place of `TransactionTestCase._fixture_teardown`."""
    for alias in case._databases_names(include_mirrors=False):  # type: ignore[attr-defined]
        empty(alias)


def empty(alias: str) -> None:
    """Delete the rows of a database, in one transaction."""
    connection: Any = connections[alias]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _empty_postgresql(cursor, alias)
        else:
            _empty_sqlite(cursor, alias)


def _empty_postgresql(cursor: CursorWrapper, alias: str) -> None:
    if filled := _filled(cursor, alias):
        # A superuser may say so: the triggers that guard histories rest, and foreign keys are not looked at.
        with transaction.atomic(using=alias):
            deletions = "; ".join(f'DELETE FROM "{table}"' for table in filled)
            cursor.execute(f"SET LOCAL session_replication_role = replica; {deletions}")


def _empty_sqlite(cursor: CursorWrapper, alias: str) -> None:
    # Models can be imported no earlier; conftest takes this module before there are any.
    from league.models.triggers import HISTORY, triggers

    guard = f"{HISTORY}_stays_delete"
    if filled := _filled(cursor, alias):
        with transaction.atomic(using=alias):
            for statement in (
                f"DROP TRIGGER IF EXISTS {guard}",
                *(f'DELETE FROM "{table}"' for table in filled),
                f"CREATE TRIGGER {guard} {triggers()[guard]}",
            ):
                cursor.execute(statement)


def _filled(cursor: CursorWrapper, alias: str) -> list[str]:
    cursor.execute(_looks(alias))
    return [name for (name,) in cursor.fetchall()]


@cache
def _looks(alias: str) -> str:
    tables = connections[alias].introspection.django_table_names(only_existing=True, include_views=False)
    # SQLite takes 500 parts in one statement; there are some 90 tables.
    return " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in sorted({*tables} - KEPT)
    )
