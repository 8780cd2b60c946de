"""Results that were being entered while a name was erased, and tell it in the history all the same."""

from datetime import datetime, timedelta

from league.core.chain import Fact
from league.core.masking import without_player
from league.models import League, Player, Revision
from league.services.history import SYSTEM
from league.services.redacting import redact

LOOKED_FOR = timedelta(hours=1)
"""So long after a name was erased somebody may still store what they read before: far longer than any request lasts."""

REASON = "entered while the name was erased"


def sweep_late_names(now: datetime) -> int:
    """Put numbers in the place of names that came in while they were erased; return how many facts that were.

    Nobody remembers the name by then: it is told by the number of the player beside it. One query where there is none.
    """
    erased = Player.objects.filter(erased_at__gt=now - LOOKED_FOR)
    by_league: dict[League, list[Player]] = {}
    for player in erased.order_by("league", "pk").select_related("league"):
        by_league.setdefault(player.league, []).append(player)
    return sum(_redact_late(league, players) for league, players in by_league.items())


def _redact_late(league: League, players: list[Player]) -> int:
    called = {player.pk: player.name for player in players}
    first = min(player.erased_at for player in players if player.erased_at)
    late = Revision.objects.filter(league=league, subject="hanchan", at__gte=first - LOOKED_FOR).order_by("pk")
    wrong = [
        pk
        for pk, before, after in late.values_list("pk", "before", "after").iterator(500)
        if any(without_player(side, called, str) != side for side in (before, after))
    ]
    return (
        redact(league, {"revision": wrong}, lambda _kind, _number, fact: _renamed(fact, called), SYSTEM, REASON)
        if wrong
        else 0
    )


def _renamed(fact: Fact, called: dict[int, str]) -> Fact:
    return {**fact, **{side: without_player(fact[side], called, str) for side in ("before", "after")}}
