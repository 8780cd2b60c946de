"""Results that do not add up and are taken as they are, and results of which only the points are known."""

from typing import Any

from django.db import migrations, models
from django.db.models import F, Q

from league.models.edition_triggers import drop_triggers

GIVEN = [
    ("raw", "Raw scores"),
    ("worked_out", "Raw scores worked out from points"),
    ("points", "Points only"),
]

POINTS_ALONE = Q(points=F("base"), oka=0, uma=0, bust=0, chip_points=0, other=0, total_only=0) & Q(
    chips=0, deposits=0, chombo=0, is_bust=False
)


def take_triggers_away(apps: Any, schema_editor: Any) -> None:
    """Let SQLite write the tables anew; the triggers are made after every migration."""
    if schema_editor.connection.vendor == "sqlite":
        drop_triggers(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("league", "0020_attempts")]

    operations = [
        migrations.RunPython(take_triggers_away, migrations.RunPython.noop),
        migrations.AddField(
            model_name="league",
            name="unbalanced_count",
            field=models.BooleanField(
                db_default=True,
                default=True,
                verbose_name="results that do not add up count, once an organiser takes them as they are",
            ),
        ),
        migrations.AddField(
            model_name="hanchan",
            name="given",
            field=models.CharField(
                choices=GIVEN, db_default="raw", default="raw", max_length=10, verbose_name="what was known"
            ),
        ),
        migrations.AddField(
            model_name="hanchan",
            name="as_is",
            field=models.BooleanField(
                db_default=False, default=False, verbose_name="taken as it is, does not add up"
            ),
        ),
        migrations.AlterField(
            model_name="seat", name="raw_score", field=models.IntegerField(null=True, verbose_name="raw score")
        ),
        migrations.AddConstraint(
            model_name="hanchan",
            constraint=models.CheckConstraint(
                condition=Q(given__in=("raw", "worked_out", "points")), name="hanchan_given_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="hanchan",
            constraint=models.CheckConstraint(
                condition=~Q(given="points") | Q(sticks_left=0), name="hanchan_points_alone"
            ),
        ),
        migrations.AddConstraint(
            model_name="hanchan",
            constraint=models.CheckConstraint(condition=Q(as_is=False) | ~Q(note=""), name="hanchan_as_is_explained"),
        ),
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.CheckConstraint(
                condition=Q(raw_score__isnull=False) | POINTS_ALONE, name="seat_points_alone"
            ),
        ),
    ]
