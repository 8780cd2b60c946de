"""The database without what it refuses about merged names, as it was before it did."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from league.models.guards import MergedNames


@contextmanager
def unguarded() -> Iterator[None]:
    """Take the guards away for a while."""
    guards, is_postgresql = MergedNames(), connection.vendor == "postgresql"
    tables = sorted(guards.tables)
    _run(statement for table in tables for statement in guards.removal(table, postgresql=is_postgresql))
    yield
    schema = "public" if is_postgresql else ""
    _run(statement for table in tables for statement in guards.statements(table, schema))


def _run(statements: Iterator[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
