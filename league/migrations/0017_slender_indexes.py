"""Fewer and narrower indexes on what is written by the thousand (docs/adr/0031); the site goes on writing meanwhile.

The tables are left as they are: SQLite would write them anew for a field without an index.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

MADE = {
    "seat_league_day_counted": '"league_seat" ("league_id", "day", "counted")',
    "hanchan_recorded_by": '"league_hanchan" ("recorded_by_id") WHERE "recorded_by_id" IS NOT NULL',
    "hanchan_recorded_through": '"league_hanchan" ("recorded_through_id") WHERE "recorded_through_id" IS NOT NULL',
}

_POINTS = 'INCLUDE ("player_id", "points", "settlement", "placement", "sharing", "total_only")'

DROPPED = {
    "seat_league_day": f'"league_seat" ("league_id", "day") {_POINTS} WHERE "counted"',
    "league_seat_league_id_9b725ad3": '"league_seat" ("league_id")',
    "league_hanchan_recorded_by_id_dd14af79": '"league_hanchan" ("recorded_by_id")',
    "league_hanchan_recorded_through_id_b8854469": '"league_hanchan" ("recorded_through_id")',
    "league_revision_league_id_c191666b": '"league_revision" ("league_id")',
    "league_revision_by_id_6a3ca5eb": '"league_revision" ("by_id")',
}


def forwards(apps: Any, schema_editor: Any) -> None:
    """Make what is new, then drop what nobody asks any more."""
    _replace(schema_editor, made=MADE, dropped=DROPPED)


def backwards(apps: Any, schema_editor: Any) -> None:
    """Make what was there before."""
    _replace(schema_editor, made=DROPPED, dropped=MADE)


def _replace(schema_editor: Any, made: dict[str, str], dropped: dict[str, str]) -> None:
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    beside = "CONCURRENTLY " if is_postgresql else ""
    for name, on in made.items():
        # One that was left half made, by a migration that was stopped, goes first.
        schema_editor.execute(f'DROP INDEX {beside}IF EXISTS "{name}"')
        schema_editor.execute(f'CREATE INDEX {beside}"{name}" ON {on if is_postgresql else on.replace(_POINTS, "")}')
    for name in dropped:
        schema_editor.execute(f'DROP INDEX {beside}IF EXISTS "{name}"')


class RemoveFieldOnce(migrations.RemoveField):
    """Removes a column unless a migration that was stopped has done so already."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Take the column away, if it is there."""
        model = from_state.apps.get_model(app_label, self.model_name)
        if _has_column(schema_editor, model, self.name):
            super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it, if it is not there."""
        model = to_state.apps.get_model(app_label, self.model_name)
        if not _has_column(schema_editor, model, self.name):
            super().database_backwards(app_label, schema_editor, from_state, to_state)


def _has_column(schema_editor: Any, model: Any, name: str) -> bool:
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, model._meta.db_table)
    return model._meta.get_field(name).column in {column.name for column in columns}


def without_index(model: str, name: str, **facts: Any) -> migrations.AlterField:
    field: Any = models.ForeignKey(db_index=False, **facts)
    return migrations.AlterField(model_name=model, name=name, field=field)


def index(model: str, *fields: str, name: str, only: Q | None = None) -> migrations.AddIndex:
    return migrations.AddIndex(model, models.Index(fields=fields, name=name, condition=only))


ON_DELETE = django.db.models.deletion
PERHAPS = {"blank": True, "null": True}


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("league", "0016_session_editions")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(forwards, backwards)],
            state_operations=[
                without_index("seat", "league", on_delete=ON_DELETE.CASCADE, related_name="+", to="league.league"),
                without_index(
                    *("hanchan", "recorded_by"),
                    **PERHAPS,
                    on_delete=ON_DELETE.SET_NULL,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
                without_index(
                    *("hanchan", "recorded_through"),
                    **PERHAPS,
                    editable=False,
                    on_delete=ON_DELETE.SET_NULL,
                    related_name="hanchan",
                    to="league.tablelink",
                ),
                without_index(
                    "revision", "league", on_delete=ON_DELETE.CASCADE, related_name="revisions", to="league.league"
                ),
                without_index(
                    *("revision", "by"),
                    **PERHAPS,
                    db_constraint=False,
                    on_delete=ON_DELETE.DO_NOTHING,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
                migrations.RemoveIndex("seat", "seat_league_day"),
                index("seat", "league", "day", "counted", name="seat_league_day_counted"),
                index("hanchan", "recorded_by", name="hanchan_recorded_by", only=Q(recorded_by__isnull=False)),
                index(
                    "hanchan",
                    "recorded_through",
                    name="hanchan_recorded_through",
                    only=Q(recorded_through__isnull=False),
                ),
            ],
        ),
        # Nobody reads it; a session's seats tell how much was played. Who goes back gets zeros, which nobody reads either.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.AlterField("sessiontotal", "hanchan", models.PositiveIntegerField(default=0))]
        ),
        RemoveFieldOnce(model_name="sessiontotal", name="hanchan"),
    ]
