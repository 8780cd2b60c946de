"""The rows of a league as they go from one database to another: copied, brought up to date, compared, taken away."""

# ruff: noqa: S608 - the statements are put together from the names of tables and columns, and whole numbers

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db import models

from league.models import League
from league.models.endings import counts_of, guarded_tables, in_league, rows_of_leagues

FORMS = "league_sentform"
"""Which forms have done their work is no league's; all of it goes along, so that none does it twice."""

AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class MovedTable:
    """A table whose rows go along: which of its columns, which of them name people, and which rows are of a league.

    `where` is a condition with one parameter, the league's number.
    """

    name: str
    key: str
    columns: tuple[str, ...]
    people: tuple[str, ...]
    bytes: frozenset[str]
    where: str

    def rows_of(self, league: int) -> str:
        """Return the condition for the rows of a league."""
        return self.where % league

    @property
    def quoted(self) -> str:
        """The columns, one after the other."""
        return ", ".join(f'"{name}"' for name in self.columns)

    @property
    def said(self) -> str:
        """The columns as they are compared; of a picture a digest does."""
        return ", ".join(f'md5("{name}")' if name in self.bytes else f'"{name}"' for name in self.columns)


@cache
def moved_tables() -> tuple[MovedTable, ...]:
    """Return every table with rows of a league, those first at whose rows no others point."""
    ours = rows_of_leagues()
    tables: dict[str, MovedTable] = {}
    for model in ours:
        for key in counts_of(model):
            above = in_league(model)
            inner = (
                "%s"
                if model is League
                else f"(SELECT {model._meta.pk.column} FROM {model._meta.db_table} WHERE {above})"
            )
            found = _table(key.model, f"{key.column} {'=' if model is League else 'IN'} {inner}", ours)
            tables.setdefault(found.name, found)
    for model in ours:
        found = _table(model, in_league(model), ours)
        tables.setdefault(found.name, found)
    return tuple(tables.values())


def _table(model: type[models.Model], where: str, ours: Iterable[type[models.Model]]) -> MovedTable:
    keys = {each.column: each.related_model for each in _keys(model)}
    # What leads to anything but the league and people, such as a mail that was sent, stays behind.
    columns = tuple(
        str(field.column)
        for field in model._meta.concrete_fields
        if field.column not in keys or keys[field.column] in {*ours, User}
    )
    return MovedTable(
        model._meta.db_table,
        str(model._meta.pk.column),
        columns,
        tuple(name for name, related in keys.items() if related is User),
        frozenset(str(each.column) for each in model._meta.concrete_fields if isinstance(each, models.BinaryField)),
        where,
    )


def _keys(model: type[models.Model]) -> Iterator[models.ForeignKey[Any, Any]]:
    return (each for each in model._meta.concrete_fields if isinstance(each, models.ForeignKey))


def people_named(connection: Any, league: int) -> set[int]:
    """Return the numbers of everybody whom rows of a league name."""
    found: set[int] = set()
    with connection.cursor() as cursor:
        for table in moved_tables():
            for column in table.people:
                cursor.execute(
                    f'SELECT DISTINCT "{column}" FROM {table.name} WHERE {table.rows_of(league)} AND "{column}" IS NOT NULL'
                )
                found.update(number for (number,) in cursor.fetchall())
    return found


def copy_rows(source: Any, target: Any, table: MovedTable, where: str, into: str = "") -> None:
    """Copy rows from one connection to the other, as PostgreSQL itself writes and reads them."""
    with (
        source.cursor() as reading,
        target.cursor() as writing,
        reading.copy(f"COPY (SELECT {table.quoted} FROM {table.name} WHERE {where}) TO STDOUT (FORMAT BINARY)") as rows,
        writing.copy(f"COPY {into or table.name} ({table.quoted}) FROM STDIN (FORMAT BINARY)") as stored,
    ):
        for block in rows:
            stored.write(block)


def bring_up_to_date(source: Any, target: Any, table: MovedTable, league: int, since: str) -> None:
    """Have the rows in the target as they are in the source now, which has stored something `since` they were copied.

    `since`: the oldest transaction that was under way then. A row tells by which one it was written.
    """
    of_league = table.rows_of(league)
    changed = f"{of_league} AND age({table.name}.xmin) <= age('{since}'::xid)"
    is_changed = _value(source, f"SELECT EXISTS (SELECT 1 FROM {table.name} WHERE {changed})")
    count = f"SELECT count(*) FROM {table.name} WHERE {of_league}"
    if is_changed or _value(source, count) != _value(target, count):
        # First, since a row may have taken the place of one that went.
        _take_what_went(source, target, table, of_league)
    if is_changed:
        with target.cursor() as cursor:
            cursor.execute(f"CREATE TEMP TABLE moved AS SELECT {table.quoted} FROM {table.name} WHERE false")
            copy_rows(source, target, table, changed, "moved")
            cursor.execute(f"DELETE FROM {table.name} USING moved WHERE {table.name}.{table.key} = moved.{table.key}")
            cursor.execute(f"INSERT INTO {table.name} ({table.quoted}) SELECT {table.quoted} FROM moved")
            cursor.execute("DROP TABLE moved")


def _take_what_went(source: Any, target: Any, table: MovedTable, of_league: str) -> None:
    keys = f"SELECT {table.key} FROM {table.name} WHERE {of_league}"
    with source.cursor() as cursor:
        cursor.execute(keys)
        standing = {key for (key,) in cursor.fetchall()}
    with target.cursor() as cursor:
        cursor.execute(keys)
        gone = [key for (key,) in cursor.fetchall() if key not in standing]
        cursor.execute(f"DELETE FROM {table.name} WHERE {table.key} = ANY(%s)", [gone])


def copy_sent_forms(source: Any, target: Any) -> None:
    """Have the target know which forms have done their work."""
    with source.cursor() as reading, target.cursor() as writing:
        reading.execute(f"SELECT digest, answer, sent_at FROM {FORMS}")
        writing.executemany(
            f"INSERT INTO {FORMS} (digest, answer, sent_at) VALUES (%s, %s, %s) ON CONFLICT (digest) DO NOTHING",
            reading.fetchall(),
        )


Prints = dict[str, tuple[int, str]]
"""Of each table how many rows a league has, and the sum of their digests."""


def prints_of(*connections: Any, league: int, only_guarded: bool = False) -> list[Prints]:
    """Return the prints of a league through each of these connections, all at once."""
    for connection in connections:
        connection.ensure_connection()
    with ThreadPoolExecutor(len(connections)) as pool:
        return list(pool.map(lambda each: _prints(each.connection, league, only_guarded), connections))


def _prints(connection: Any, league: int, only_guarded: bool) -> Prints:  # noqa: FBT001
    found: Prints = {}
    guarded = guarded_tables()
    with connection.cursor() as cursor:
        for table in moved_tables():
            if only_guarded and table.name not in guarded:
                continue
            cursor.execute(
                f"SELECT count(*), coalesce(sum(hashtextextended(ROW({table.said})::text, 0)), 0)::text"
                f" FROM {table.name} WHERE {table.rows_of(league)}"
            )
            count, total = cursor.fetchone()
            found[table.name] = (count, total)
    return found


def take_some(connection: Any, table: MovedTable, league: int) -> int:
    """Take away some rows of a league; return how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {table.name} WHERE {table.key} IN"
            f" (SELECT {table.key} FROM {table.name} WHERE {table.rows_of(league)} LIMIT {AT_ONCE})"
        )
        return int(cursor.rowcount)


def _value(connection: Any, question: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return cursor.fetchone()[0]
