"""What a hall sees and hears: the wall, the timer, calls. The triggers are made after every migration."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from league.models.edition_triggers import drop_triggers


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0032_no_key_marks'),
        ('tournaments', '0009_ticks'),
    ]

    operations = [
        migrations.CreateModel(
            name='ProjectorDirection',
            fields=[
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='wall', serialize=False, to='tournaments.tournament', verbose_name='tournament')),
                ('scene', models.CharField(choices=[('turns', 'In turn'), ('standings', 'Standings'), ('tables', 'Table by table'), ('conditions', 'What is needed'), ('seating', 'Who sits where'), ('bracket', 'Bracket'), ('timer', 'Timer'), ('champion', 'Champion')], default='turns', max_length=12, verbose_name='scene')),
                ('message', models.CharField(blank=True, max_length=80, verbose_name='message')),
                ('language', models.CharField(blank=True, choices=[('', 'as it was opened'), ('ja', '日本語'), ('en', 'English')], default='', max_length=2, verbose_name='language')),
            ],
            options={
                'verbose_name': 'what the wall shows',
                'verbose_name_plural': 'what walls show',
            },
        ),
        migrations.CreateModel(
            name='RoundTimer',
            fields=[
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='timer', serialize=False, to='tournaments.tournament', verbose_name='tournament')),
                ('length', models.PositiveIntegerField(verbose_name='length')),
                ('used', models.PositiveIntegerField(default=0, verbose_name='gone by')),
                ('started_at', models.DateTimeField(blank=True, null=True, verbose_name='started at')),
            ],
            options={
                'verbose_name': 'timer',
                'verbose_name_plural': 'timers',
                'constraints': [models.CheckConstraint(condition=models.Q(('length__gte', 1)), name='roundtimer_length_positive')],
            },
        ),
        migrations.CreateModel(
            name='ReadyTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.PositiveSmallIntegerField(verbose_name='round')),
                ('table', models.PositiveSmallIntegerField(verbose_name='table')),
                ('at', models.DateTimeField(verbose_name='ready since')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.session', verbose_name='session')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ready_tables', to='tournaments.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'table that is ready',
                'verbose_name_plural': 'tables that are ready',
                'ordering': ('tournament', 'session', 'round', 'table'),
                'constraints': [models.UniqueConstraint(fields=('tournament', 'session', 'round', 'table'), name='readytable_once')],
            },
        ),
        migrations.CreateModel(
            name='TableCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.PositiveSmallIntegerField(verbose_name='table')),
                ('called_at', models.DateTimeField(verbose_name='called at')),
                ('coming_at', models.DateTimeField(blank=True, null=True, verbose_name='coming since')),
                ('coming_name', models.CharField(blank=True, max_length=150, verbose_name='who comes')),
                ('done_at', models.DateTimeField(blank=True, null=True, verbose_name='done at')),
                ('done_name', models.CharField(blank=True, max_length=150, verbose_name='who was there')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.session', verbose_name='session')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='tournaments.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'call for a referee',
                'verbose_name_plural': 'calls for a referee',
                'ordering': ('tournament', 'called_at', 'pk'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('done_at', None)), fields=('tournament', 'session', 'table'), name='tablecall_one_open')],
            },
        ),
        migrations.CreateModel(
            name='TableTime',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.PositiveSmallIntegerField(verbose_name='table')),
                ('seconds', models.PositiveIntegerField(verbose_name='seconds')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.session', verbose_name='session')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='table_times', to='tournaments.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'extra time of a table',
                'verbose_name_plural': 'extra times of tables',
                'ordering': ('tournament', 'session', 'table'),
                'constraints': [models.UniqueConstraint(fields=('tournament', 'session', 'table'), name='tabletime_table_once')],
            },
        ),
        migrations.RunPython(migrations.RunPython.noop, take_triggers_away),
    ]
