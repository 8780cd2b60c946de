"""What the months of leagues came to for each player is kept."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("league", "0016_session_editions"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptMonth",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("period", models.CharField(max_length=7)),
                ("computed_at", models.DateTimeField()),
                ("version", models.PositiveBigIntegerField()),
                ("shape", models.PositiveSmallIntegerField()),
                (
                    "league",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="league.league"
                    ),
                ),
            ],
            options={
                "verbose_name": "kept month",
                "verbose_name_plural": "kept months",
            },
        ),
        migrations.CreateModel(
            name="PlayerMonth",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("career", models.JSONField()),
                (
                    "month",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="players",
                        to="stats.keptmonth",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="league.player"
                    ),
                ),
            ],
            options={
                "verbose_name": "player's month",
                "verbose_name_plural": "players' months",
            },
        ),
        migrations.AddConstraint(
            model_name="keptmonth",
            constraint=models.UniqueConstraint(fields=("league", "period"), name="kept_month_once"),
        ),
        migrations.AddConstraint(
            model_name="playermonth",
            constraint=models.UniqueConstraint(fields=("month", "player"), name="player_month_once"),
        ),
    ]
