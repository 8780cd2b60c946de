"""Where tournaments are found: at their addresses in their league, each with its edition."""

from collections.abc import Iterator

from django.db.models import OuterRef, Q, QuerySet, Subquery, Sum

from league.models import Edition, League
from league.models.editions import ANYTHING, edition_text
from tournaments.models import StageSession, Tournament


def tournament_at(league: League, key: str) -> Tournament | None:
    return next(_read(league, Tournament.objects.filter(key=key)), None)


def tournaments_of(league: League) -> list[Tournament]:
    return list(_read(league, Tournament.objects.order_by("-pk")))


def _read(league: League, tournaments: QuerySet[Tournament]) -> Iterator[Tournament]:
    played = StageSession.objects.filter(tournament=OuterRef(OuterRef("pk")))
    within = Q(scope__in=played.values("session")) | Q(scope__in=played.values("session__postponed_from"))
    changes = Edition.objects.filter(Q(scope=ANYTHING) | within, league=league).order_by()
    marks = Subquery(changes.values("league").annotate(sum=Sum("mark")).values("sum"))
    found = tournaments.filter(league=league).select_related("ruleset_version__ruleset")
    for tournament in found.annotate(marks=marks):
        tournament.league, tournament.edition = league, edition_text(tournament.marks)
        yield tournament
