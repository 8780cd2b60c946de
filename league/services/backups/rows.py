"""Rows as a backup has them: one JSON list a line, to the letter the same from either database.

Reading, the database writes the lines itself: it is quicker at that than anybody who gets its values. Moments are in UTC
with all six digits, keys without hyphens, JSON and bytes (in hexadecimal) are texts.
"""

# ruff: noqa: S608 - the statements are put together from the names of tables and columns; no value goes into them

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.db import connection

from league.services.backups.archive import AT_ONCE, BackupError, Column, StoredTable

ROWS_AT_ONCE = 2000
LARGE_ROWS_AT_ONCE = 4
"""So many rows are in memory; of photos and uploads few."""

MAX_CHUNK = 16 * AT_ONCE
"""No more bytes of a file are taken together."""

MAX_PLAIN = 64
"""So much room any value takes that is no text; a long line of many others would take a multiple of it in memory."""

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')

READ = {
    "postgresql": {
        "moment": """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""",
        "bytes": "encode({}, 'hex')",
        "key": "replace({}::text, '-', '')",
        "text": "{}::text",
    },
    "sqlite": {
        "moment": "replace({0}, ' ', 'T') || CASE WHEN length({0}) = 19 THEN '.000000' ELSE '' END || 'Z'",
        "truth": "json(CASE {0} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END)",
        "bytes": "lower(hex({}))",
    },
}
"""How each database is asked for a column of a kind; the others it writes alike."""


def _row(values: Sequence[str]) -> str:
    """Return the expression for a row as JSON; SQLite's own would be without the spaces that PostgreSQL's has."""
    if connection.vendor == "postgresql":
        return f"json_build_array({', '.join(values)})::text"
    quoted = " || ', ' || ".join(f"json_quote({value})" for value in values)
    return f"'[' || {quoted} || ']'"


def row_chunks(table: StoredTable) -> Iterator[list[str]]:
    """Yield the lines of all rows in the order of their keys, some at a time; within a transaction. One query."""
    ways = READ[connection.vendor]
    values = [
        ways.get(column.kind, "{}").format(f"{_quoted(table.name)}.{_quoted(column.name)}") for column in table.columns
    ]
    statement = f"SELECT {_row(values)} FROM {_quoted(table.name)} ORDER BY {_quoted(table.columns[0].name)}"
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement)
        while rows := cursor.fetchmany(_at_once(table.columns)):
            yield [line for (line,) in rows]


def store_rows(table: StoredTable, lines: Iterable[bytes]) -> Iterator[int]:
    """Store the rows of these lines; yield how many so far. Constraints hold at the latest at the end."""
    names = ", ".join(_quoted(column.name) for column in table.columns)
    stored = 0
    with connection.cursor() as cursor:
        for chunk in _chunks(table, lines):
            if connection.vendor == "postgresql":
                with (
                    connection.wrap_database_errors,
                    cursor.copy(f"COPY {_quoted(table.name)} ({names}) FROM STDIN") as copy,
                ):
                    for row in chunk:
                        copy.write_row(row)
            else:
                places = ", ".join(["%s"] * len(table.columns))
                cursor.executemany(f"INSERT INTO {_quoted(table.name)} ({names}) VALUES ({places})", chunk)
            stored += len(chunk)
            yield stored


def _at_once(columns: Sequence[Column]) -> int:
    return LARGE_ROWS_AT_ONCE if any(column.kind == "bytes" for column in columns) else ROWS_AT_ONCE


def _chunks(table: StoredTable, lines: Iterable[bytes]) -> Iterator[list[list[Any]]]:
    """Yield rows as the database takes them, some at a time. Raises BackupError for a line that is no row."""
    ways = STORED[connection.vendor]
    changed = [(place, ways[column.kind]) for place, column in enumerate(table.columns) if column.kind in ways]
    most, chunk, size = _at_once(table.columns), [], 0
    for line in lines:
        try:
            chunk.append(_read(line, len(table.columns), changed))
        except (ValueError, TypeError, RecursionError) as error:
            raise BackupError(
                f"The backup has a line among the rows of {table.name} that is no row of Tenbo."
            ) from error
        size += len(line)
        if len(chunk) == most or size >= MAX_CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _read(line: bytes, width: int, changed: Sequence[tuple[int, Callable[[str], Any]]]) -> list[Any]:
    if len(line) > AT_ONCE and len(_STRING.sub(b"", line)) > width * MAX_PLAIN:
        raise ValueError
    row = json.loads(line)
    if not isinstance(row, list) or len(row) != width:
        raise ValueError
    for place, change in changed:
        if row[place] is not None:
            row[place] = change(row[place])
    return row


def _moment_in_sqlite(moment: str) -> str:
    """Return a moment as Django writes it there: without a fraction where there is none."""
    return f"{moment[:10]} {moment[11:19]}{'' if moment[19:26] == '.000000' else moment[19:26]}"


STORED: dict[str, dict[str, Callable[[str], Any]]] = {
    "postgresql": {"bytes": lambda value: f"\\x{value}"},
    "sqlite": {"moment": _moment_in_sqlite, "bytes": bytes.fromhex},
}
"""What each database takes in another way than it is written."""


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


# --- The numbers that tables give to new rows ----------------------------------------------------------------------------


def last_number(table: StoredTable) -> int:
    """Return the last primary key that the database gave to a row of the table, which may be gone; 0 for none."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = %s", [table.name])
        else:
            cursor.execute("SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass)", _serial(table))
        return cursor.fetchone()[0] or 0


def number_on(table: StoredTable) -> None:
    """Let the next row of the table get a key that none ever had: histories name rows that are gone by theirs."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "UPDATE sqlite_sequence SET seq = max(seq, %s) WHERE name = %s", [table.last_number, table.name]
            )
            if not cursor.rowcount and table.last_number:
                cursor.execute(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table.name, table.last_number]
                )
            return
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", _serial(table))
        [sequence] = cursor.fetchone()
        if sequence is not None:
            key = _quoted(table.columns[0].name)
            cursor.execute(
                f"SELECT setval(%s, greatest(last, 1), last > 0) FROM"
                f" (SELECT greatest(%s, coalesce(max({key}), 0)) AS last FROM {_quoted(table.name)}) AS found",
                [sequence, table.last_number],
            )


def _serial(table: StoredTable) -> list[str]:
    return [_quoted(table.name), table.columns[0].name]
