"""What stands out in periods is kept, what players have achieved, and who holds titles."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('league', '0031_attendance'),
        ('stats', '0002_ratings'),
    ]

    operations = [
        migrations.CreateModel(
            name='AchievementDue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
            ],
            options={
                'verbose_name': 'player whose achievements are due',
                'verbose_name_plural': 'players whose achievements are due',
            },
        ),
        migrations.CreateModel(
            name='KeptFeats',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.CharField(max_length=7)),
                ('computed_at', models.DateTimeField()),
                ('version', models.PositiveBigIntegerField()),
                ('shape', models.PositiveSmallIntegerField()),
                ('is_over', models.BooleanField()),
                ('records', models.JSONField()),
                ('awards_due', models.BooleanField(default=True)),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
            ],
            options={
                'verbose_name': 'kept records',
                'verbose_name_plural': 'kept records',
            },
        ),
        migrations.CreateModel(
            name='PlayerFeats',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('feats', models.JSONField()),
                ('month', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='players', to='stats.keptfeats')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
            ],
            options={
                'verbose_name': "player's feats of a month",
                'verbose_name_plural': "players' feats of months",
            },
        ),
        migrations.CreateModel(
            name='Achievement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=20)),
                ('day', models.DateField()),
                ('hanchan', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.hanchan')),
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='achievements', to='league.player')),
            ],
            options={
                'verbose_name': 'achievement',
                'verbose_name_plural': 'achievements',
                'constraints': [models.UniqueConstraint(fields=('player', 'key'), name='achievement_once')],
            },
        ),
        migrations.CreateModel(
            name='Award',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.CharField(max_length=7)),
                ('key', models.CharField(max_length=40)),
                ('count', models.PositiveIntegerField(default=1)),
                ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='awards', to='league.player')),
            ],
            options={
                'verbose_name': 'award',
                'verbose_name_plural': 'awards',
                'constraints': [models.UniqueConstraint(fields=('league', 'period', 'key', 'player'), name='award_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='keptfeats',
            constraint=models.UniqueConstraint(fields=('league', 'period'), name='kept_feats_once'),
        ),
        migrations.AddConstraint(
            model_name='playerfeats',
            constraint=models.UniqueConstraint(fields=('month', 'player'), name='player_feats_once'),
        ),
    ]
