"""The tables of tournaments, all made at once. The triggers follow (league/models/triggers.py)."""

import uuid

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from league.models.triggers import MakeTables


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('league', '0001_initial'),
    ]

    operations = [
        MakeTables(
            models=[
                migrations.CreateModel(
                    name='Tournament',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tournaments', to='league.league', verbose_name='league')),
                        ('key', models.CharField(max_length=60, validators=[django.core.validators.RegexValidator('[a-z0-9][a-z0-9-]*\\Z', 'Use a-z, 0-9 and hyphens.')], verbose_name='address')),
                        ('name', models.CharField(max_length=100, verbose_name='name')),
                        ('name_en', models.CharField(blank=True, max_length=100, verbose_name='name in English')),
                        ('format_key', models.CharField(max_length=60, verbose_name='format')),
                        ('document', models.JSONField(verbose_name='full text of the format')),
                        ('ruleset_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='league.rulesetversion', verbose_name='rules')),
                        ('stage_rules', models.JSONField(blank=True, default=dict, verbose_name='stage rules')),
                        ('state', models.CharField(choices=[('preparing', 'Entries open'), ('running', 'In progress'), ('finished', 'Finished')], default='preparing', max_length=10, verbose_name='state')),
                        ('note', models.TextField(blank=True, max_length=2000, verbose_name='note')),
                        ('strict_entry', models.BooleanField(default=True, verbose_name='all scores are entered')),
                        ('shows_chances', models.BooleanField(db_default=True, default=True, verbose_name='chances are shown')),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'verbose_name': 'tournament',
                        'verbose_name_plural': 'tournaments',
                        'ordering': ('-pk',),
                        'constraints': [models.UniqueConstraint(fields=('league', 'key'), name='tournament_key_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Director',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='directors', to='tournaments.tournament')),
                        ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='directs', to='league.membership', verbose_name='member')),
                        ('since', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'verbose_name': 'director',
                        'verbose_name_plural': 'directors',
                        'ordering': ('tournament', 'pk'),
                        'constraints': [models.UniqueConstraint(fields=('tournament', 'membership'), name='director_membership_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Entry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='tournaments.tournament')),
                        ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='league.player', verbose_name='player')),
                        ('number', models.PositiveIntegerField(verbose_name='number')),
                        ('seed', models.PositiveIntegerField(blank=True, null=True, verbose_name='seed')),
                        ('is_substitute', models.BooleanField(default=False, verbose_name='substitute')),
                    ],
                    options={
                        'verbose_name': 'entry',
                        'verbose_name_plural': 'entries',
                        'ordering': ('tournament', 'number'),
                        'constraints': [models.UniqueConstraint(fields=('tournament', 'player'), name='entry_player_once'), models.UniqueConstraint(fields=('tournament', 'number'), name='entry_number_once'), models.CheckConstraint(condition=models.Q(('seed__isnull', True), ('seed__gte', 1), _connector='OR'), name='entry_seed_positive')],
                    },
                ),
                migrations.CreateModel(
                    name='Decision',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='decisions', to='tournaments.tournament')),
                        ('kind', models.CharField(choices=[('draw', 'Draw'), ('advance', 'Who advances'), ('withdrawn', 'Withdrawal'), ('order', 'Order of tied players'), ('closed', 'Closed with the hanchan played')], max_length=10, verbose_name='kind')),
                        ('stage', models.CharField(max_length=40, verbose_name='stage')),
                        ('to', models.CharField(blank=True, max_length=40, verbose_name='to')),
                        ('body', models.JSONField(verbose_name='decision made')),
                        ('proposal', models.JSONField(blank=True, default=list, verbose_name='original proposal')),
                        ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                        ('at', models.DateTimeField(verbose_name='when')),
                        ('by', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('by_name', models.CharField(blank=True, max_length=150, verbose_name='who')),
                        ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked on')),
                        ('revoked_by_name', models.CharField(blank=True, max_length=150, verbose_name='revoked by')),
                        ('revoked_reason', models.CharField(blank=True, max_length=300, verbose_name='reason for revoking')),
                    ],
                    options={
                        'verbose_name': 'decision',
                        'verbose_name_plural': 'decisions',
                        'ordering': ('tournament', 'pk'),
                        'constraints': [models.UniqueConstraint(condition=models.Q(('kind', 'advance'), ('revoked_at__isnull', True)), fields=('tournament', 'stage', 'to'), name='decision_one_advance_per_way'), models.CheckConstraint(condition=models.Q(('kind__in', ('draw', 'advance', 'withdrawn', 'order', 'closed'))), name='decision_kind_known')],
                    },
                ),
                migrations.CreateModel(
                    name='StageSession',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='tournaments.tournament')),
                        ('session', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='stage', to='league.session', verbose_name='session')),
                        ('stage', models.CharField(max_length=40, verbose_name='stage')),
                        ('block', models.CharField(blank=True, max_length=40, verbose_name='block')),
                        ('number', models.PositiveSmallIntegerField(default=1, verbose_name='number')),
                    ],
                    options={
                        'verbose_name': 'stage session',
                        'verbose_name_plural': 'stage sessions',
                        'ordering': ('tournament', 'stage', 'number', 'block', 'session'),
                        'constraints': [models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='stagesession_number_positive')],
                    },
                ),
                migrations.CreateModel(
                    name='TableCall',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='tournaments.tournament', verbose_name='tournament')),
                        ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.session', verbose_name='session')),
                        ('table', models.PositiveSmallIntegerField(verbose_name='table')),
                        ('called_at', models.DateTimeField(verbose_name='called at')),
                        ('coming_at', models.DateTimeField(blank=True, null=True, verbose_name='replied at')),
                        ('coming_name', models.CharField(blank=True, max_length=150, verbose_name='referee on the way')),
                        ('done_at', models.DateTimeField(blank=True, null=True, verbose_name='done at')),
                        ('done_name', models.CharField(blank=True, max_length=150, verbose_name='handled by')),
                    ],
                    options={
                        'verbose_name': 'referee call',
                        'verbose_name_plural': 'referee calls',
                        'ordering': ('tournament', 'called_at', 'pk'),
                        'constraints': [models.UniqueConstraint(condition=models.Q(('done_at', None)), fields=('tournament', 'session', 'table'), name='tablecall_one_open')],
                    },
                ),
                migrations.CreateModel(
                    name='HallDisplay',
                    fields=[
                        ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='tournaments.tournament', verbose_name='tournament')),
                        ('scene', models.CharField(choices=[('turns', 'Rotating'), ('standings', 'Standings'), ('tables', 'Table by table'), ('conditions', 'What is needed'), ('seating', 'Seats'), ('bracket', 'Bracket'), ('timer', 'Timer'), ('champion', 'Champion')], default='turns', max_length=12, verbose_name='scene')),
                        ('message', models.CharField(blank=True, max_length=80, verbose_name='message')),
                        ('language', models.CharField(blank=True, choices=[('', 'as on the page that was opened'), ('ja', '日本語'), ('en', 'English')], default='', max_length=2, verbose_name='language')),
                        ('length', models.PositiveIntegerField(default=0, verbose_name='length')),
                        ('used', models.PositiveIntegerField(default=0, verbose_name='elapsed')),
                        ('started_at', models.DateTimeField(blank=True, null=True, verbose_name='started at')),
                        ('extra', models.JSONField(blank=True, default=list, verbose_name='extra time of tables')),
                        ('ready', models.JSONField(blank=True, default=list, verbose_name='ready tables')),
                    ],
                    options={
                        'verbose_name': 'hall display',
                        'verbose_name_plural': 'hall displays',
                    },
                ),
                migrations.CreateModel(
                    name='RegistrationTerms',
                    fields=[
                        ('tournament', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='terms', serialize=False, to='tournaments.tournament', verbose_name='tournament')),
                        ('places', models.PositiveIntegerField(verbose_name='spots')),
                        ('audience', models.CharField(choices=[('members', 'members of the league'), ('anyone', 'everyone, including people without an account')], default='members', max_length=10, verbose_name='who can register')),
                        ('needs_approval', models.BooleanField(default=False, verbose_name='an organiser approves each')),
                        ('opens_at', models.DateTimeField(blank=True, null=True, verbose_name='from')),
                        ('closes_at', models.DateTimeField(blank=True, null=True, verbose_name='until')),
                        ('note', models.TextField(blank=True, max_length=1000, verbose_name='note')),
                        ('check_in_from', models.DateTimeField(blank=True, null=True, verbose_name='check-in from')),
                        ('check_in_until', models.DateTimeField(blank=True, null=True, verbose_name='check-in until')),
                        ('nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
                        ('door_nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
                    ],
                    options={
                        'verbose_name': 'registration terms',
                        'verbose_name_plural': 'registration terms',
                        'constraints': [models.CheckConstraint(condition=models.Q(('places__gte', 1)), name='registrationterms_places_positive')],
                    },
                ),
                migrations.CreateModel(
                    name='Registration',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='registrations', to='tournaments.tournament', verbose_name='tournament')),
                        ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='registrations', to='league.player', verbose_name='player')),
                        ('number', models.PositiveIntegerField(verbose_name='number')),
                        ('state', models.CharField(choices=[('asked', 'waiting for approval'), ('standing', 'registered'), ('withdrawn', 'withdrawn'), ('refused', 'refused')], default='standing', max_length=10, verbose_name='state')),
                        ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                        ('registered_at', models.DateTimeField(verbose_name='registered at')),
                        ('checked_in_at', models.DateTimeField(blank=True, null=True, verbose_name='checked in')),
                        ('brought_player', models.BooleanField(default=False, verbose_name='added to the list by registering')),
                        ('nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
                    ],
                    options={
                        'verbose_name': 'registration',
                        'verbose_name_plural': 'registrations',
                        'ordering': ('tournament', 'number'),
                        'constraints': [models.UniqueConstraint(fields=('tournament', 'player'), name='registration_player_once'), models.UniqueConstraint(fields=('nonce',), name='registration_nonce_once'), models.CheckConstraint(condition=models.Q(('state__in', ('asked', 'standing', 'withdrawn', 'refused'))), name='registration_state_known')],
                    },
                ),
                migrations.CreateModel(
                    name='Tick',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league', verbose_name='league')),
                        ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ticks', to='league.session', verbose_name='session')),
                        ('table', models.PositiveSmallIntegerField(verbose_name='table')),
                        ('round', models.PositiveSmallIntegerField(verbose_name='round')),
                        ('number', models.PositiveSmallIntegerField(verbose_name='hands played')),
                        ('seats', models.JSONField(default=list, verbose_name='seats')),
                        ('scores', models.JSONField(default=list, verbose_name='raw scores')),
                        ('hand', models.CharField(blank=True, choices=[('E1', 'E1'), ('E2', 'E2'), ('E3', 'E3'), ('E4', 'E4'), ('S1', 'S1'), ('S2', 'S2'), ('S3', 'S3'), ('S4', 'S4'), ('W1', 'W1'), ('W2', 'W2'), ('W3', 'W3'), ('W4', 'W4'), ('N1', 'N1'), ('N2', 'N2'), ('N3', 'N3'), ('N4', 'N4')], max_length=2, verbose_name='hand')),
                        ('honba', models.PositiveSmallIntegerField(default=0, verbose_name='honba')),
                        ('sticks', models.PositiveSmallIntegerField(default=0, verbose_name='sticks on the table')),
                        ('riichi', models.JSONField(default=list, verbose_name='riichi')),
                        ('takes_back', models.UUIDField(blank=True, null=True, verbose_name='undoes')),
                        ('client_key', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('at', models.DateTimeField(verbose_name='when')),
                        ('by', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'tick',
                        'verbose_name_plural': 'ticks',
                        'ordering': ('session', 'table', 'round', 'pk'),
                        'indexes': [models.Index(fields=['session', 'table', 'round'], name='tick_session_table')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('table__gte', 1), ('round__gte', 1)), name='tick_place_positive'), models.CheckConstraint(condition=models.Q(('takes_back', None), ('hand', ''), _connector='OR'), name='tick_says_one_thing')],
                    },
                ),
            ],
        ),
    ]
