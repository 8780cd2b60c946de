"""Columns of many rows set by one statement: bulk_update takes ten times as long for some thousands of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, models

# ruff: noqa: S608 - names of tables and columns come from the models; every value is a parameter


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
    fields: list[Any] = [model._meta.get_field(name) for name in columns]
    quoted = connection.ops.quote_name
    table, names = quoted(model._meta.db_table), [quoted(field.column) for field in fields]
    key = quoted(by)
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
