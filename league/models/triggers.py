"""Triggers by which the database itself refuses something, on both databases; and whose rows the tables hold.

They are made after each migration, for the tables there are.
"""

import re
from collections.abc import Iterator
from typing import Any, Protocol

from django.db import models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from league.models.guards import KeptHistory, MergedNames
from league.models.leagues import League

NAME = re.compile(r"CREATE TRIGGER (\w+)")


class Watched(Protocol):
    """Triggers on tables of leagues."""

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it needs; without them there are no triggers."""

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield what makes its triggers on a table; `schema` stands before names on PostgreSQL, empty on SQLite."""

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes them away."""

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield what sets right what changed while there were no triggers."""


watched: list[Watched] = [MergedNames(), KeptHistory()]
"""The triggers there are; other apps add theirs when they are loaded."""


def parent_of(model: type[models.Model]) -> models.ForeignKey[Any, Any] | None:
    """Return the way from a row to its league: the league itself, or whatever the row is deleted with."""
    keys = [
        field
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and field.remote_field.on_delete is models.CASCADE
    ]
    direct = [key for key in keys if key.related_model is League]
    return next(iter(direct or [key for key in keys if _leads_to_league(key.related_model)]), None)


def _leads_to_league(model: Any) -> bool:
    return model is League or (model._meta.app_label != "auth" and parent_of(model) is not None)


def make_triggers(connection: BaseDatabaseWrapper) -> None:
    """Make the triggers on the tables there are, as the models say."""
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        made = [*_removal(connection, tables), *_statements(connection, tables)]
        for statement in (*made, *_anew(connection, tables)):
            cursor.execute(statement)


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    """Take all triggers away, so that tables can be deleted."""
    with connection.cursor() as cursor:
        for statement in _removal(connection, set(connection.introspection.table_names(cursor))):
            cursor.execute(statement)


def count_anew(connection: BaseDatabaseWrapper) -> None:
    """Note again what triggers note, after rows were stored past them."""
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        for statement in _anew(connection, set(connection.introspection.table_names(cursor))):
            cursor.execute(statement)


def missing_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the names of triggers that are not there."""
    looks = {
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    }
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        cursor.execute(looks[connection.vendor])
        there = {name for (name,) in cursor.fetchall()}
    wanted = {found[1] for each in _statements(connection, tables) if (found := NAME.match(each.strip()))}
    return sorted(wanted - there)


def _statements(connection: BaseDatabaseWrapper, tables: set[str]) -> Iterator[str]:
    schema = _schema_of(connection)
    for each in watched:
        if each.tables <= tables:
            for table in sorted(tables):
                yield from each.statements(table, schema)


def _removal(connection: BaseDatabaseWrapper, tables: set[str]) -> Iterator[str]:
    for each in watched:
        for table in sorted(tables):
            yield from each.removal(table, postgresql=connection.vendor == "postgresql")


def _anew(connection: BaseDatabaseWrapper, tables: set[str]) -> Iterator[str]:
    for each in watched:
        if each.tables <= tables:
            yield from each.anew(postgresql=connection.vendor == "postgresql")


def _schema_of(connection: BaseDatabaseWrapper) -> str:
    """Return the schema that the tables are in; empty where there are none."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        return str(cursor.fetchone()[0])
