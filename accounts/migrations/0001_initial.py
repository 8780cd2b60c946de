"""The tables of accounts and notices, all made at once. The triggers follow (league/models/triggers.py)."""

import uuid

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
                    name='Claim',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='claims', to='league.league', verbose_name='league')),
                        ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='claims', to='league.player', verbose_name='player')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='claims', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                        ('note', models.CharField(blank=True, max_length=200, verbose_name='message to the organisers')),
                        ('state', models.CharField(choices=[('waiting', 'Waiting'), ('accepted', 'Accepted'), ('refused', 'Refused'), ('withdrawn', 'Withdrawn')], default='waiting', max_length=10, verbose_name='state')),
                        ('answer', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('answered_at', models.DateTimeField(blank=True, null=True)),
                        ('answered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'claim',
                        'verbose_name_plural': 'claims',
                        'ordering': ('league', '-pk'),
                        'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'waiting')), fields=('league', 'user'), name='claim_one_at_a_time')],
                    },
                ),
                migrations.CreateModel(
                    name='ClosedAccount',
                    fields=[
                        ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='closed_account', serialize=False, to=settings.AUTH_USER_MODEL, verbose_name='user')),
                        ('name', models.CharField(max_length=150, verbose_name='user name')),
                        ('former_names', models.JSONField(default=list)),
                        ('closed_at', models.DateTimeField(auto_now_add=True, verbose_name='closed')),
                        ('leagues', models.JSONField(null=True)),
                        ('revision', models.BigIntegerField(default=0)),
                        ('hanchan', models.BigIntegerField(default=0)),
                    ],
                    options={
                        'verbose_name': 'closed account',
                        'verbose_name_plural': 'closed accounts',
                        'ordering': ('user',),
                    },
                ),
                migrations.CreateModel(
                    name='Invitation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='league.league', verbose_name='league')),
                        ('role', models.CharField(max_length=10, verbose_name='role')),
                        ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player', verbose_name='player')),
                        ('label', models.CharField(blank=True, max_length=60, verbose_name='note')),
                        ('secret_hash', models.CharField(editable=False, max_length=64, unique=True)),
                        ('nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
                        ('most_uses', models.PositiveSmallIntegerField(default=1, verbose_name='number of people')),
                        ('used_by', models.JSONField(default=list, editable=False)),
                        ('uses', models.PositiveSmallIntegerField(default=0, editable=False, verbose_name='times used')),
                        ('expires_at', models.DateTimeField(verbose_name='expires at')),
                        ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked at')),
                        ('used_at', models.DateTimeField(blank=True, null=True, verbose_name='last used at')),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name': 'invitation',
                        'verbose_name_plural': 'invitations',
                        'ordering': ('league', '-pk'),
                        'constraints': [models.CheckConstraint(condition=models.Q(('uses__lte', models.F('most_uses'))), name='invitation_uses_capped'), models.CheckConstraint(condition=models.Q(('most_uses__gte', 1)), name='invitation_used_by_somebody'), models.CheckConstraint(condition=models.Q(('player', None), ('most_uses', 1), _connector='OR'), name='invitation_of_a_player_is_for_one')],
                    },
                ),
                migrations.CreateModel(
                    name='NoticeMail',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notice_mails', to=settings.AUTH_USER_MODEL)),
                        ('is_digest', models.BooleanField(default=False, verbose_name='session summary')),
                        ('message_id', models.CharField(max_length=80, unique=True)),
                        ('state', models.CharField(choices=[('ready', 'Waiting to be sent'), ('claimed', 'Sending'), ('handed', "Waiting for the server's reply"), ('sent', 'Sent'), ('unknown', 'Delivery uncertain'), ('given_up', 'Delivery failed'), ('dropped', 'No longer needed')], default='ready', max_length=10, verbose_name='state')),
                        ('tries', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                        ('made_at', models.DateTimeField(verbose_name='created')),
                        ('next_try_at', models.DateTimeField()),
                        ('moved_at', models.DateTimeField()),
                        ('error', models.CharField(blank=True, max_length=300, verbose_name='last error')),
                    ],
                    options={
                        'verbose_name': 'notice e-mail',
                        'verbose_name_plural': 'notice e-mails',
                        'ordering': ('-pk',),
                        'indexes': [models.Index(condition=models.Q(('state__in', ('ready', 'claimed', 'handed'))), fields=['next_try_at'], name='notice_mail_under_way')],
                    },
                ),
                migrations.CreateModel(
                    name='Notice',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('kind', models.CharField(choices=[('announced', 'A session is announced, moved or cancelled'), ('seat', 'My seat is drawn'), ('promoted', 'I advance to the next stage of a tournament'), ('place', 'My registration for a tournament'), ('taken_off', 'I am removed from a tournament'), ('confirm', 'One of my results needs confirmation'), ('disputed', 'One of my results, or one in a league I organise, is disputed'), ('corrected', 'One of my results is corrected or voided')], max_length=10, verbose_name='kind')),
                        ('subject', models.BigIntegerField()),
                        ('session', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.session')),
                        ('facts', models.JSONField(default=dict)),
                        ('path', models.CharField(max_length=200)),
                        ('at', models.DateTimeField(verbose_name='when')),
                        ('changed_at', models.DateTimeField()),
                        ('waits', models.BooleanField(default=True)),
                        ('mail', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='notices', to='accounts.noticemail')),
                    ],
                    options={
                        'verbose_name': 'notice',
                        'verbose_name_plural': 'notices',
                        'ordering': ('-at', '-pk'),
                        'indexes': [models.Index(fields=['user', 'kind', 'subject'], name='notice_subject'), models.Index(condition=models.Q(('waits', True)), fields=['user'], name='notice_waiting')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('waits', True)), fields=('user', 'kind', 'subject'), name='notice_waits_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Preferences',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='preferences', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                        ('called', models.CharField(blank=True, max_length=40, verbose_name='display name')),
                        ('language', models.CharField(blank=True, choices=[('ja', '日本語'), ('en', 'English')], max_length=10, verbose_name='language')),
                        ('sign', models.CharField(blank=True, choices=[('triangle', '▲12.3'), ('minus', '−12.3')], max_length=10, verbose_name='negative numbers')),
                        ('theme', models.CharField(blank=True, choices=[('light', 'Light'), ('dark', 'Dark')], max_length=10, verbose_name='colours')),
                        ('former_names', models.JSONField(default=list, editable=False)),
                        ('by_mail', models.BooleanField(default=False, verbose_name='e-mail notices')),
                        ('unwanted', models.JSONField(default=list, editable=False)),
                        ('muted', models.JSONField(default=list, editable=False)),
                        ('origin', models.CharField(blank=True, editable=False, max_length=200)),
                        ('notice_language', models.CharField(blank=True, editable=False, max_length=10)),
                        ('calendar_hash', models.CharField(editable=False, max_length=64, null=True, unique=True)),
                        ('calendar_nonce', models.UUIDField(editable=False, null=True)),
                    ],
                    options={
                        'verbose_name': 'preferences',
                        'verbose_name_plural': 'preferences',
                    },
                ),
            ],
        ),
    ]
