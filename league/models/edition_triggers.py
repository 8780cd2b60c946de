"""Triggers that raise the edition of a league with every change of a row that belongs to it, on both databases.

They are made anew after each migration, for all tables there are: a new table has them without a word, and no
migration that rebuilds a table loses them. docs/adr/0030 tells why the database does this and how it is counted.
"""

# ruff: noqa: S608 - the statements are put together from the names of tables; no value goes into them

from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from league.models.edition_scopes import EVENTS, NOW_POSTGRESQL, NOW_SQLITE, SUM_UP_EVERY, SUMMING_UP, Watched, watched
from league.models.leagues import League

NOT_SHOWN = {
    "league.Edition": "it is the count itself",
    "league.EditionRise": "it is the count itself",
    "league.SessionEdition": "it is a count itself",
    "league.SessionRise": "it is a count itself",
    "league.SessionTotal": "it says what the hanchan of the session say",
    "league.RuleUse": "it says how many hanchan there are",
    "league.RuleUseChange": "it says how many hanchan there are",
    "stats.KeptSums": "it says what the hanchan of the period say",
    "stats.RatedHanchan": "it is written with the state of the ratings, which raises the edition",
    "stats.PlayerRating": "as well",
    "tournaments.TournamentEdition": "it is a count itself",
    "tournaments.TournamentRise": "it is a count itself",
    "league.Job": "long work: its own page asks for its progress, and what it changes raises the edition",
    "league.ImportBatch": "a file being prepared; what its run makes raises the edition",
    "league.ImportMending": "as the upload that it belongs to",
    "league.Attempts": "tries of secrets are nothing that a page shows",
    "league.SignOfLife": "when workers were heard of is told on the host's page, which nobody keeps",
    "league.Backup": "it is of the whole site, and on no page of a league",
    "league.SentForm": "it belongs to no page: it tells a form that has done its work",
    "league.HeldResult": "kept for the organisers' desk and on no page that is kept",
    "league.HeldPhoto": "as the held result that it came with",
    "league.AttendanceLink": "the codes are on the organisers' page only; each answer notes the link's last use",
    "league.LeagueOffer": "it is shown to owners and to whoever it is made to, on pages that nobody keeps",
    "tournaments.Director": "what directors may do is on pages of their own, which are theirs alone",
    "league.LiveAddress": "secret addresses are on the organisers' page only; reading by one notes its last use",
    "league.TableLink": "the codes of tables are on the organisers' pages only; each entry notes the link's last use",
    "accounts.Invitation": "invitations are on the organisers' pages only",
    "accounts.Claim": "what waits is on the organisers' desk and for whoever said it; who somebody is stands with the player",
    "accounts.Preferences": "what one person chose, and read by them alone",
    "accounts.ClosedAccount": "how far the traces of an account were taken away; what that changes raises the edition",
    "accounts.Notice": "as well",
    "accounts.NoticeMail": "as well, and counted for the host",
}
"""Tables of a league that no kept page shows, each with the reason why it raises no edition."""

EDITION, RISE = "league_edition", "league_editionrise"


def watched_models() -> Iterator[type[models.Model]]:
    """Yield every model whose rows belong to a league and are shown on pages."""
    for model in apps.get_models():
        if model._meta.label not in NOT_SHOWN and (model is League or parent_of(model) is not None):
            yield model


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
    """Make what is missing of the triggers on the tables there are, all at once, and a count for every league.

    Tables whose triggers are as they should be are not touched: nobody waits for a lock then. Where some were missing,
    nobody knows what was changed meanwhile: then every league has another edition.
    """
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        if not {EDITION, RISE} <= tables:
            return
        standing, schema = _standing(connection), _schema_of(connection)
        others = [each for each in watched if each.tables <= tables]
        made: list[str] = []
        for model in watched_models():
            table, wanted = model._meta.db_table, tuple(_statements(model, schema, others))
            if table in tables and standing.get(table) != _sign(wanted):
                made += (*_removal(connection, model), *wanted, *_signature(connection, model, wanted))
        if made:
            made += _anew(connection, others)
        for statement in made:
            cursor.execute(statement)
        cursor.execute(MISSING)


MISSING = (
    f"INSERT INTO {EDITION} (league_id, number, moved_at) SELECT id, 0, 0 FROM {League._meta.db_table}"
    f" WHERE id NOT IN (SELECT league_id FROM {EDITION})"
)
"""A count for every league that has none."""


def count_anew(connection: BaseDatabaseWrapper) -> None:
    """Begin every count anew after rows were stored past the triggers: no edition of before is one of now."""
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        if {EDITION, RISE} <= tables:
            cursor.execute(MISSING)
            for statement in _anew(connection, [each for each in watched if each.tables <= tables]):
                cursor.execute(statement)


def _anew(connection: BaseDatabaseWrapper, others: Iterable[Watched]) -> Iterator[str]:
    is_postgresql = connection.vendor == "postgresql"
    yield f"UPDATE {EDITION} SET number = number + 1, moved_at = {NOW_POSTGRESQL if is_postgresql else NOW_SQLITE}"
    for each in others:
        yield from each.anew(postgresql=is_postgresql)


def tables_without_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """Return the tables whose triggers are missing or not as the models want them."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
    standing, schema = _standing(connection), _schema_of(connection)
    others = [each for each in watched if each.tables <= tables]
    wanted = {model._meta.db_table: _sign(tuple(_statements(model, schema, others))) for model in watched_models()}
    return sorted(table for table, sign in wanted.items() if standing.get(table) != sign)


def _sign(statements: Iterable[str]) -> str:
    return blake2b("".join(sorted(statements)).encode(), digest_size=16).hexdigest()


def _standing(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """Return the signature of the triggers that each table has."""
    found: dict[str, list[str]] = defaultdict(list)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT relname, obj_description(pg_trigger.oid, 'pg_trigger') FROM pg_trigger"
                " JOIN pg_class ON pg_class.oid = tgrelid WHERE NOT tgisinternal AND tgname = relname || '_insert'"
            )
            return dict(cursor.fetchall())
        cursor.execute("SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        counts = {EDITION}.union(*(each.tables for each in watched))
        for table, sql in cursor.fetchall():
            if any(count in sql for count in counts):
                found[table].append(sql)
    return {table: _sign(statements) for table, statements in found.items()}


def _signature(connection: BaseDatabaseWrapper, model: type[models.Model], statements: Iterable[str]) -> Iterator[str]:
    """Yield what writes down by which statements the triggers of a table were made; SQLite keeps those themselves."""
    table = model._meta.db_table
    if connection.vendor == "postgresql":
        yield f"COMMENT ON TRIGGER {table}_insert ON {table} IS '{_sign(statements)}'"


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    """Take all triggers away, so that tables can be deleted."""
    with connection.cursor() as cursor:
        for model in watched_models():
            for statement in _removal(connection, model):
                cursor.execute(statement)
        if connection.vendor == "postgresql":
            cursor.execute(f"DROP FUNCTION IF EXISTS {EDITION}_sum_up(bigint)")


def _schema_of(connection: BaseDatabaseWrapper) -> str:
    """Return the schema that the tables are in; empty where there are none."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(current_schema())")
        return str(cursor.fetchone()[0])


def _statements(model: type[models.Model], schema: str, others: Iterable[Watched]) -> Iterator[str]:
    yield from _on_postgresql(model, schema) if schema else _on_sqlite(model)
    for each in others:
        yield from each.statements(model._meta.db_table, schema)


def _removal(connection: BaseDatabaseWrapper, model: type[models.Model]) -> Iterator[str]:
    table = model._meta.db_table
    for each in watched:
        yield from each.removal(table, postgresql=connection.vendor == "postgresql")
    if connection.vendor == "postgresql":
        yield f"DROP FUNCTION IF EXISTS {table}_raises() CASCADE"
        yield f"DROP FUNCTION IF EXISTS {table}_leaves() CASCADE"
        return
    for event in (*EVENTS, "leave"):
        yield f"DROP TRIGGER IF EXISTS {table}_{event}"


def league_of(model: type[models.Model], row: str, schema: str = "") -> str:
    """Return an expression for the league of a row; null once the row that leads there is gone.

    `schema`: what stands before the names of tables.
    """
    parent = parent_of(model)
    if model is League or parent is None:
        return f"{row}.id"
    column = f"{row}.{parent.column}"
    above: Any = parent.related_model
    if above is League:
        return column
    table = above._meta.db_table
    return f"(SELECT {league_of(above, table, schema)} FROM {schema}{table} WHERE {table}.id = {column})"


# --- PostgreSQL: one row per statement and league, which no other writer waits for --------------------------------------


def _on_postgresql(model: type[models.Model], schema: str) -> Iterator[str]:
    # With their schema, since whoever restores a dump writes without a search path.
    edition, rise = f"{schema}.{EDITION}", f"{schema}.{RISE}"
    table, parent = model._meta.db_table, parent_of(model)
    leagues = f"SELECT DISTINCT {league_of(model, 'changed', f'{schema}.')} AS league_id FROM changed"
    begins = ""
    if model is League:
        yield SUMMING_UP.format(edition=edition, rise=rise, column="league_id")
        begins = f"""
        IF TG_OP = 'INSERT' THEN
            INSERT INTO {edition} (league_id, number, moved_at) SELECT id, 0, 0 FROM changed;
        END IF;"""
    yield f"""
    CREATE FUNCTION {table}_raises() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN{begins}
        IF TG_OP = 'TRUNCATE' THEN
            INSERT INTO {rise} (league_id, at) SELECT league_id, {NOW_POSTGRESQL} FROM {edition};
            RETURN NULL;
        END IF;
        INSERT INTO {rise} (league_id, at)
        SELECT league_id, {NOW_POSTGRESQL} FROM ({leagues}) AS touched WHERE league_id IS NOT NULL;
        IF FOUND AND currval('{rise}_id_seq') % {SUM_UP_EVERY} = 0 THEN
            PERFORM {edition}_sum_up(league_id) FROM ({leagues}) AS touched WHERE league_id IS NOT NULL;
        END IF;
        RETURN NULL;
    END $$"""
    for event, side in EVENTS.items():
        yield (
            f"CREATE TRIGGER {table}_{event} AFTER {event.upper()} ON {table}"
            f" REFERENCING {side} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {table}_raises()"
        )
    yield (
        f"CREATE TRIGGER {table}_truncate AFTER TRUNCATE ON {table}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {table}_raises()"
    )
    if parent is not None:
        yield f"""
    CREATE FUNCTION {table}_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO {rise} (league_id, at)
        SELECT league_id, {NOW_POSTGRESQL} FROM (SELECT {league_of(model, "OLD", f"{schema}.")} AS league_id) AS left_behind
        WHERE league_id IS NOT NULL;
        RETURN NULL;
    END $$"""
        yield (
            f"CREATE TRIGGER {table}_leave AFTER UPDATE OF {parent.column} ON {table} FOR EACH ROW"
            f" WHEN (OLD.{parent.column} IS DISTINCT FROM NEW.{parent.column}) EXECUTE FUNCTION {table}_leaves()"
        )


# --- SQLite: one writer at a time, so the number itself is raised -------------------------------------------------------


def _on_sqlite(model: type[models.Model]) -> Iterator[str]:
    table, parent = model._meta.db_table, parent_of(model)
    for event, side in EVENTS.items():
        begins = ""
        if model is League and event == "insert":
            begins = f"INSERT OR REPLACE INTO {EDITION} (league_id, number, moved_at) VALUES (NEW.id, 0, 0); "
        yield f"CREATE TRIGGER {table}_{event} AFTER {event.upper()} ON {table} BEGIN {begins}{_raise(model, side)} END"
    if parent is not None:
        yield (
            f"CREATE TRIGGER {table}_leave AFTER UPDATE OF {parent.column} ON {table}"
            f" WHEN OLD.{parent.column} IS NOT NEW.{parent.column} BEGIN {_raise(model, 'OLD')} END"
        )


def _raise(model: type[models.Model], side: str) -> str:
    return (
        f"UPDATE {EDITION} SET number = number + 1, moved_at = {NOW_SQLITE} WHERE league_id = {league_of(model, side)};"
    )
