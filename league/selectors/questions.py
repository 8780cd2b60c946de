"""Several statements at once: PostgreSQL gets them in one message, SQLite one after the other."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

Question = tuple[str, Sequence[Any] | Mapping[str, Any]]
"""A statement and its parameters."""

Rows = list[tuple[Any, ...]]


def answers(*questions: Question) -> list[Rows]:
    """Return the rows of each statement in turn; none of what only writes. One message to PostgreSQL.

    Each statement sees what was committed before it began, as if it had been sent by itself.
    """
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql" or len(questions) == 1:
            found = []
            for statement, parameters in questions:
                cursor.execute(statement, parameters)
                found.append(cursor.fetchall() if cursor.description else [])
            return found
        whole = ";".join(cursor.mogrify(statement, parameters) for statement, parameters in questions)
        cursor.execute(whole)
        found = [cursor.fetchall() if cursor.description else []]
        while cursor.nextset():
            found.append(cursor.fetchall() if cursor.description else [])
        return found
