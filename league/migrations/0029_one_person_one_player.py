"""Whoever logs in as several players of a league keeps the one that is part of no other, of several the first."""

from typing import Any

from django.db import migrations
from django.db.models import F, OuterRef, Subquery


def keep_the_first(apps: Any, schema_editor: Any) -> None:
    """Leave every user one player in each league."""
    players = apps.get_model("league", "Player").objects.using(schema_editor.connection.alias)
    mine = players.filter(league=OuterRef("league"), user=OuterRef("user"))
    first = mine.order_by(F("merged_into").asc(nulls_first=True), "pk").values("pk")[:1]
    several = players.exclude(user=None).exclude(pk=Subquery(first))
    players.filter(pk__in=list(several.values_list("pk", flat=True))).update(user=None)


class Migration(migrations.Migration):

    dependencies = [
        ("league", "0028_roles"),
    ]

    operations = [
        migrations.RunPython(keep_the_first, migrations.RunPython.noop),
    ]
