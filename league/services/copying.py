"""Many rows at once, as plain values: COPY on PostgreSQL, one prepared statement on SQLite.

Nothing here makes a model or asks a field for its default: the values are what the columns hold, times in UTC.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db import connection, models

Row = Sequence[Any]


def reserved_numbers(model: type[models.Model], count: int) -> list[int]:
    """Return so many primary keys that nobody else gets, ascending; within a transaction. One query."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            numbers = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
            cursor.execute(numbers, [f'"{table}"', count])
            return [number for (number,) in cursor.fetchall()]
        # The transaction holds the only right to write; rows that name their key move the sequence themselves.
        cursor.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = %s", [table])
        last: int = cursor.fetchone()[0]
    return list(range(last + 1, last + count + 1))


def write_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Store rows of values in the order of the columns, which are named by attribute (`league_id`).

    Columns that are left out get what the database gives them. Constraints hold as ever: raises IntegrityError.
    """
    fields = [_field(model, column) for column in columns]
    table = connection.ops.quote_name(model._meta.db_table)
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    values = _written(fields, rows)
    with connection.wrap_database_errors, connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in values:
                    copy.write_row(row)
        else:
            places = ", ".join(["%s"] * len(fields))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", list(values))  # noqa: S608 - names


def _field(model: type[models.Model], column: str) -> models.Field[Any, Any]:
    fields = {field.attname: field for field in model._meta.concrete_fields}
    return fields[column]


def _written(fields: Sequence[models.Field[Any, Any]], rows: Iterable[Row]) -> Iterable[Row]:
    """Return the rows as the database takes them."""
    found = [(place, _adapter(field)) for place, field in enumerate(fields)]
    adapters = [(place, adapter) for place, adapter in found if adapter is not None]
    return _adapted(rows, adapters) if adapters else rows


def _adapted(rows: Iterable[Row], adapters: Sequence[tuple[int, Callable[[Any], Any]]]) -> Iterator[Row]:
    for row in rows:
        written = list(row)
        for place, adapt in adapters:
            if written[place] is not None:
                written[place] = adapt(written[place])
        yield written


def _adapter(field: models.Field[Any, Any]) -> Callable[[Any], Any] | None:
    """Return what makes a value of a column one that the database takes; None where it takes it as it is."""
    if isinstance(field, models.JSONField):
        return json.dumps
    if connection.vendor == "postgresql":
        return None
    if isinstance(field, models.UUIDField):
        return _hex
    if isinstance(field, models.DateTimeField):
        return connection.ops.adapt_datetimefield_value
    return connection.ops.adapt_datefield_value if isinstance(field, models.DateField) else None


def _hex(value: UUID) -> str:
    return value.hex
