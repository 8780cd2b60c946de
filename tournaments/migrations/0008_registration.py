"""Who wants to play: what organisers offer, and registrations. The triggers are made after every migration."""

import uuid
from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from league.models.edition_triggers import drop_triggers


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0026_hanchan_by_points'),
        ('tournaments', '0007_directors'),
    ]

    operations = [
        migrations.CreateModel(
            name='RegistrationTerms',
            fields=[
                ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='terms', serialize=False, to='tournaments.tournament', verbose_name='tournament')),
                ('places', models.PositiveIntegerField(verbose_name='places')),
                ('audience', models.CharField(choices=[('members', 'members of the league'), ('anyone', 'everybody, also without an account')], default='members', max_length=10, verbose_name='who may register')),
                ('needs_approval', models.BooleanField(default=False, verbose_name='an organiser agrees to each')),
                ('opens_at', models.DateTimeField(blank=True, null=True, verbose_name='from')),
                ('closes_at', models.DateTimeField(blank=True, null=True, verbose_name='until')),
                ('note', models.TextField(blank=True, max_length=1000, verbose_name='note')),
                ('check_in_from', models.DateTimeField(blank=True, null=True, verbose_name='check-in from')),
                ('check_in_until', models.DateTimeField(blank=True, null=True, verbose_name='check-in until')),
                ('nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('door_nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
            ],
            options={
                'verbose_name': 'terms of registration',
                'verbose_name_plural': 'terms of registration',
                'constraints': [models.CheckConstraint(condition=models.Q(('places__gte', 1)), name='registrationterms_places_positive')],
            },
        ),
        migrations.CreateModel(
            name='Registration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(verbose_name='number')),
                ('state', models.CharField(choices=[('asked', 'to be agreed to'), ('standing', 'registered'), ('withdrawn', 'withdrawn'), ('refused', 'refused')], default='standing', max_length=10, verbose_name='state')),
                ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                ('registered_at', models.DateTimeField(verbose_name="registered at")),
                ('checked_in_at', models.DateTimeField(blank=True, null=True, verbose_name='checked in')),
                ('brought_player', models.BooleanField(default=False, verbose_name='came into the list by it')),
                ('nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='registrations', to='league.player', verbose_name='player')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='registrations', to='tournaments.tournament', verbose_name='tournament')),
            ],
            options={
                'verbose_name': 'registration',
                'verbose_name_plural': 'registrations',
                'ordering': ('tournament', 'number'),
                'constraints': [models.UniqueConstraint(fields=('tournament', 'player'), name='registration_player_once'), models.UniqueConstraint(fields=('nonce',), name='registration_nonce_once'), models.CheckConstraint(condition=models.Q(('state__in', ('asked', 'standing', 'withdrawn', 'refused'))), name='registration_state_known')],
            },
        ),
        migrations.RunPython(migrations.RunPython.noop, take_triggers_away),
    ]
