"""Whether a tournament shows chances; those that are there go on doing so."""

from typing import Any

from django.db import migrations, models

from league.models.edition_triggers import drop_triggers


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    """Let SQLite write the table anew; the triggers are made after every migration."""
    if schema_editor.connection.vendor == "sqlite":
        drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ("tournaments", "0010_wall"),
    ]

    operations = [
        migrations.RunPython(take_triggers_away, migrations.RunPython.noop),
        migrations.AddField(
            model_name="tournament",
            name="shows_chances",
            field=models.BooleanField(db_default=True, default=True, verbose_name="chances are shown"),
        ),
        migrations.RunPython(migrations.RunPython.noop, take_triggers_away),
    ]
