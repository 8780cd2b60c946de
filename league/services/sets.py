"""Many rows written by one statement, on PostgreSQL and SQLite each in the way that costs least there."""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, models

# ruff: noqa: S608 - names of tables and columns come from the models; every value is a parameter

Row = Sequence[Any]


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


def update_columns(model: type[models.Model], keys: Sequence[int], columns: Mapping[str, Sequence[int]]) -> None:
    """Set fields of the rows with these primary keys, whole numbers or truth values, each in the order of the keys.

    PostgreSQL joins arrays: a statement has as many parameters as there are columns, however many the rows.
    """
    if not keys or not columns:
        return
    fields = [_field(model, name) for name in columns]
    table, names = _quoted(model._meta.db_table), [_quoted(field.column) for field in fields]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            changes = ", ".join(f"{name} = given.{name}" for name in names)
            arrays = ", ".join(["%s::bigint[]", *(f"%s::{field.db_type(connection)}[]" for field in fields)])
            given = f"unnest({arrays}) AS given (key, {', '.join(names)})"
            statement = f"UPDATE {table} SET {changes} FROM {given} WHERE {table}.id = given.key"
            cursor.execute(statement, [_as_array(values) for values in (keys, *columns.values())])
        else:
            changes = ", ".join(f"{name} = %s" for name in names)
            cursor.executemany(
                f"UPDATE {table} SET {changes} WHERE id = %s", list(zip(*columns.values(), keys, strict=True))
            )


def insert_rows(
    model: type[models.Model], fixed: Mapping[str, Any], columns: Sequence[str], rows: Iterable[Row]
) -> None:
    """Store new rows: `fixed` is the same in all of them, each of `rows` holds the values of the other fields.

    Values are as the database takes them, JSON as text. PostgreSQL copies: its lines cost less than parameters.
    """
    table = _quoted(model._meta.db_table)
    names = ", ".join(_quoted(_field(model, name).column) for name in (*fixed, *columns))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            head = "".join(f"{_as_text(value)}\t" for value in fixed.values())
            lines = [head + "\t".join(map(_as_text, row)) for row in rows]
            with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                copy.write("\n".join([*lines, ""]))
        else:
            places = ", ".join("%s" for _ in (*fixed, *columns))
            given = tuple(fixed.values())
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", [(*given, *row) for row in rows])


def _field(model: type[models.Model], name: str) -> Any:
    return model._meta.get_field(name)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _as_array(values: Iterable[int]) -> str:
    return f"{{{','.join(map(str, values))}}}"


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
