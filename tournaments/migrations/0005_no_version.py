"""Tournaments have editions; the number that went up with every act on one has had no reader since."""

from typing import Any

from django.db import migrations, models

from league.models.edition_triggers import drop_triggers


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0004_tournament_editions")]

    operations = [
        migrations.RunPython(take_triggers_away, take_triggers_away),
        migrations.RemoveField(model_name="tournament", name="version"),
    ]
