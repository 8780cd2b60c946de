"""A name may be kept from everybody; names are taken out of a history that stays provable."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0026_hanchan_by_points'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Redaction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=12)),
                ('fact', models.BigIntegerField()),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('by_name', models.CharField(blank=True, max_length=150, verbose_name='who')),
                ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                ('texts', models.JSONField(default=dict)),
                ('digest', models.CharField(max_length=64)),
                ('closed_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name': 'redaction',
                'verbose_name_plural': 'redactions',
                'ordering': ('pk',),
            },
        ),
        migrations.AddField(
            model_name='player',
            name='erased_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='player',
            name='visibility',
            field=models.CharField(choices=[('public', 'Everybody'), ('members', 'Members of the league'), ('nobody', 'Nobody: a number everywhere')], default='public', max_length=10, verbose_name='name shown to'),
        ),
        migrations.AlterField(
            model_name='revision',
            name='action',
            field=models.CharField(choices=[('recorded', 'Recorded'), ('corrected', 'Corrected'), ('voided', 'Taken back'), ('restored', 'Restored'), ('rescored', 'Scored again under other rules'), ('created', 'Created'), ('changed', 'Changed'), ('merged', 'Merged'), ('separated', 'Merge undone'), ('withdrawn', 'Withdrawn'), ('confirmed', 'Confirmed'), ('disputed', 'Disputed'), ('settled', 'Dispute settled'), ('erased', 'Name erased')], max_length=12, verbose_name='action'),
        ),
        migrations.AddConstraint(
            model_name='player',
            constraint=models.CheckConstraint(condition=models.Q(('visibility__in', ('public', 'members', 'nobody'))), name='player_visibility_known'),
        ),
        migrations.AddField(
            model_name='redaction',
            name='by',
            field=models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='redaction',
            name='league',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='redactions', to='league.league'),
        ),
        migrations.AddIndex(
            model_name='redaction',
            index=models.Index(fields=['league', 'kind', 'fact'], name='redaction_fact'),
        ),
        migrations.AddIndex(
            model_name='redaction',
            index=models.Index(condition=models.Q(('closed_at', None)), fields=['kind', 'fact'], name='redaction_open'),
        ),
    ]
