"""What players have of a year before a session.

A hanchan stands with the date of its session; its seats, and so the boards, with the day on which it was played.
"""

from collections import Counter
from collections.abc import Collection

from django.db.models import F, Q, Sum

from league.core.periods import Period
from league.models import Seat, Session


def points_before(session: Session, year: Period, players: Collection[int], points: str) -> Counter[int]:
    """Return what players have in a year from the hanchan before a session, in 1/1000 pt. One query, none without players.

    `points`: the column of the ledger.
    """
    if not players:
        return Counter()
    is_before = Q(hanchan__session__date__lt=session.date) | Q(
        hanchan__session__date=session.date, hanchan__session__number__lt=session.number
    )
    seats = Seat.objects.counted().filter(
        is_before, league=session.league_id, player__in=players, day__gte=year.start, day__lt=year.end
    )
    gained = seats.order_by().values_list("player").annotate(gained=Sum(F(points) + F("total_only")))
    return Counter({player: int(found) for player, found in gained})
