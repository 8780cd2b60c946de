"""The database itself refuses to change the history."""

from typing import Any

from django.db import migrations

POSTGRESQL = """
    CREATE FUNCTION league_revision_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'league_revision only grows: % is refused', TG_OP;
    END $$;
    CREATE TRIGGER league_revision_only_grows BEFORE UPDATE OR DELETE ON league_revision
        FOR EACH ROW EXECUTE FUNCTION league_revision_refuse_change();
"""

# Django empties SQLite tables with DELETE where PostgreSQL has TRUNCATE, so only changes are refused here.
SQLITE = """
    CREATE TRIGGER league_revision_only_grows BEFORE UPDATE ON league_revision
    BEGIN
        SELECT RAISE(ABORT, 'league_revision only grows: UPDATE is refused');
    END
"""

REVERSE = {
    "postgresql": (
        "DROP TRIGGER league_revision_only_grows ON league_revision",
        "DROP FUNCTION league_revision_refuse_change()",
    ),
    "sqlite": ("DROP TRIGGER league_revision_only_grows",),
}


def protect(apps: Any, schema_editor: Any) -> None:
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    schema_editor.execute(POSTGRESQL if is_postgresql else SQLITE, params=None)


def unprotect(apps: Any, schema_editor: Any) -> None:
    for statement in REVERSE[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("league", "0001_first_tables")]

    operations = [migrations.RunPython(protect, unprotect)]
