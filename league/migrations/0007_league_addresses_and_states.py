"""Leagues get former addresses and a state; withdrawn and titled sessions leave their numbers to others."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Max


def leave_numbers(apps: Any, schema_editor: Any) -> None:
    """Nothing to do: every session has a number of its own before."""


def number_anew(apps: Any, schema_editor: Any) -> None:
    """Give the later ones of sessions with one number the league's next numbers."""
    Session = apps.get_model("league", "Session")
    known: set[tuple[int, int]] = set()
    highest = dict(Session.objects.order_by().values_list("league").annotate(Max("number")))
    # Whoever is called by the number keeps it.
    called = sorted(
        Session.objects.order_by("pk"), key=lambda session: (bool(session.title), session.state == "withdrawn")
    )
    for session in called:
        if (session.league_id, session.number) in known:
            highest[session.league_id] += 1
            session.number = highest[session.league_id]
            session.save(update_fields=["number"])
        known.add((session.league_id, session.number))


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0006_session_start_time"),
    ]

    operations = [
        migrations.CreateModel(
            name="FormerAddress",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(unique=True, verbose_name="address")),
                ("since", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "former address",
                "verbose_name_plural": "former addresses",
                "ordering": ("-pk",),
            },
        ),
        migrations.RemoveConstraint(
            model_name="session",
            name="session_number_once",
        ),
        migrations.RunPython(leave_numbers, number_anew),
        migrations.AddField(
            model_name="league",
            name="state",
            field=models.CharField(
                choices=[("active", "Active"), ("archived", "Archived"), ("taken_down", "Taken down")],
                default="active",
                max_length=10,
                verbose_name="state",
            ),
        ),
        migrations.AddConstraint(
            model_name="league",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ("active", "archived", "taken_down"))), name="league_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="session",
            constraint=models.UniqueConstraint(
                condition=models.Q(("title", ""), models.Q(("state", "withdrawn"), _negated=True)),
                fields=("league", "number"),
                name="session_number_once",
            ),
        ),
        migrations.AddField(
            model_name="formeraddress",
            name="league",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="former_addresses", to="league.league"
            ),
        ),
    ]
