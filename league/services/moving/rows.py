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

YOUNGEST = -1_000_000_000
"""What is written after the present transaction began is of a few transactions to come."""


def written(table: str, since: str) -> str:
    """Return the condition for rows of a table that a transaction has written, or one that came after it: each row tells.

    A row that is older than two milliards of transactions seems to be of one to come, and is left out.
    """
    return f"age({table}.xmin) BETWEEN {YOUNGEST} AND age('{since}'::xid)"


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
    is_numbered: bool

    def rows_of(self, league: int) -> str:
        """Return the condition for the rows of a league."""
        return self.where % league

    @property
    def quoted(self) -> str:
        """The columns, one after the other."""
        return ", ".join(f'"{name}"' for name in self.columns)

    @property
    def digest(self) -> str:
        """A statement without its condition that tells rows from others; of a picture a digest of its own does."""
        said = ", ".join(f'md5("{name}")' if name in self.bytes else f'"{name}"' for name in self.columns)
        return f"SELECT count(*) || ' ' || coalesce(sum(hashtextextended(ROW({said})::text, 0)), 0) FROM {self.name}"

    def written(self, since: str) -> str:
        """Return the condition for rows that a transaction has written, or one that came after it."""
        return written(self.name, since)


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
        isinstance(model._meta.pk, models.BigAutoField),
    )


def _keys(model: type[models.Model]) -> Iterator[models.ForeignKey[Any, Any]]:
    return (each for each in model._meta.concrete_fields if isinstance(each, models.ForeignKey))


def people_named(connection: Any, league: int, since: str = "") -> set[int]:
    """Return the numbers of everybody whom rows of a league name; of those alone that were written `since`, if that is given."""
    found: set[int] = set()
    with connection.cursor() as cursor:
        for table in moved_tables():
            rows = f"{table.rows_of(league)} AND {table.written(since)}" if since else table.rows_of(league)
            for column in table.people:
                cursor.execute(f'SELECT DISTINCT "{column}" FROM {table.name} WHERE {rows} AND "{column}" IS NOT NULL')
                found.update(number for (number,) in cursor.fetchall())
    return found


def largest_key(connection: Any, league: int) -> int:
    """Return the largest number that a row of a league has as its key, in whichever table."""
    found = 0
    for table in moved_tables():
        if table.is_numbered:
            where = table.rows_of(league)
            found = max(
                found, _value(connection, f"SELECT coalesce(max({table.key}), 0) FROM {table.name} WHERE {where}")
            )
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


class DifferingError(Exception):
    """A table in which the copy of a league is not what the league is; named."""


def bring_up_to_date(source: Any, target: Any, table: MovedTable, league: int, since: str) -> int:
    """Have the rows in the target as they are in the source now, which has stored something `since` they were copied.

    Costs what was stored since, and two counts. Returns how many rows there are. Raises DifferingError if both are not equal
    then. `since`: the oldest transaction that was under way when they were copied and compared.
    """
    of_league = table.rows_of(league)
    newer = f"{of_league} AND {table.written(since)}"
    keys = _keys_of(source, table, newer)
    counts = _counts(source, target, table, of_league)
    known = _value(target, f"SELECT count(*) FROM {table.name} WHERE {table.key} = ANY(%s)", [keys]) if keys else 0
    if counts[1] + len(keys) - known != counts[0]:
        # First, since a row may have taken the place of one that went.
        _take_what_went(source, target, table, of_league)
    if keys:
        with target.cursor() as cursor:
            cursor.execute(f"CREATE TEMP TABLE moved AS SELECT {table.quoted} FROM {table.name} WHERE false")
            copy_rows(source, target, table, newer, "moved")
            cursor.execute(f"DELETE FROM {table.name} USING moved WHERE {table.name}.{table.key} = moved.{table.key}")
            cursor.execute(f"INSERT INTO {table.name} ({table.quoted}) SELECT {table.quoted} FROM moved")
            cursor.execute("DROP TABLE moved")
        digest = f"{table.digest} WHERE {table.key} = ANY(%s)"
        if _value(source, digest, [keys]) != _value(target, digest, [keys]):
            raise DifferingError(table.name)
    here, there = _counts(source, target, table, of_league)
    if here != there:
        raise DifferingError(table.name)
    return here


def _counts(source: Any, target: Any, table: MovedTable, of_league: str) -> tuple[int, int]:
    question = f"SELECT count(*) FROM {table.name} WHERE {of_league}"
    return _value(source, question), _value(target, question)


def _keys_of(connection: Any, table: MovedTable, where: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {table.key} FROM {table.name} WHERE {where}")
        return [key for (key,) in cursor.fetchall()]


def _take_what_went(source: Any, target: Any, table: MovedTable, of_league: str) -> None:
    standing = {*_keys_of(source, table, of_league)}
    gone = [key for key in _keys_of(target, table, of_league) if key not in standing]
    with target.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table.name} WHERE {table.key} = ANY(%s)", [gone])


def copy_sent_forms(source: Any, target: Any, since: str = "") -> None:
    """Have the target know which forms have done their work; of those alone that did `since`, if that is given."""
    newer = f" WHERE {written(FORMS, since)}" if since else ""
    with source.cursor() as reading, target.cursor() as writing:
        reading.execute(f"SELECT digest, answer, sent_at FROM {FORMS}{newer}")
        writing.executemany(
            f"INSERT INTO {FORMS} (digest, answer, sent_at) VALUES (%s, %s, %s) ON CONFLICT (digest) DO NOTHING",
            reading.fetchall(),
        )


def differing(source: Any, target: Any, league: int) -> list[str]:
    """Return the tables in which a league is not the same through both connections, each row looked at, both at once."""
    for connection in (source, target):
        connection.ensure_connection()
    with ThreadPoolExecutor(2) as pool:
        here, there = pool.map(lambda each: _digests(each.connection, league), (source, target))
    return sorted(name for name in here if here[name] != there[name])


def _digests(connection: Any, league: int) -> dict[str, str]:
    found = {}
    with connection.cursor() as cursor:
        for table in moved_tables():
            cursor.execute(f"{table.digest} WHERE {table.rows_of(league)}")
            found[table.name] = cursor.fetchone()[0]
    return found


def written_there(connection: Any, league: int, since: str) -> list[str]:
    """Return the tables of facts in which a row of a league was written since a transaction."""
    facts = [table for table in moved_tables() if table.name in guarded_tables()]
    exists = "SELECT EXISTS (SELECT 1 FROM {} WHERE {} AND {})"
    return [
        table.name
        for table in facts
        if _value(connection, exists.format(table.name, table.rows_of(league), table.written(since)))
    ]


def take_some(connection: Any, table: MovedTable, league: int) -> int:
    """Take away some rows of a league; return how many."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {table.name} WHERE {table.key} IN"
            f" (SELECT {table.key} FROM {table.name} WHERE {table.rows_of(league)} LIMIT {AT_ONCE})"
        )
        return int(cursor.rowcount)


def _value(connection: Any, question: str, parameters: list[Any] | None = None) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(question, parameters)
        return cursor.fetchone()[0]
