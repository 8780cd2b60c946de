"""What the database itself refuses about merged names, on both databases, whoever writes.

Services read players before they write; between the two somebody may merge them. No check in Python closes that gap, so
the tables do: `player_present` keeps rows off a name that has become somebody else's, `player_takes_all_along` keeps a
merge from leaving any behind, `player_in_no_circle` keeps a name from becoming part of itself. Like the triggers of
editions they are made after each migration (docs/adr/0032).
"""

# ruff: noqa: S608 - the statements are put together from the names of tables; no value goes into them

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from league.models.adjustments import Adjustment
from league.models.plans import SessionPoints
from league.models.play import Seat
from league.models.players import Player

PRESENT, ALL_ALONG, NO_CIRCLE = "player_present", "player_takes_all_along", "player_in_no_circle"

PLAYER = Player._meta.db_table
OWNED = tuple(model._meta.db_table for model in (Seat, Adjustment, SessionPoints))
"""The tables whose rows go along with a merge."""

VERSION = 1
"""Raised with every change of the statements, so that databases that have the former ones get these."""


def make_guards(connection: BaseDatabaseWrapper) -> None:
    """Make the guards unless they stand already; nobody waits for a lock where they do."""
    tables = set(connection.introspection.table_names())
    if not {PLAYER, *OWNED} <= tables or _stand(connection):
        return
    _execute(connection, (*_removal(connection), *_statements(connection)))


def drop_guards(connection: BaseDatabaseWrapper) -> None:
    """Take the guards away, for migrations that rebuild tables."""
    _execute(connection, _removal(connection))


def _execute(connection: BaseDatabaseWrapper, statements: Iterable[str]) -> None:
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _stand(connection: BaseDatabaseWrapper) -> bool:
    """Return whether the guards of this version are there. One query."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT count(*) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
                f" WHERE NOT tgisinternal AND pg_table_is_visible(pg_class.oid) AND tgname LIKE 'guard{VERSION}\\_%%'",
                [],
            )
        else:
            cursor.execute(
                "SELECT count(*) FROM sqlite_master"
                f" WHERE type = 'trigger' AND name LIKE 'guard{VERSION}\\_%%' ESCAPE '\\'",
                [],
            )
        (count,) = cursor.fetchone()
        return int(count) == len(list(_guards(connection)))


def _guards(connection: BaseDatabaseWrapper) -> Iterator[str]:
    return (statement for statement in _statements(connection) if "CREATE TRIGGER" in statement)


def _statements(connection: BaseDatabaseWrapper) -> Iterator[str]:
    return _on_postgresql() if connection.vendor == "postgresql" else _on_sqlite()


def _removal(connection: BaseDatabaseWrapper) -> Iterator[str]:
    if connection.vendor == "postgresql":
        for function in ("rows_present", "row_present", "all_along", "no_circle"):
            yield f"DROP FUNCTION IF EXISTS league_guard_{function}() CASCADE"
        return
    for number in range(1, VERSION + 1):
        for table in (*OWNED, PLAYER):
            for what in ("insert", "update", "circle", "along"):
                yield f"DROP TRIGGER IF EXISTS guard{number}_{table}_{what}"


# --- PostgreSQL ---------------------------------------------------------------------------------------------------------


def _on_postgresql() -> Iterator[str]:
    yield _function(
        "rows_present",
        f"""
        PERFORM 1 FROM {PLAYER} WHERE id IN (SELECT player_id FROM written) ORDER BY id FOR KEY SHARE;
        IF EXISTS (SELECT 1 FROM {PLAYER} WHERE merged_into_id IS NOT NULL AND id IN (SELECT player_id FROM written)) THEN
            {_refuse(PRESENT)}
        END IF;""",
    )
    yield _function(
        "row_present",
        f"""
        PERFORM 1 FROM {PLAYER} WHERE id = NEW.player_id AND merged_into_id IS NULL FOR KEY SHARE;
        IF NOT FOUND THEN
            {_refuse(PRESENT)}
        END IF;""",
    )
    for table in OWNED:
        yield (
            f"CREATE TRIGGER guard{VERSION}_{table}_insert AFTER INSERT ON {table} REFERENCING NEW TABLE AS written"
            " FOR EACH STATEMENT EXECUTE FUNCTION league_guard_rows_present()"
        )
        yield (
            f"CREATE TRIGGER guard{VERSION}_{table}_update AFTER UPDATE OF player_id ON {table} FOR EACH ROW"
            " WHEN (OLD.player_id IS DISTINCT FROM NEW.player_id) EXECUTE FUNCTION league_guard_row_present()"
        )
    yield _function(
        "no_circle",
        f"""
        above := NEW.merged_into_id;
        WHILE above IS NOT NULL LOOP
            IF above = NEW.id THEN
                {_refuse(NO_CIRCLE)}
            END IF;
            SELECT merged_into_id INTO above FROM {PLAYER} WHERE id = above FOR SHARE;
        END LOOP;""",
        "DECLARE above bigint;",
    )
    left = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE player_id = NEW.id)" for table in OWNED)
    yield _function("all_along", f"IF {left} THEN {_refuse(ALL_ALONG)} END IF;")
    for what, function in (("circle", "no_circle"), ("along", "all_along")):
        yield (
            f"CREATE TRIGGER guard{VERSION}_{PLAYER}_{what} AFTER UPDATE OF merged_into_id ON {PLAYER} FOR EACH ROW"
            " WHEN (NEW.merged_into_id IS NOT NULL AND OLD.merged_into_id IS DISTINCT FROM NEW.merged_into_id)"
            f" EXECUTE FUNCTION league_guard_{function}()"
        )


def _function(name: str, body: str, declare: str = "") -> str:
    return f"""
    CREATE FUNCTION league_guard_{name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    {declare}
    BEGIN
        {body}
        RETURN NULL;
    END $$"""


def _refuse(guard: str) -> str:
    return f"RAISE EXCEPTION '{guard}' USING ERRCODE = 'check_violation', CONSTRAINT = '{guard}';"


# --- SQLite: one writer at a time, so what is read here is what stands ---------------------------------------------------


def _on_sqlite() -> Iterator[str]:
    merged = f"(SELECT merged_into_id FROM {PLAYER} WHERE id = NEW.player_id) IS NOT NULL"
    for table in OWNED:
        yield _before(table, "insert", "INSERT", merged, PRESENT)
        yield _before(table, "update", "UPDATE OF player_id", f"OLD.player_id <> NEW.player_id AND {merged}", PRESENT)
    circle = (
        f"NEW.id IN (WITH RECURSIVE chain(id) AS (SELECT NEW.merged_into_id UNION SELECT merged_into_id FROM {PLAYER}"
        f" JOIN chain USING (id)) SELECT id FROM chain WHERE id IS NOT NULL)"
    )
    yield _before(
        PLAYER, "circle", "UPDATE OF merged_into_id", f"NEW.merged_into_id IS NOT NULL AND {circle}", NO_CIRCLE
    )
    left = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE player_id = NEW.id)" for table in OWNED)
    is_new = "NEW.merged_into_id IS NOT NULL AND OLD.merged_into_id IS NOT NEW.merged_into_id"
    yield _before(PLAYER, "along", "UPDATE OF merged_into_id", f"{is_new} AND ({left})", ALL_ALONG)


def _before(table: str, what: str, event: str, when: str, guard: str) -> str:
    return (
        f"CREATE TRIGGER guard{VERSION}_{table}_{what} BEFORE {event} ON {table} WHEN {when}"
        f" BEGIN SELECT RAISE(ABORT, '{guard}'); END"
    )
