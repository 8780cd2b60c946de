"""A file that takes a while to be written tells of one moment all the same."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Read the database as it stands at the first question, whatever is stored until the end; nobody waits for that."""
    begins = not connection.in_atomic_block
    with _only_reading() if begins else nullcontext(), transaction.atomic():
        # In a transaction that has begun before there is nothing left to say.
        if begins and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


@contextmanager
def _only_reading() -> Iterator[None]:
    """Begin transactions on SQLite without the right to write, which others would have to wait for."""
    if connection.vendor != "sqlite":
        yield
        return
    # It says how it begins only once it is connected.
    connection.ensure_connection()
    database: Any = connection
    mode, database.transaction_mode = database.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        database.transaction_mode = mode
