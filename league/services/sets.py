"""Many rows written by one statement, on PostgreSQL and SQLite each in the way that costs least there.

Nothing here makes a model or asks a field for its default: the values are what the columns hold, times in UTC.
"""

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db import connection, models

# ruff: noqa: S608 - names of tables and columns come from the models; every value is a parameter

Row = Sequence[Any]
Adapter = Callable[[Any], Any]


class JsonText(str):
    """JSON that is written already, and goes into a column as it is."""

    __slots__ = ()


@contextmanager
def collecting_later() -> Iterator[None]:
    """Look for cycles of garbage after this block only: thousands of plain rows hold none, and looking is felt."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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


def write_rows(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Row], fixed: Mapping[str, Any] | None = None
) -> None:
    """Store new rows: each holds the values of the columns in their order, `fixed` the values that are the same in all.

    Columns are named by attribute (`league_id`); those left out get what the database gives them. JSON is written here
    unless it is JsonText. Constraints hold as ever: raises IntegrityError. PostgreSQL copies lines: they cost less than
    parameters.
    """
    given = dict(fixed or {})
    fields = [_field(model, name) for name in (*given, *columns)]
    table, names = _quoted(model._meta.db_table), ", ".join(_quoted(field.column) for field in fields)
    alike = next(_written(fields[: len(given)], [tuple(given.values())]))
    written = _written(fields[len(given) :], rows)
    with connection.wrap_database_errors, connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            head = "".join(f"{_as_text(value)}\t" for value in alike)
            lines = [head + "\t".join(map(_as_text, row)) for row in written]
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                copy.write("\n".join([*lines, ""]))
        else:
            places = ", ".join(["%s"] * len(fields))
            values = [(*alike, *row) for row in written]
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", values)


def update_columns(
    model: type[models.Model], keys: Sequence[int], columns: Mapping[str, Sequence[Any]], by: str = "id"
) -> None:
    """Set fields of the rows with these keys: whole numbers, truth values, days or JSON as text, in the order of the keys.

    `by` is the column that holds the key, where it is not the primary one.

    PostgreSQL joins arrays: a statement has as many parameters as there are columns, however many the rows. It changes
    rows as they lie; they are locked before by their keys, so that whoever locks in that order waits and no more.
    """
    if not keys or not columns:
        return
    fields = [_field(model, name) for name in columns]
    table, names = _quoted(model._meta.db_table), [_quoted(field.column) for field in fields]
    key = _quoted(by)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            locked = f"SELECT id FROM {table} WHERE {key} = ANY(%s::bigint[]) ORDER BY id FOR NO KEY UPDATE"
            cursor.execute(f"SELECT count(*) FROM ({locked}) AS locked", [[*keys]])
            changes = ", ".join(f"{name} = given.{name}" for name in names)
            arrays = ", ".join(["%s::bigint[]", *(f"%s::{field.db_type(connection)}[]" for field in fields)])
            given = f"unnest({arrays}) AS given (key, {', '.join(names)})"
            statement = f"UPDATE {table} SET {changes} FROM {given} WHERE {table}.{key} = given.key"
            cursor.execute(statement, [[*values] for values in (keys, *columns.values())])
        else:
            changes = ", ".join(f"{name} = %s" for name in names)
            cursor.executemany(
                f"UPDATE {table} SET {changes} WHERE {key} = %s", list(zip(*columns.values(), keys, strict=True))
            )


# --- Values as the database takes them -------------------------------------------------------------------------------


def _field(model: type[models.Model], name: str) -> Any:
    return next(field for field in model._meta.concrete_fields if name in (field.attname, field.name))


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _written(fields: Sequence[Any], rows: Iterable[Row]) -> Iterator[Row]:
    found = [(place, _adapter(field)) for place, field in enumerate(fields)]
    adapters = [(place, adapter) for place, adapter in found if adapter is not None]
    return _adapted(rows, adapters) if adapters else iter(rows)


def _adapted(rows: Iterable[Row], adapters: Sequence[tuple[int, Adapter]]) -> Iterator[Row]:
    for row in rows:
        written = list(row)
        for place, adapt in adapters:
            if written[place] is not None:
                written[place] = adapt(written[place])
        yield written


def _adapter(field: models.Field[Any, Any]) -> Adapter | None:
    """Return what makes a value of a column one that the database takes; None where it takes it as it is."""
    if isinstance(field, models.JSONField):
        return _json
    if connection.vendor == "postgresql":
        return _escaped if isinstance(field, models.BinaryField) else None
    if isinstance(field, models.UUIDField):
        return _hex
    if isinstance(field, models.DateTimeField):
        return connection.ops.adapt_datetimefield_value
    return connection.ops.adapt_datefield_value if isinstance(field, models.DateField) else None


def _json(value: Any) -> str:
    return value if isinstance(value, JsonText) else json.dumps(value)


def _hex(value: UUID) -> str:
    return value.hex


def _escaped(value: bytes) -> str:
    """Return bytes as PostgreSQL reads them from a text."""
    return f"\\x{value.hex()}"


def _as_text(value: object) -> str:
    """Return a value as a line of COPY has it; long texts are looked through before they are copied."""
    if value is None:
        return r"\N"
    text = str(value)
    for sign, written in _WRITTEN:
        if sign in text:
            text = text.replace(sign, written)
    return text


_WRITTEN = (("\\", r"\\"), ("\n", r"\n"), ("\r", r"\r"), ("\t", r"\t"))
"""What ends a field, a line or begins an escape there, and what stands for it; the backslash first."""
