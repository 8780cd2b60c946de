"""Look-up of leagues by current and former slugs."""

from datetime import date
from functools import lru_cache
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils import timezone

from league.models import Edition, League, Session
from league.models.editions import edition_text
from league.models.leagues import by_the_clock


def league_at(slug: str) -> League | None:
    """Return the league with this current or former slug, with rules and edition, or None. One or two queries."""
    return _league(Q(slug=slug)) or former_league_at(slug)


def former_league_at(slug: str) -> League | None:
    """Return the league that formerly had this slug, or None. One query."""
    return _league(Q(former_addresses__slug=slug))


def _league(where: Q) -> League | None:
    now = timezone.now()
    found: Any = next(iter(_leagues(now.date()).filter(where)), None)
    if found is None or found.has_ended(now):
        return None
    found.edition, found.is_clocked = edition_text(found.marks), found.has_clocked
    league: League = found
    return league


@lru_cache(maxsize=1)
def _leagues(today: date) -> QuerySet[League]:
    """Return the query for leagues. Building it takes longer than running it, and every page runs it."""
    marks = Edition.objects.filter(league=OuterRef("pk")).order_by().values("league").annotate(sum=Sum("mark"))
    clocked = Session.objects.filter(by_the_clock(today), league=OuterRef("pk"))
    leagues = League.objects.select_related("current_version__ruleset").order_by()
    return leagues.annotate(marks=Subquery(marks.values("sum")), has_clocked=Exists(clocked))


def is_free(slug: str, besides: League | None = None) -> bool:
    """Return whether no league uses or has used this slug, ignoring case. One query."""
    taken = League.objects.filter(Q(slug__iexact=slug) | Q(former_addresses__slug__iexact=slug))
    return not (taken.exclude(pk=besides.pk) if besides else taken).exists()
