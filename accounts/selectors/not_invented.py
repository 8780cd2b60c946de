"""Data entered by real people, shown to the owner before the demo data is put aside."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Max

from league.models import League, Revision
from league.selectors.demo_accounts import demo_accounts

DEMO = "demo"
"""Source of the revisions made by the demo."""


@dataclass(frozen=True, slots=True)
class NotInvented:
    """Names of accounts and leagues, and the number of changes that people made to the demo leagues."""

    accounts: Sequence[str]
    leagues: Sequence[League]
    changes: int

    def __bool__(self) -> bool:
        return bool(self.accounts or self.leagues or self.changes)


def not_invented() -> NotInvented:
    """Return real accounts and leagues, and the number of changes to demo leagues. Four queries."""
    told = Revision.objects.filter(source=DEMO).order_by()
    invented = list(told.values_list("league", flat=True).distinct())
    # The demo is stored all at once, so later revisions were made by people.
    last = told.aggregate(last=Max("pk"))["last"] or 0
    return NotInvented(
        accounts=list(User.objects.exclude(pk__in=demo_accounts()).order_by("pk").values_list("username", flat=True)),
        leagues=list(League.objects.exclude(pk__in=invented).order_by("pk")),
        changes=Revision.objects.filter(league__in=invented, pk__gt=last).count(),
    )


def is_anything_here() -> bool:
    """Return whether there is a league or an account. At most two queries."""
    return League.objects.exists() or User.objects.exists()
