"""Permission to direct a tournament: organisers of its league, and members appointed as directors."""

from collections.abc import Mapping

import rules
from django.contrib.auth.models import User

from league.models import League
from league.permissions import JUDGE, MANAGE, Leading, Person, leads_something
from tournaments.models import StageSession, Tournament

DIRECT = "tournaments.direct"
DIRECT_HALL = "tournaments.direct_hall"


def directed_tournaments(user: Person, league: League) -> frozenset[int]:
    """Return the tournaments a user directs without being an organiser. Cached per request, at most one query."""
    if not leads_something(user, league):
        return frozenset()
    known: dict[int, frozenset[int]] | None = getattr(user, "_directed", None)
    if known is None:
        known = {}
        setattr(user, "_directed", known)  # noqa: B010 - a user has no such field
    if league.pk not in known:
        directed = Tournament.objects.filter(league=league, directors__membership__user=user.pk)
        known[league.pk] = frozenset(directed.values_list("pk", flat=True))
    return known[league.pk]


def directs_here(user: Person, league: League, given: Mapping[str, object]) -> bool:
    directed = directed_tournaments(user, league)
    return bool(directed) and Tournament.objects.filter(league=league, key=given["key"], pk__in=directed).exists()


def directed_sessions(user: User, league: League) -> frozenset[int]:
    directed = directed_tournaments(user, league)
    return frozenset(StageSession.objects.filter(tournament__in=directed).values_list("session_id", flat=True))


OF_TOURNAMENTS = Leading("directs", directed_sessions)


@rules.predicate
def is_director(user: Person, tournament: Tournament | None) -> bool:
    if tournament is None:
        return False
    league = tournament.league
    return user.has_perm(MANAGE, league) or (league.is_active and tournament.pk in directed_tournaments(user, league))


rules.add_perm(DIRECT, is_director)


@rules.predicate
def leads_hall(user: Person, tournament: Tournament | None) -> bool:
    return tournament is not None and (user.has_perm(JUDGE, tournament.league) or is_director(user, tournament))


rules.add_perm(DIRECT_HALL, leads_hall)
