"""Triggers set aside while rows are stored that have been through them once, in the same transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

ON_POSTGRESQL = """
    SELECT quote_ident(relname), quote_ident(tgname), tgenabled::text FROM pg_trigger
    JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE NOT tgisinternal AND tgenabled <> 'D' AND nspname = current_schema()
    ORDER BY 1, 2
"""
ON_SQLITE = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"

ENABLED = {"O": "ENABLE", "A": "ENABLE ALWAYS", "R": "ENABLE REPLICA"}
"""How PostgreSQL is told that a trigger is in force as it was."""


@contextmanager
def triggers_set_aside() -> Iterator[None]:
    """Let no trigger see what is stored in this block; within a transaction, whose end puts them back in any case.

    A row of a backup is what it was, with its own place in the history: no trigger may count it, refuse it or put another
    in front of it. The database's constraints hold as ever; they are checked when the block ends.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(ON_SQLITE)
            standing = cursor.fetchall()
            for name, _ in standing:
                cursor.execute(f"DROP TRIGGER {connection.ops.quote_name(name)}")
            yield
            for _, statement in standing:
                cursor.execute(statement)
            return
        cursor.execute(ON_POSTGRESQL)
        standing = cursor.fetchall()
        for table, name, _ in standing:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER {name}")
        yield
        # A table that waits for a constraint to be checked cannot be altered.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table, name, how in standing:
            cursor.execute(f"ALTER TABLE {table} {ENABLED[how]} TRIGGER {name}")
