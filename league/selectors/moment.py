"""A file that takes a while to be written tells of one moment all the same."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Read the database as it stands at the first question, whatever is stored until the end; nobody waits for that."""
    begins = not connection.in_atomic_block
    with transaction.atomic():
        # SQLite reads nothing else within a transaction. In one that has begun before there is nothing left to say.
        if begins and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield
