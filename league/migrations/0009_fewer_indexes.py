"""Indexes that begin as another one does go (docs/adr/0031), and what is added to the history is compressed quickly.

The tables are left as they are: SQLite would write them anew for a field without an index.
"""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

PATIENCE = "SET LOCAL lock_timeout = '10s'"
"""A site that is in use is not held up for longer: then the migration fails, changes nothing and can be run again."""

OFFERED = "SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'"


def compress_quickly(apps: Any, schema_editor: Any) -> None:
    """Let PostgreSQL compress what is added to the history by lz4, where it was built with that (from version 14 on)."""
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(PATIENCE)
        cursor.execute(OFFERED)
        if (cursor.fetchone() or (False,))[0]:
            for column in ("before", "after"):
                cursor.execute(f"ALTER TABLE league_revision ALTER COLUMN {column} SET COMPRESSION lz4")


DROPPED = {
    "league_hanchan_league_id_5a2e4b36": ("league_hanchan", "league_id"),
    "league_hanchan_session_id_a1681717": ("league_hanchan", "session_id"),
    "league_seat_hanchan_id_b6645f0a": ("league_seat", "hanchan_id"),
    "league_seat_player_id_3cde8a3d": ("league_seat", "player_id"),
}


def foreign_key(model, name, to, on_delete, related_name, verbose_name):
    field = models.ForeignKey(
        db_index=False, on_delete=on_delete, related_name=related_name, to=to, verbose_name=verbose_name
    )
    return migrations.AlterField(model_name=model, name=name, field=field)


CASCADE, PROTECT = django.db.models.deletion.CASCADE, django.db.models.deletion.PROTECT


class Migration(migrations.Migration):
    dependencies = [("league", "0008_session_strict_entry")]

    operations = [
        migrations.RunPython(compress_quickly, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    f'DROP INDEX IF EXISTS "{index}"', f'CREATE INDEX IF NOT EXISTS "{index}" ON "{table}" ("{column}")'
                )
                for index, (table, column) in DROPPED.items()
            ],
            state_operations=[
                foreign_key("hanchan", "league", "league.league", CASCADE, "hanchan", "league"),
                foreign_key("hanchan", "session", "league.session", PROTECT, "hanchan", "session"),
                foreign_key("seat", "hanchan", "league.hanchan", CASCADE, "seats", "hanchan"),
                foreign_key("seat", "player", "league.player", PROTECT, "seats", "player"),
            ],
        ),
    ]
