"""What leagues have left behind in the present database, which waits to be taken away: work over all leagues leaves it alone."""

from typing import TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet

from league.models import AwayLeague, League

Row = TypeVar("Row", bound=Model)


def without_left_behind(rows: QuerySet[Row], league: str = "league") -> QuerySet[Row]:
    """Return rows without those of leagues that live elsewhere; `league`: how a row leads to its league.

    Who reads them to store something reads them when the transaction has stored or locked something, or by locking them:
    from then on no league leaves.
    """
    if not settings.LEAGUE_DATABASES:
        return rows
    return rows.exclude(**{f"{league}__in": AwayLeague.objects.values("league_id")})


def left_behind() -> QuerySet[League]:
    """Return the leagues that live elsewhere while the present database still has rows of them."""
    if not settings.LEAGUE_DATABASES:
        return League.objects.none()
    return League.objects.filter(pk__in=AwayLeague.objects.values("league_id"))
