"""Several statements at once: PostgreSQL gets them in one message, SQLite one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

import psycopg
from django.db import NotSupportedError, connection
from django.db.backends.utils import CursorWrapper
from django.db.models import QuerySet

Question = tuple[str, Sequence[Any] | Mapping[str, Any]]
"""A statement and its parameters."""

Rows = list[tuple[Any, ...]]


def answers(*questions: Question) -> list[Rows]:
    """Return the rows of each question in turn. One message to PostgreSQL.

    Each statement sees what was committed before it began, as if it had been sent by itself.
    """
    with connection.cursor() as cursor:
        if _goes_at_once(questions):
            with _several(cursor, len(questions)):
                cursor.execute(_joined(cursor, questions))
            found: list[Rows] = [cursor.fetchall()]
            while cursor.nextset():
                found.append(cursor.fetchall())
            return found
        found = []
        for statement, parameters in questions:
            cursor.execute(statement, parameters)
            found.append(cursor.fetchall())
        return found


def asked_often(statement: str, parameters: Sequence[Any]) -> Rows:
    """Return the rows of a statement that is always the same text: PostgreSQL plans it once for each connection.

    Planning costs several times what the statement itself does. Behind a pooler, which gives each transaction another
    connection, it is planned each time.
    """
    is_pooled = bool(connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"])
    if connection.vendor != "postgresql" or is_pooled:
        return answers((statement, parameters))[0]
    try:
        with _preparing_cursor() as cursor:
            cursor.execute(statement, parameters)
            found: Rows = cursor.fetchall()
        _log(statement, parameters)
        return found
    except NotSupportedError:
        if connection.in_atomic_block:
            raise
    # A migration has given a column another type meanwhile: whatever was planned before is refused.
    return answers((statement, parameters))[0]


def _preparing_cursor() -> CursorWrapper:
    """Return a cursor as Django wraps its own, whose statements the server keeps with their plans."""
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    # Without a number nothing is prepared; Django's own cursors prepare nothing whatever it is.
    connection.connection.prepare_threshold = 0
    own: Any = _PreparingCursor(connection.connection)
    return connection.make_cursor(own)


def _log(statement: str, parameters: Sequence[Any]) -> None:
    """Write down what was asked where Django writes statements down: of one that the server plans it knows no text."""
    if connection.queries_logged:
        with connection.cursor() as cursor:
            connection.queries_log.append({"sql": cursor.mogrify(statement, parameters), "time": "0"})


class _PreparingCursor(psycopg.Cursor[Any]):
    """A cursor that prepares whatever it is asked."""

    def execute(self, *args: Any, **options: Any) -> "_PreparingCursor":
        """Have the server carry out a statement, planned when it was first asked on this connection."""
        super().execute(*args, **options, prepare=True)
        return self


def question_of(rows: QuerySet[Any, Any]) -> Question:
    """Return the statement of a query set whose values need no more than what the database says, such as numbers."""
    return rows.query.sql_with_params()


def carry_out(*changes: Question) -> None:
    """Run statements that only write. One message to PostgreSQL."""
    with connection.cursor() as cursor:
        if _goes_at_once(changes):
            with _several(cursor, len(changes)):
                cursor.execute(_joined(cursor, changes))
        else:
            for statement, parameters in changes:
                cursor.execute(statement, parameters)


def joined(one: str, separator: str) -> str:
    """Return the expression by which this database writes many texts as one."""
    name = "string_agg" if connection.vendor == "postgresql" else "group_concat"
    return f"{name}({one}, '{separator}')"


def moment_of(value: datetime | str) -> datetime:
    """Return a moment out of an answer: SQLite gives a text, and stores what is in UTC without saying so."""
    read = datetime.fromisoformat(value) if isinstance(value, str) else value
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def day_of(value: date | str) -> date:
    """Return a day out of an answer: SQLite gives a text."""
    return date.fromisoformat(value) if isinstance(value, str) else value


def stored_key(key: UUID) -> UUID | str:
    """Return a key as the database has it: SQLite knows no such type."""
    return key if connection.features.has_native_uuid_field else key.hex


def _goes_at_once(questions: Sequence[Question]) -> bool:
    return len(questions) > 1 and connection.vendor == "postgresql"


@contextmanager
def _several(cursor: CursorWrapper, count: int) -> Iterator[None]:
    """Have a message of so many statements waited for: the server gives each of them its time."""
    cursor.connection.statements = count
    try:
        yield
    finally:
        cursor.connection.statements = 1


def _joined(cursor: Any, questions: Sequence[Question]) -> str:
    return ";".join(cursor.mogrify(statement, parameters) for statement, parameters in questions)
