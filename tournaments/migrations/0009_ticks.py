"""What is typed at tables after each hand. The triggers are made after every migration."""

import uuid
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from league.models.edition_triggers import drop_triggers


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0032_no_key_marks'),
        ('tournaments', '0008_registration'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Tick',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.PositiveSmallIntegerField(verbose_name='table')),
                ('round', models.PositiveSmallIntegerField(verbose_name='round')),
                ('number', models.PositiveSmallIntegerField(verbose_name='hands played')),
                ('seats', models.JSONField(default=list, verbose_name='seats')),
                ('scores', models.JSONField(default=list, verbose_name='raw scores')),
                ('hand', models.CharField(blank=True, choices=[('E1', 'E1'), ('E2', 'E2'), ('E3', 'E3'), ('E4', 'E4'), ('S1', 'S1'), ('S2', 'S2'), ('S3', 'S3'), ('S4', 'S4'), ('W1', 'W1'), ('W2', 'W2'), ('W3', 'W3'), ('W4', 'W4'), ('N1', 'N1'), ('N2', 'N2'), ('N3', 'N3'), ('N4', 'N4')], max_length=2, verbose_name='hand')),
                ('honba', models.PositiveSmallIntegerField(default=0, verbose_name='honba')),
                ('sticks', models.PositiveSmallIntegerField(default=0, verbose_name='sticks on the table')),
                ('riichi', models.JSONField(default=list, verbose_name='riichi')),
                ('takes_back', models.UUIDField(blank=True, null=True, verbose_name='takes back')),
                ('client_key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('at', models.DateTimeField(verbose_name='when')),
                ('by', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league', verbose_name='league')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ticks', to='league.session', verbose_name='session')),
            ],
            options={
                'verbose_name': 'tick',
                'verbose_name_plural': 'ticks',
                'ordering': ('session', 'table', 'round', 'pk'),
                'indexes': [models.Index(fields=['session', 'table', 'round'], name='tick_session_table')],
                'constraints': [models.CheckConstraint(condition=models.Q(('table__gte', 1), ('round__gte', 1)), name='tick_place_positive'), models.CheckConstraint(condition=models.Q(('takes_back', None), ('hand', ''), _connector='OR'), name='tick_says_one_thing')],
            },
        ),
        migrations.RunPython(migrations.RunPython.noop, take_triggers_away),
    ]
