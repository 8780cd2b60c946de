"""Players have clubs and a place in lists; a league may have a secret address for spreadsheets."""

import uuid
from itertools import islice
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import league.models.players
from league.core.name_order import name_order

AT_ONCE = 500


def put_names_in_order(apps: Any, schema_editor: Any) -> None:
    """Work out where each name stands. The order of today, as every later change of a name does."""
    player = apps.get_model('league', 'Player')
    players = player.objects.order_by('pk').only('name', 'kana', 'romanised').iterator(AT_ONCE)
    while some := list(islice(players, AT_ONCE)):
        for each in some:
            each.sort_key = name_order(each.name, each.kana, each.romanised)
        player.objects.bulk_update(some, ['sort_key'])


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0021_as_they_are'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='player',
            options={'ordering': ('league', 'sort_key', 'pk'), 'verbose_name': 'player', 'verbose_name_plural': 'players'},
        ),
        migrations.AddField(
            model_name='player',
            name='club',
            field=models.CharField(blank=True, max_length=60, verbose_name='club'),
        ),
        migrations.AddField(
            model_name='player',
            name='sort_key',
            field=league.models.players.NameOrderField(blank=True, editable=False, max_length=245),
        ),
        migrations.CreateModel(
            name='LiveAddress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('secret_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('key_mark', models.CharField(editable=False, max_length=16)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked at')),
                ('used_at', models.DateTimeField(blank=True, null=True, verbose_name='last used at')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='live_addresses', to='league.league', verbose_name='league')),
            ],
            options={
                'verbose_name': 'live address',
                'verbose_name_plural': 'live addresses',
                'ordering': ('league', '-pk'),
                'constraints': [models.UniqueConstraint(condition=models.Q(('revoked_at', None)), fields=('league',), name='live_address_one_at_a_time')],
            },
        ),
        migrations.RunPython(put_names_in_order, migrations.RunPython.noop),
    ]
