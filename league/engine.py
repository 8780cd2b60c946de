"""Differences between PostgreSQL and SQLite. No other module checks the vendor."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, TypeVar

from django.db import Error, connection, models, transaction

# ruff: noqa: S608 - only names of tables and columns are formatted into the SQL; every value is a parameter

T = TypeVar("T")


def of_engine(*, postgresql: T, sqlite: T) -> T:
    return postgresql if connection.vendor == "postgresql" else sqlite


def many_write() -> bool:
    """Return whether the database supports concurrent writers; SQLite has one at a time."""
    return of_engine(postgresql=True, sqlite=False)


has_roles = has_functions = many_write


def size_in_bytes() -> int:
    pages = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    return int(_one_value(of_engine(postgresql="SELECT pg_database_size(current_database())", sqlite=pages)))


def engine_name() -> str:
    return of_engine(postgresql="PostgreSQL", sqlite="SQLite")


def engine_version() -> str:
    return str(_one_value(of_engine(postgresql="SHOW server_version", sqlite="SELECT sqlite_version()")))


def _one_value(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def first_day_of_year(day: str) -> str:
    return of_engine(postgresql=f"CAST(date_trunc('year', {day}) AS date)", sqlite=f"strftime('%%Y-01-01', {day})")


@contextmanager
def one_moment() -> Iterator[None]:
    """Read a consistent snapshot of the database in this block, without blocking writers."""
    begins = not connection.in_atomic_block
    with _only_reading() if begins and not many_write() else nullcontext(), transaction.atomic():
        # The isolation level cannot be changed in a transaction that has already begun.
        if begins and many_write():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


@contextmanager
def _only_reading() -> Iterator[None]:
    """Begin transactions as DEFERRED in this block, because SQLite's write lock would block others."""
    # The mode is set when connecting, and would be overwritten.
    connection.ensure_connection()
    database: Any = connection
    mode, database.transaction_mode = database.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        database.transaction_mode = mode


def hold_keys(model: type[models.Model], keys: Sequence[int]) -> None:
    """Lock the keys of these rows FOR KEY SHARE, so that the rows cannot be deleted."""
    if many_write():
        with connection.cursor() as cursor:
            statement = f"SELECT 1 FROM {model._meta.db_table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"
            cursor.execute(statement, [[*keys]])


def lock_tables(tables: Sequence[str]) -> None:
    """Block other writers of these tables until the transaction ends."""
    if many_write():
        with connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {', '.join(map(connection.ops.quote_name, tables))} IN EXCLUSIVE MODE")


def update_columns(
    model: type[models.Model], keys: Sequence[int], columns: Mapping[str, Sequence[Any]], by: str = "id"
) -> None:
    """Set columns of many rows to one value per key: integers, booleans, and dates or JSON as text.

    `by`: the column that contains the keys. One statement on PostgreSQL; bulk_update takes ten times as long for
    thousands of rows.
    """
    if keys and columns:
        set_all = of_engine(postgresql=_update_at_once, sqlite=_update_each)
        fields: list[Any] = [model._meta.get_field(name) for name in columns]
        set_all(model, fields, [keys, *columns.values()], connection.ops.quote_name(by))


def _update_at_once(model: type[models.Model], fields: Sequence[Any], given: Sequence[Sequence[Any]], key: str) -> None:
    quoted = connection.ops.quote_name
    table, names = quoted(model._meta.db_table), [quoted(field.column) for field in fields]
    changes = ", ".join(f"{name} = given.{name}" for name in names)
    arrays = ", ".join(["%s::bigint[]", *(f"%s::{field.db_type(connection)}[]" for field in fields)])
    with connection.cursor() as cursor:
        # Lock rows in primary key order first, so that concurrent writers wait instead of deadlocking.
        locked = f"SELECT id FROM {table} WHERE {key} = ANY(%s::bigint[]) ORDER BY id FOR NO KEY UPDATE"
        cursor.execute(f"SELECT count(*) FROM ({locked}) AS locked", [[*given[0]]])
        cursor.execute(
            f"UPDATE {table} SET {changes} FROM unnest({arrays}) AS given (key, {', '.join(names)})"
            f" WHERE {table}.{key} = given.key",
            [[*values] for values in given],
        )


def _update_each(model: type[models.Model], fields: Sequence[Any], given: Sequence[Sequence[Any]], key: str) -> None:
    quoted = connection.ops.quote_name
    changes = ", ".join(f"{quoted(field.column)} = %s" for field in fields)
    keys, *columns = given
    with connection.cursor() as cursor:
        update = f"UPDATE {quoted(model._meta.db_table)} SET {changes} WHERE {key} = %s"
        cursor.executemany(update, list(zip(*columns, keys, strict=True)))


def forget_on_disk() -> None:
    """Make SQLite overwrite deleted data with zeros, and vacuum after the commit, so that the file does not contain it."""
    if not many_write():
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA secure_delete = ON")
        transaction.on_commit(_without_free_pages, robust=True)


def _without_free_pages() -> None:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    finish_file()


def finish_file() -> None:
    """Move SQLite's write-ahead log into the database file, so that a copy of the file is complete."""
    if not many_write():
        with suppress(Error), connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
