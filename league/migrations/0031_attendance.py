"""Note who comes to a session, until when that can be said, and the links by which it is."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0030_player_user_once'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='session',
            name='answers_until',
            field=models.DateTimeField(blank=True, null=True, verbose_name='answers until'),
        ),
        migrations.CreateModel(
            name='AttendanceLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code_hash', models.CharField(editable=False, max_length=64, unique=True)),
                ('nonce', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('key_mark', models.CharField(editable=False, max_length=16)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True, verbose_name='revoked at')),
                ('used_at', models.DateTimeField(blank=True, null=True, verbose_name='last used at')),
                ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='league.player', verbose_name='player')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attendance_links', to='league.session', verbose_name='session')),
            ],
            options={
                'verbose_name': 'attendance link',
                'verbose_name_plural': 'attendance links',
                'ordering': ('session', '-pk'),
            },
        ),
        migrations.CreateModel(
            name='Attendance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('answer', models.CharField(blank=True, choices=[('', 'no answer'), ('coming', 'coming'), ('late', 'late'), ('absent', 'not coming')], max_length=10, verbose_name='answer')),
                ('arrives_at', models.TimeField(blank=True, null=True, verbose_name='arrives at')),
                ('word', models.CharField(blank=True, max_length=60, verbose_name='a word')),
                ('given', models.CharField(choices=[('self', 'by themselves'), ('shared', 'through the link for everybody'), ('organiser', 'by an organiser')], default='organiser', max_length=10, verbose_name='given')),
                ('at', models.DateTimeField(auto_now=True)),
                ('version', models.PositiveIntegerField(default=1, verbose_name='revision')),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attendance', to='league.player', verbose_name='player')),
                ('session', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attendance', to='league.session', verbose_name='session')),
                ('link', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='league.attendancelink')),
            ],
            options={
                'verbose_name': 'attendance',
                'verbose_name_plural': 'attendance',
                'ordering': ('session', 'pk'),
            },
        ),
        migrations.AddConstraint(
            model_name='attendancelink',
            constraint=models.UniqueConstraint(condition=models.Q(('player', None), ('revoked_at', None)), fields=('session',), name='attendance_link_for_all_once'),
        ),
        migrations.AddConstraint(
            model_name='attendancelink',
            constraint=models.UniqueConstraint(condition=models.Q(('revoked_at', None)), fields=('session', 'player'), name='attendance_link_for_one_once'),
        ),
        migrations.AddConstraint(
            model_name='attendance',
            constraint=models.UniqueConstraint(fields=('session', 'player'), name='attendance_player_once'),
        ),
        migrations.AddConstraint(
            model_name='attendance',
            constraint=models.CheckConstraint(condition=models.Q(('answer__in', ('', 'coming', 'late', 'absent'))), name='attendance_answer_known'),
        ),
        migrations.AddConstraint(
            model_name='attendance',
            constraint=models.CheckConstraint(condition=models.Q(('given__in', ('self', 'shared', 'organiser'))), name='attendance_given_known'),
        ),
        migrations.AddConstraint(
            model_name='attendance',
            constraint=models.CheckConstraint(condition=models.Q(('arrives_at', None), ('answer', 'late'), _connector='OR'), name='attendance_arrives_late'),
        ),
        migrations.AddConstraint(
            model_name='attendance',
            constraint=models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='attendance_version_positive'),
        ),
    ]
