"""Leagues have titles of their own."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0031_attendance"),
        ("stats", "0003_achievements"),
    ]

    operations = [
        migrations.CreateModel(
            name='OwnTitle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
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
                ('league', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='own_titles', to='league.league')),
            ],
            options={
                'verbose_name': 'title of a league',
                'verbose_name_plural': 'titles of leagues',
                'ordering': ('pk',),
            },
        ),
        migrations.AddConstraint(
            model_name='owntitle',
            constraint=models.UniqueConstraint(fields=('league', 'key'), name='own_title_key_once'),
        ),
    ]
