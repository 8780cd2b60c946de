"""Statements and the rows that they find, where a query set would cost more than the reading."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

Question = tuple[str, Sequence[Any] | Mapping[str, Any]]
"""A statement and its parameters."""

Rows = list[tuple[Any, ...]]


def answers(*questions: Question) -> list[Rows]:
    found: list[Rows] = []
    with connection.cursor() as cursor:
        for statement, parameters in questions:
            cursor.execute(statement, parameters)
            found.append(cursor.fetchall())
    return found


def joined(one: str, separator: str) -> str:
    """Return the expression by which this database writes many texts as one."""
    name = "string_agg" if connection.vendor == "postgresql" else "group_concat"
    return f"{name}({one}, '{separator}')"
