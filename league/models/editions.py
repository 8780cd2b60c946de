"""How often anything of a league has changed: what its pages are kept by (docs/adr/0074)."""

from __future__ import annotations

import secrets
from decimal import Decimal

from django.db import models

from league.models.leagues import League

MARKS = 2**48
"""Marks are smaller than this, and so is what they add up to."""


ANYTHING, HALL, DERIVED = 0, -1, -2
"""What may have changed where no session is named: anything; what is told in a hall; what follows from results."""


def new_mark() -> int:
    """Return a number that nobody has had."""
    return secrets.randbelow(MARKS)


def edition_text(marks: int | Decimal | None) -> str:
    """Return an edition as pages carry it; two that are equal show the same facts."""
    return str(int(marks or 0) % MARKS)


class Edition(models.Model):
    """One change of a league, or many that were put together. The edition of the league is the sum of its marks.

    Rows are only added, so no writer waits for another; whatever was committed in whatever order, equal sums are equal
    facts. `scope`: the primary key of the session that alone has changed, or one of the numbers below.
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
