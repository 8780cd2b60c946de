"""Count how often anything of a league changes. The triggers that do it are made after every migration."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from league.models.edition_triggers import drop_triggers


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("league", "0009_fewer_indexes")]

    operations = [
        migrations.CreateModel(
            name="Edition",
            fields=[
                (
                    "league",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="league.league",
                    ),
                ),
                ("number", models.BigIntegerField(default=0)),
                ("moved_at", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="EditionRise",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.BigIntegerField()),
                (
                    "league",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="league.league",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="editionrise",
            index=models.Index(fields=["league", "at"], name="edition_rise_league"),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(fields=["league", "date"], name="session_league_date"),
        ),
        migrations.RunPython(migrations.RunPython.noop, take_triggers_away),
    ]
