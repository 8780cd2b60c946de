import json
from pathlib import Path

import pytest
from django.db import migrations, models
from django.db.migrations.state import ProjectState

from league.models.triggers import MakeTables
from tests.budget import varied
from tests.keeping.sites import told
from tests.production.databases import ENGINES, new_database

THERE_AND_BACK = """
import json
from django.core.management import call_command
from django.db import connection
from league.models.triggers import missing_triggers

def tables():
    return sorted(name for name in connection.introspection.table_names()
                  if name.startswith(("accounts_", "league_", "stats_", "tournaments_")))

def made():
    with connection.cursor() as cursor:
        return {name: [set(connection.introspection.get_constraints(cursor, name)),
                       {column.name for column in connection.introspection.get_table_description(cursor, name)}]
                for name in tables()}

def functions():
    if connection.vendor == "sqlite":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT proname FROM pg_proc WHERE proname ~ '_(raises|leaves|refuses)$'")
        return cursor.fetchall()

call_command("migrate", verbosity=0)
before = made()
call_command("migrate", "league", "zero", verbosity=0)
gone = tables() + functions()
call_command("migrate", verbosity=0)
print(json.dumps([len(before), gone, made() == before, missing_triggers()]))
"""


@pytest.mark.merge
@varied("engine", ENGINES)
def test_migrations_can_be_reversed_and_applied_again(tmp_path: Path, engine: str) -> None:
    with new_database(engine, tmp_path) as database:
        count, left, is_same, without_triggers = json.loads(told(database, THERE_AND_BACK))
    assert count > 40
    assert left == []
    assert is_same
    assert without_triggers == []


def test_initial_migration_resolves_forward_references() -> None:
    key = models.ForeignKey("league.Second", models.CASCADE)
    number = models.BigAutoField(primary_key=True)
    tables = MakeTables(
        [
            migrations.CreateModel("First", [("id", number), ("second", key)]),
            migrations.CreateModel("Second", [("id", number.clone())]),
        ]
    )
    state = ProjectState()
    tables.state_forwards("league", state)
    first = state.apps.get_model("league", "First")
    assert first._meta.get_field("second").related_model is state.apps.get_model("league", "Second")
