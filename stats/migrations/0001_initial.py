"""The tables of statistics, ratings and titles, all made at once. The triggers follow (league/models/triggers.py)."""

import django.db.models.deletion
from django.db import migrations, models

from league.models.triggers import MakeTables


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('league', '0001_initial'),
    ]

    operations = [
        MakeTables(
            models=[
                migrations.CreateModel(
                    name='KeptSums',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('period', models.CharField(max_length=7)),
                        ('player', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.player')),
                        ('sums', models.JSONField()),
                    ],
                    options={
                        'verbose_name': 'stored totals',
                        'verbose_name_plural': 'stored totals',
                        'constraints': [
                            models.UniqueConstraint(fields=('league', 'period', 'player'), name='kept_sums_once'),
                            models.UniqueConstraint(condition=models.Q(('player', None)), fields=('league', 'period'), name='kept_sums_of_league_once'),
                        ],
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
                    name='RatingState',
                    fields=[
                        ('league', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='league.league')),
                        ('judged', models.BigIntegerField(default=0)),
                        ('tenhou_gain', models.BigIntegerField(default=0)),
                        ('tenhou_squares', models.BigIntegerField(default=0)),
                        ('skill_gain', models.BigIntegerField(default=0)),
                        ('skill_squares', models.BigIntegerField(default=0)),
                    ],
                    options={
                        'verbose_name': 'rating progress',
                        'verbose_name_plural': 'rating progress',
                    },
                ),
                migrations.CreateModel(
                    name='RatedHanchan',
                    fields=[
                        ('hanchan', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='rated', serialize=False, to='league.hanchan')),
                        ('league', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='league.league')),
                        ('played_at', models.DateTimeField()),
                        ('day', models.DateField()),
                        ('seats', models.JSONField()),
                        ('tenhou_gain', models.BigIntegerField(null=True)),
                        ('skill_gain', models.BigIntegerField(null=True)),
                    ],
                    options={
                        'indexes': [models.Index(fields=['league', 'played_at'], name='rated_hanchan_played')],
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
                        ('mu', models.FloatField()),
                        ('sigma', models.FloatField()),
                        ('opponents_sum', models.BigIntegerField()),
                        ('met', models.PositiveIntegerField()),
                        ('day', models.DateField()),
                        ('tenhou_change', models.IntegerField()),
                        ('skill_change', models.IntegerField()),
                    ],
                    options={
                        'verbose_name': 'player rating',
                        'verbose_name_plural': 'player ratings',
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
                        ('metric', models.CharField(choices=[('board', 'board'), ('total', 'total'), ('average_points', 'average_points'), ('average_placement', 'average_placement'), ('best_raw', 'best_raw'), ('best_points', 'best_points'), ('top_rate', 'top_rate'), ('top_two_rate', 'top_two_rate'), ('avoid_last_rate', 'avoid_last_rate'), ('plus_rate', 'plus_rate'), ('bust_rate', 'bust_rate'), ('hanchan', 'hanchan')], max_length=20, verbose_name='statistic')),
                        ('better', models.CharField(choices=[('high', 'high'), ('low', 'low')], max_length=4, verbose_name='winner')),
                        ('minimum', models.CharField(default='0', max_length=9, verbose_name='minimum hanchan')),
                        ('in_months', models.BooleanField(default=True, verbose_name='monthly')),
                        ('in_years', models.BooleanField(default=True, verbose_name='yearly')),
                        ('of_all_time', models.BooleanField(default=True, verbose_name='of all time')),
                        ('withdrawn', models.BooleanField(default=False)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'verbose_name': 'league title',
                        'verbose_name_plural': 'league titles',
                        'ordering': ('pk',),
                        'constraints': [models.UniqueConstraint(fields=('league', 'key'), name='own_title_key_once')],
                    },
                ),
            ],
        ),
    ]
