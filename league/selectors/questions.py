"""Several statements at once: PostgreSQL gets them in one message, SQLite one after the other."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.db import connection
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


def question_of(rows: QuerySet[Any, Any]) -> Question:
    """Return the statement of a query set whose values need no more than what the database says, such as numbers."""
    return rows.query.sql_with_params()


def carry_out(*changes: Question) -> None:
    """Run statements that only write. One message to PostgreSQL."""
    with connection.cursor() as cursor:
        if _goes_at_once(changes):
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


def _joined(cursor: Any, questions: Sequence[Question]) -> str:
    return ";".join(cursor.mogrify(statement, parameters) for statement, parameters in questions)
