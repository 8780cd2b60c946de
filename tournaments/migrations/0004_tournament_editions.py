"""Count the changes of each tournament. The triggers that do it are made after every migration."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from league.models.edition_triggers import drop_triggers


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0003_tournament_strict_entry'),
    ]

    operations = [
        migrations.CreateModel(
            name='TournamentEdition',
            fields=[
                ('tournament', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='+', serialize=False, to='tournaments.tournament')),
                ('number', models.BigIntegerField(default=0)),
                ('moved_at', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='TournamentRise',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.BigIntegerField()),
                ('tournament', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='tournaments.tournament')),
            ],
            options={
                'indexes': [models.Index(fields=['tournament', 'at'], name='tournament_rise_tournament')],
            },
        ),
        migrations.RunPython(migrations.RunPython.noop, take_triggers_away),
    ]
