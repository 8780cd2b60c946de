"""The tables of statistics, ratings and titles, all made at once. The triggers follow (league/models/edition_triggers.py)."""

import django.db.models.deletion
from django.db import migrations, models

from league.models.first_tables import MakeTables


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('league', '0001_initial'),
    ]

    operations = [
        MakeTables(
            models=[
                migrations.CreateModel(
                    name='Achievement',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='achievements', to='league.player')),
                        ('key', models.CharField(max_length=20)),
                        ('hanchan', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.hanchan')),
                        ('day', models.DateField()),
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
                        ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('period', models.CharField(max_length=7)),
                        ('key', models.CharField(max_length=40)),
                        ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='awards', to='league.player')),
                        ('count', models.PositiveIntegerField(default=1)),
                    ],
                    options={
                        'verbose_name': 'award',
                        'verbose_name_plural': 'awards',
                        'constraints': [models.UniqueConstraint(fields=('league', 'period', 'key', 'player'), name='award_once')],
                    },
                ),
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
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('period', models.CharField(max_length=7)),
                        ('computed_at', models.DateTimeField()),
                        ('version', models.PositiveBigIntegerField()),
                        ('shape', models.PositiveSmallIntegerField()),
                        ('is_over', models.BooleanField()),
                        ('records', models.JSONField()),
                        ('awards_due', models.BooleanField(default=True)),
                    ],
                    options={
                        'verbose_name': 'kept records',
                        'verbose_name_plural': 'kept records',
                        'constraints': [models.UniqueConstraint(fields=('league', 'period'), name='kept_feats_once')],
                    },
                ),
                migrations.CreateModel(
                    name='PlayerFeats',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('month', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='players', to='stats.keptfeats')),
                        ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
                        ('feats', models.JSONField()),
                    ],
                    options={
                        'verbose_name': "player's feats of a month",
                        'verbose_name_plural': "players' feats of months",
                        'constraints': [models.UniqueConstraint(fields=('month', 'player'), name='player_feats_once')],
                    },
                ),
                migrations.CreateModel(
                    name='KeptMonth',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('period', models.CharField(max_length=7)),
                        ('computed_at', models.DateTimeField()),
                        ('version', models.PositiveBigIntegerField()),
                        ('shape', models.PositiveSmallIntegerField()),
                    ],
                    options={
                        'verbose_name': 'kept month',
                        'verbose_name_plural': 'kept months',
                        'constraints': [models.UniqueConstraint(fields=('league', 'period'), name='kept_month_once')],
                    },
                ),
                migrations.CreateModel(
                    name='PlayerMonth',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('month', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='players', to='stats.keptmonth')),
                        ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
                        ('career', models.JSONField()),
                    ],
                    options={
                        'verbose_name': "player's month",
                        'verbose_name_plural': "players' months",
                        'constraints': [models.UniqueConstraint(fields=('month', 'player'), name='player_month_once')],
                    },
                ),
                migrations.CreateModel(
                    name='RatingMark',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='league.league')),
                        ('played_at', models.DateTimeField(null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='RatingProgress',
                    fields=[
                        ('league', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='league.league')),
                        ('shape', models.PositiveSmallIntegerField(default=0)),
                        ('next_at', models.BigIntegerField(null=True)),
                        ('judged', models.BigIntegerField(default=0)),
                        ('tenhou_gain', models.BigIntegerField(default=0)),
                        ('tenhou_squares', models.BigIntegerField(default=0)),
                        ('skill_gain', models.BigIntegerField(default=0)),
                        ('skill_squares', models.BigIntegerField(default=0)),
                    ],
                    options={
                        'verbose_name': 'progress of ratings',
                        'verbose_name_plural': 'progress of ratings',
                    },
                ),
                migrations.CreateModel(
                    name='PlayerRating',
                    fields=[
                        ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='league.player')),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('hanchan', models.PositiveIntegerField()),
                        ('tenhou', models.IntegerField()),
                        ('skill', models.IntegerField()),
                        ('opponents', models.IntegerField()),
                        ('day', models.DateField()),
                        ('tenhou_change', models.IntegerField()),
                        ('skill_change', models.IntegerField()),
                    ],
                    options={
                        'verbose_name': 'rating of a player',
                        'verbose_name_plural': 'ratings of players',
                    },
                ),
                migrations.CreateModel(
                    name='RatingBlock',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('player', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
                        ('number', models.PositiveIntegerField()),
                        ('first_at', models.BigIntegerField()),
                        ('last_at', models.BigIntegerField()),
                        ('judged', models.BigIntegerField()),
                        ('tenhou_gain', models.BigIntegerField()),
                        ('tenhou_squares', models.BigIntegerField()),
                        ('skill_gain', models.BigIntegerField()),
                        ('skill_squares', models.BigIntegerField()),
                        ('content', models.BinaryField()),
                    ],
                    options={
                        'verbose_name': 'block of rated hanchan',
                        'verbose_name_plural': 'blocks of rated hanchan',
                        'indexes': [models.Index(fields=['league', 'last_at'], name='rating_block_league')],
                        'constraints': [models.UniqueConstraint(fields=('player', 'number'), name='rating_block_once')],
                    },
                ),
                migrations.CreateModel(
                    name='OwnTitle',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='own_titles', to='league.league')),
                        ('key', models.CharField(max_length=60)),
                        ('name', models.CharField(max_length=100, verbose_name='name')),
                        ('name_en', models.CharField(blank=True, max_length=100, verbose_name='name in English')),
                        ('metric', models.CharField(choices=[('board', 'board'), ('total', 'total'), ('average_points', 'average_points'), ('average_placement', 'average_placement'), ('best_raw', 'best_raw'), ('best_points', 'best_points'), ('top_rate', 'top_rate'), ('top_two_rate', 'top_two_rate'), ('avoid_last_rate', 'avoid_last_rate'), ('plus_rate', 'plus_rate'), ('bust_rate', 'bust_rate'), ('hanchan', 'hanchan')], max_length=20, verbose_name='given for')),
                        ('better', models.CharField(choices=[('high', 'high'), ('low', 'low')], max_length=4, verbose_name='who wins')),
                        ('minimum', models.CharField(default='0', max_length=9, verbose_name='hanchan needed')),
                        ('in_months', models.BooleanField(default=True, verbose_name='of each month')),
                        ('in_years', models.BooleanField(default=True, verbose_name='of each year')),
                        ('of_all_time', models.BooleanField(default=True, verbose_name='of all time')),
                        ('withdrawn', models.BooleanField(default=False)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'verbose_name': 'title of a league',
                        'verbose_name_plural': 'titles of leagues',
                        'ordering': ('pk',),
                        'constraints': [models.UniqueConstraint(fields=('league', 'key'), name='own_title_key_once')],
                    },
                ),
            ],
        ),
    ]
