"""Many rows written by one statement, on PostgreSQL and SQLite each in the way that costs least there."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import connection, models

# ruff: noqa: S608 - names of tables and columns come from the models; every value is a parameter

Row = Sequence[Any]


def update_rows(model: type[models.Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Set these fields of many rows; each of `rows` is a primary key with the values, whole numbers or truth values.

    PostgreSQL joins arrays, one per column: 800 rows are one statement with as many parameters as there are columns.
    """
    if not rows:
        return
    fields = [_field(model, name) for name in ("id", *columns)]
    table, (key, *names) = _quoted(model._meta.db_table), [_quoted(field.column) for field in fields]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            arrays = ", ".join(f"%s::{field.db_type(connection)}[]" for field in fields)
            changes = ", ".join(f"{name} = given.{name}" for name in names)
            given = f"unnest({arrays}) AS given ({key}, {', '.join(names)})"
            statement = f"UPDATE {table} SET {changes} FROM {given} WHERE {table}.{key} = given.{key}"
            cursor.execute(statement, [_as_array(column) for column in zip(*rows, strict=True)])
        else:
            changes = ", ".join(f"{name} = %s" for name in names)
            cursor.executemany(f"UPDATE {table} SET {changes} WHERE {key} = %s", [(*row[1:], row[0]) for row in rows])


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
    """Return a value as a line of COPY has it."""
    if value is None:
        return r"\N"
    text = str(value)
    return text.replace("\\", r"\\").replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t")
