"""Count the changes of each session, and keep what sessions and rules come to. Triggers are made after every migration."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from league.models.edition_triggers import drop_triggers

COUNT_LINES = """
    UPDATE league_board SET lines = (
        SELECT count(*) FROM league_standing AS line
        WHERE line.league_id = league_board.league_id AND line.period = league_board.period)
"""


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0015_jobs_that_go_on'),
    ]

    operations = [
        migrations.CreateModel(
            name='RuleUse',
            fields=[
                ('ruleset_version', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='+', serialize=False, to='league.rulesetversion')),
                ('hanchan', models.BigIntegerField(default=0)),
                ('standing', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='SessionEdition',
            fields=[
                ('session', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='+', serialize=False, to='league.session')),
                ('number', models.BigIntegerField(default=0)),
                ('moved_at', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.AddField(
            model_name='board',
            name='lines',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.CreateModel(
            name='RuleUseChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hanchan', models.BigIntegerField()),
                ('standing', models.BigIntegerField()),
                ('ruleset_version', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.rulesetversion')),
            ],
        ),
        migrations.CreateModel(
            name='SessionTotal',
            fields=[
                ('session', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='+', serialize=False, to='league.session')),
                ('edition', models.BigIntegerField()),
                ('hanchan', models.PositiveIntegerField()),
                ('seats', models.PositiveIntegerField()),
                ('players', models.PositiveIntegerField()),
                ('best', models.JSONField(default=dict)),
                ('strays', models.BooleanField(default=False)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('strays', True)), fields=['session'], name='session_total_strays')],
            },
        ),
        migrations.CreateModel(
            name='SessionRise',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.BigIntegerField()),
                ('session', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.session')),
            ],
            options={
                'indexes': [models.Index(fields=['session', 'at'], name='session_rise_session')],
            },
        ),
        migrations.RunSQL(COUNT_LINES, migrations.RunSQL.noop),
        migrations.RunPython(migrations.RunPython.noop, take_triggers_away),
    ]
