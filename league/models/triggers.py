"""Database triggers: the history cannot be changed, and merged players get no new rows.

Python code reads a player before it writes, so it cannot notice a merge in between (`player_present`, docs/adr/0010).
Texts of a revision can be removed only together with setting `redacted_at` (docs/adr/0048). Rows of a league whose
deletion is due can be deleted. The triggers are created after each migration.
"""

# ruff: noqa: S608 - only table names are formatted into the SQL, no values

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from league.engine import has_functions, of_engine

HISTORY = "league_revision"

OWNED = ("league_seat", "league_adjustment", "league_sessionpoints")
"""Tables whose rows move when players are merged."""

FIGURES = ("id", "league_id", "subject", "subject_id", "action", "at", "by_id")
"""Columns of a revision that can never change."""


def _redacted(same: str) -> str:
    figures = " AND ".join(f"OLD.{column} {same} NEW.{column}" for column in FIGURES)
    return f"NEW.redacted_at IS NOT NULL AND NOT (NEW.redacted_at {same} OLD.redacted_at) AND {figures}"


def _due(now: str, schema: str = "") -> str:
    return f"EXISTS (SELECT 1 FROM {schema}league_league WHERE id = OLD.league_id AND ends_at <= {now})"


def _on_sqlite() -> dict[str, str]:
    # SQLite has one writer at a time, so the row read is up to date.
    merged = "(SELECT merged_into_id FROM league_player WHERE id = NEW.player_id) IS NOT NULL"
    found = {}
    for table in OWNED:
        found[f"{table}_present_insert"] = f"BEFORE INSERT ON {table} WHEN {merged} {_abort('player_present')}"
        moved = f"OLD.player_id <> NEW.player_id AND {merged}"
        found[f"{table}_present_update"] = (
            f"BEFORE UPDATE OF player_id ON {table} WHEN {moved} {_abort('player_present')}"
        )
    lawful = {"update": _redacted("IS"), "delete": _due("strftime('%Y-%m-%d %H:%M:%f', 'now')")}
    for event, allowed in lawful.items():
        refused = _abort(f"{HISTORY} only grows: {event.upper()} is refused")
        found[f"{HISTORY}_stays_{event}"] = f"BEFORE {event.upper()} ON {HISTORY} WHEN NOT ({allowed}) {refused}"
    return found


def _abort(sentence: str) -> str:
    return f"BEGIN SELECT RAISE(ABORT, '{sentence}'); END"


def _on_postgresql() -> dict[str, str]:
    event = "AFTER INSERT OR UPDATE OF player_id"
    found = {
        f"{table}_present": f"{event} ON {table} FOR EACH ROW EXECUTE FUNCTION player_present()" for table in OWNED
    }
    stays = f"BEFORE UPDATE OR DELETE ON {HISTORY} FOR EACH ROW EXECUTE FUNCTION {HISTORY}_stays()"
    return found | {f"{HISTORY}_stays": stays}


def triggers() -> dict[str, str]:
    return of_engine(postgresql=_on_postgresql, sqlite=_on_sqlite)()


# Qualified, as temporary tables, which any role can create, come first in the search path.
FUNCTIONS = """
    CREATE OR REPLACE FUNCTION player_present() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM 1 FROM {schema}.league_player WHERE id = NEW.player_id AND merged_into_id IS NULL FOR KEY SHARE;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'player_present' USING ERRCODE = 'check_violation', CONSTRAINT = 'player_present';
        END IF;
        RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION {history}_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'UPDATE' THEN
            IF {redacted} THEN
                RETURN NEW;
            END IF;
        ELSIF {due} THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION '{history} only grows: % is refused', TG_OP;
    END $$
"""


def make_triggers() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        if HISTORY not in connection.introspection.table_names(cursor):
            return
        drop_triggers()
        if has_functions():
            _make_functions(cursor)
        for name, does in triggers().items():
            cursor.execute(f"CREATE TRIGGER {name} {does}")


def _make_functions(cursor: CursorWrapper) -> None:
    cursor.execute("SELECT quote_ident(current_schema())")
    schema = cursor.fetchone()[0]
    lawful = {"redacted": _redacted("IS NOT DISTINCT FROM"), "due": _due("now()", f"{schema}.")}
    cursor.execute(FUNCTIONS.format(schema=schema, history=HISTORY, **lawful))


def drop_triggers() -> None:
    with connection.cursor() as cursor:
        for name, does in triggers().items():
            table = does.partition(" ON ")[2].split()[0]
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}{of_engine(postgresql=f' ON {table}', sqlite='')}")


def missing_triggers() -> list[str]:
    with connection.cursor() as cursor:
        sqlite = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        cursor.execute(of_engine(postgresql="SELECT tgname FROM pg_trigger WHERE NOT tgisinternal", sqlite=sqlite))
        return sorted(triggers().keys() - {name for (name,) in cursor.fetchall()})


class MakeTables(Operation):
    """Migration operation: create the tables of many models, with indexes and constraints; reversing deletes them.

    CreateModel rebuilds the models of all apps each time, which took most of the time to set up an empty database. Here
    they are rendered once, so a model may also refer to a later one.
    """

    def __init__(self, models: Sequence[CreateModel]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        # Otherwise each model added would render the earlier ones again.
        vars(state).pop("apps", None)
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for model in self._drawn(app_label, schema_editor, to_state):
            schema_editor.create_model(model)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Delete the tables and all triggers; those of other tables are created again after the migration."""
        drop_triggers()
        for model in self._drawn(app_label, schema_editor, from_state):
            schema_editor.delete_model(model)

    def describe(self) -> str:
        return f"Make {len(self.models)} tables"

    def _drawn(self, app_label: str, schema_editor: Any, state: ProjectState) -> list[Any]:
        drawn = [state.apps.get_model(app_label, model.name) for model in self.models]
        return [model for model in drawn if self.allow_migrate_model(schema_editor.connection.alias, model)]
