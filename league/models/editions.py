"""How often anything of a league has changed: what its pages are kept by (docs/adr/0074)."""

from __future__ import annotations

import secrets
from decimal import Decimal

from django.db import models, transaction
from django.db.models import Count

from league.models.leagues import League

MARKS = 2**48
"""Upper bound of marks and of their sum."""


ANYTHING, HALL, DERIVED = 0, -1, -2
"""Scope of a change without a session: anything, hall data, derived data."""


def new_mark() -> int:
    """Return a random number for an edition."""
    return secrets.randbelow(MARKS)


def edition_text(marks: int | Decimal | None) -> str:
    """Return an edition as pages carry it; two that are equal show the same facts."""
    return str(int(marks or 0) % MARKS)


class Edition(models.Model):
    """A change of a league, or several combined. A league's edition is the sum of its marks.

    Rows are only added, so writers do not wait for each other, and equal sums mean equal facts. `scope`: primary key of
    the only session that changed, or one of the constants.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    scope = models.BigIntegerField(default=ANYTHING)
    mark = models.BigIntegerField(default=new_mark)

    class Meta:
        indexes = (models.Index(fields=("league", "scope", "mark"), name="edition_of_league"),)

    def __str__(self) -> str:
        return f"{self.league_id} {self.scope}"


def raise_edition(league_id: int, scope: int = ANYTHING) -> None:
    """Let no page of a league that was kept before this transaction be shown after it."""
    Edition.objects.create(league_id=league_id, scope=scope)


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
