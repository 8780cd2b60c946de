"""How a league may be deleted for good, on both databases, whoever writes: after its time, and no sooner.

What only grows lets rows go whose league is due. When a league is due is stored in it, and the database takes no moment
that is nearer than the waiting time. On PostgreSQL the role that serves pages may delete neither what only grows nor what
is kept; it may call functions of the owner that do so for a league that is due (docs/adr/0051).
"""

# ruff: noqa: S608 - the statements are put together from the names of tables; no value goes into them

from collections.abc import Iterable, Iterator
from datetime import timedelta
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from django.apps import apps
from django.db import models

from league.models.edition_triggers import league_of, parent_of
from league.models.growing import growing, kept
from league.models.leagues import League, LeagueOffer

WAIT = timedelta(days=14)
"""For so long everybody reads that a league will be deleted, and every owner can stop that."""

LEAST_WAIT = timedelta(days=13)
"""The database refuses less: clocks of servers may differ, and an hour may be missing on the way."""


class Endings:
    """The guard of the moment at which a league ends, and on PostgreSQL what deletes guarded rows of one that has."""

    league = League._meta.db_table
    tables = frozenset({league, LeagueOffer._meta.db_table})
    """A league has had a moment to end since there are offers: a database from before has neither."""

    def statements(self, table: str, schema: str) -> Iterator[str]:
        """Yield the guard of the league's table, and what deletes rows of a guarded one."""
        if table == self.league:
            yield from _guard_on_postgresql(table) if schema else _guard_on_sqlite(table)
        if schema and table in guarded_tables():
            yield _deletion(table, schema)

    def removal(self, table: str, *, postgresql: bool) -> Iterator[str]:
        """Yield what takes them away."""
        if not postgresql and table == self.league:
            yield from (f"DROP TRIGGER IF EXISTS {table}_ends_{event}" for event in ("insert", "update"))
        if postgresql:
            yield f"DROP FUNCTION IF EXISTS {table}_ends_early() CASCADE"
            yield f"DROP FUNCTION IF EXISTS {table}_ends(bigint, bigint[])"

    def anew(self, *, postgresql: bool) -> Iterator[str]:
        """Yield nothing: a moment stays what it was stored as."""
        yield from ()


def guarded_tables() -> frozenset[str]:
    """Return the tables from which whoever serves pages deletes nothing."""
    return frozenset(kept) | {each.table for each in growing}


def _guard_on_postgresql(table: str) -> Iterator[str]:
    yield f"""
    CREATE FUNCTION {table}_ends_early() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.ends_at < now() + interval '{LEAST_WAIT.days} days'
            AND (TG_OP = 'INSERT' OR NEW.ends_at IS DISTINCT FROM OLD.ends_at) THEN
            RAISE EXCEPTION 'a league is deleted {LEAST_WAIT.days} days from now at the earliest';
        END IF;
        RETURN NEW;
    END $$"""
    yield (
        f"CREATE TRIGGER {table}_ends_early BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW"
        f" WHEN (NEW.ends_at IS NOT NULL) EXECUTE FUNCTION {table}_ends_early()"
    )


def _guard_on_sqlite(table: str) -> Iterator[str]:
    early = f"NEW.ends_at < strftime('%Y-%m-%d %H:%M:%f', 'now', '+{LEAST_WAIT.days} days')"
    refusal = f"SELECT RAISE(ABORT, 'a league is deleted {LEAST_WAIT.days} days from now at the earliest')"
    yield f"CREATE TRIGGER {table}_ends_insert BEFORE INSERT ON {table} WHEN {early} BEGIN {refusal}; END"
    changed = "NEW.ends_at IS NOT OLD.ends_at"
    yield (
        f"CREATE TRIGGER {table}_ends_update BEFORE UPDATE OF ends_at ON {table} WHEN {changed} AND {early}"
        f" BEGIN {refusal}; END"
    )


def _deletion(table: str, schema: str) -> str:
    """Return a function of the owner that deletes rows of a league which is due, and none of another."""
    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    return f"""
    CREATE FUNCTION {table}_ends(ended bigint, doomed bigint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
    BEGIN
        IF NOT EXISTS (SELECT 1 FROM {schema}.league_league WHERE id = ended AND ends_at <= now()) THEN
            RAISE EXCEPTION 'the time of league % has not come', ended;
        END IF;
        DELETE FROM {schema}.{table} WHERE id = ANY(doomed) AND {league_of(model, table, f"{schema}.")} = ended;
    END $$"""


# --- What belongs to a league ------------------------------------------------------------------------------------------


@cache
def rows_of_leagues() -> tuple[type[models.Model], ...]:
    """Return every table with rows of a league, in an order in which they can go: nothing points at what is gone."""
    ours = {model for model in apps.get_models() if model is League or parent_of(model) is not None}
    above = {model: {key.related_model for key in _keys(model)} & ours - {model} for model in ours - {League}}
    order = tuple(TopologicalSorter(above).static_order())
    return tuple(reversed(order))


@cache
def counts_of(model: type[models.Model]) -> tuple[models.ForeignKey[Any, Any], ...]:
    """Return the keys by which tables of counts tell whose they are; the database does not know of these."""
    keys = (key for other in apps.get_models() for key in _keys(other))
    return tuple(key for key in keys if key.related_model is model and not vars(key)["db_constraint"])


@cache
def keys_within(model: type[models.Model]) -> tuple[models.ForeignKey[Any, Any], ...]:
    """Return the keys by which a row points at another of its own table."""
    return tuple(key for key in _keys(model) if key.related_model is model)


def in_league(model: type[models.Model]) -> str:
    """Return what holds of a row of a league in a statement, which takes the league as its only parameter."""
    parent = parent_of(model)
    if model is League or parent is None:
        return f"{League._meta.pk.column} = %s"
    above: Any = parent.related_model
    if above is League:
        return f"{parent.column} = %s"
    return f"{parent.column} IN (SELECT {above._meta.pk.column} FROM {above._meta.db_table} WHERE {in_league(above)})"


def _keys(model: type[models.Model]) -> Iterable[models.ForeignKey[Any, Any]]:
    return (field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey))


ENDINGS = Endings()
