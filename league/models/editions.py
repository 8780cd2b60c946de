"""Editions of a league, which change with its data; cached pages are keyed by them (docs/adr/0074)."""

from __future__ import annotations

import secrets
from decimal import Decimal

from django.db import models, transaction
from django.db.models import Count

from league.models.leagues import League

MARKS = 2**48
"""Exclusive upper bound of a mark and of an edition."""


ANYTHING, HALL, DERIVED = 0, -1, -2
"""Scopes of changes that do not concern a single session: anything, hall data, derived data."""


def new_mark() -> int:
    return secrets.randbelow(MARKS)


def edition_text(marks: int | Decimal | None) -> str:
    """Return an edition as text. Pages with equal editions show the same facts."""
    return str(int(marks or 0) % MARKS)


class Edition(models.Model):
    """A change to a league, or several gathered into one. The league's edition is the sum of the marks.

    Rows are only added, so that writers do not wait for each other. `scope`: primary key of the only session that
    changed, or one of the constants above.
    """

    league = models.ForeignKey(League, on_delete=models.CASCADE, db_constraint=False, db_index=False, related_name="+")
    scope = models.BigIntegerField(default=ANYTHING)
    mark = models.BigIntegerField(default=new_mark)

    class Meta:
        indexes = (models.Index(fields=("league", "scope", "mark"), name="edition_of_league"),)

    def __str__(self) -> str:
        return f"{self.league_id} {self.scope}"


def raise_edition(league_id: int, scope: int = ANYTHING) -> None:
    """Change the league's edition, so that pages cached before the current transaction are outdated."""
    Edition.objects.create(league_id=league_id, scope=scope)


TOGETHER = 100
"""A league with more rows gets them gathered, so that summing stays fast."""


def raise_every_edition() -> None:
    Edition.objects.bulk_create(Edition(league_id=pk) for pk in League.objects.values_list("pk", flat=True))


def gather_editions() -> None:
    """Replace a league's rows by one with their sum, if there are many. One query if there are none to gather."""
    counted = Edition.objects.values("league").annotate(rows=Count("pk")).filter(rows__gt=TOGETHER)
    for league_id in counted.order_by("league").values_list("league", flat=True):
        _gather(league_id)


@transaction.atomic
def _gather(league_id: int) -> None:
    rows = Edition.objects.select_for_update().filter(league=league_id).order_by("pk")
    marks = dict(rows.values_list("pk", "mark"))
    Edition.objects.filter(pk__in=marks).delete()
    Edition.objects.create(league_id=league_id, mark=sum(marks.values()) % MARKS)
