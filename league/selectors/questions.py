"""Several statements at once: PostgreSQL gets them in one message, SQLite one after the other."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

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


def carry_out(*changes: Question) -> None:
    """Run statements that only write. One message to PostgreSQL."""
    with connection.cursor() as cursor:
        if _goes_at_once(changes):
            cursor.execute(_joined(cursor, changes))
        else:
            for statement, parameters in changes:
                cursor.execute(statement, parameters)


def _goes_at_once(questions: Sequence[Question]) -> bool:
    return len(questions) > 1 and connection.vendor == "postgresql"


def _joined(cursor: Any, questions: Sequence[Question]) -> str:
    return ";".join(cursor.mogrify(statement, parameters) for statement, parameters in questions)
