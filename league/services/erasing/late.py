"""Results that were being entered while a name was erased, and tell it in the history all the same."""

from datetime import datetime, timedelta

from league.core.masking import without_player
from league.models import League, Player, Revision
from league.services.erasing.history import redact
from league.services.erasing.tables import told

LOOKED_FOR = timedelta(hours=1)
"""So long after a name was erased somebody may still store what they read before: far longer than any request lasts."""


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
    table = next(each for each in told() if each.model is Revision)
    return redact(league, table, late.iterator(500), lambda row: _renamed(row, called))


def _renamed(row: Revision, called: dict[int, str]) -> dict[str, object]:
    return {side: without_player(getattr(row, side), called, str) for side in ("before", "after")}
