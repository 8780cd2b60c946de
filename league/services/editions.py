"""Editions of many leagues at once (docs/adr/0074)."""

from django.db import transaction
from django.db.models import Count

from league.models import Edition, League
from league.models.editions import MARKS

TOGETHER = 100
"""With more changes than this a league's are put together, so that adding them up costs nothing."""


def raise_every_edition() -> None:
    Edition.objects.bulk_create(Edition(league_id=pk) for pk in League.objects.values_list("pk", flat=True))


def gather_editions() -> None:
    """Put the changes of leagues that have many together, into one that has their sum. One query if none has."""
    counted = Edition.objects.values("league").annotate(rows=Count("pk")).filter(rows__gt=TOGETHER)
    for league_id in counted.order_by("league").values_list("league", flat=True):
        _gather(league_id)


@transaction.atomic
def _gather(league_id: int) -> None:
    rows = Edition.objects.select_for_update().filter(league=league_id).order_by("pk")
    marks = dict(rows.values_list("pk", "mark"))
    Edition.objects.filter(pk__in=marks).delete()
    Edition.objects.create(league_id=league_id, mark=sum(marks.values()) % MARKS)
