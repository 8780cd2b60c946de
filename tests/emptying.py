"""Empty the database after tests that commit, skipping tables that have no rows.

Django's flush empties every table, then stores content types and permissions again, which took eight times as long.
These two tables are kept here: they depend only on the models, and no test changes them.
"""

from functools import cache
from typing import Any

from django.db import connections, transaction
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

KEPT = frozenset({"django_content_type", "auth_permission"})


def empty_after(case: TransactionTestCase) -> None:
    """Empty every database that a test case used; replaces `TransactionTestCase._fixture_teardown`."""
    for alias in case._databases_names(include_mirrors=False):  # type: ignore[attr-defined]
        empty(alias)


def empty(alias: str) -> None:
    connection: Any = connections[alias]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _empty_postgresql(cursor, alias)
        else:
            _empty_sqlite(cursor, alias)


def _empty_postgresql(cursor: CursorWrapper, alias: str) -> None:
    if filled := _filled(cursor, alias):
        # As a superuser, disable the triggers that protect the histories, and the foreign key checks.
        with transaction.atomic(using=alias):
            deletions = "; ".join(f'DELETE FROM "{table}"' for table in filled)
            cursor.execute(f"SET LOCAL session_replication_role = replica; {deletions}")


def _empty_sqlite(cursor: CursorWrapper, alias: str) -> None:
    # Imported here because conftest imports this module before the apps are loaded.
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
    # SQLite allows 500 terms in a compound SELECT; there are some 90 tables.
    return " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in sorted({*tables} - KEPT)
    )
