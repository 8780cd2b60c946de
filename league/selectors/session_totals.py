"""What sessions came to: as it is kept where nothing has changed since, else added up now."""

# ruff: noqa: S608 - the statements are put together from constants; every value is a parameter

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, OuterRef, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from league.models import Seat, Session, SessionEdition, SessionPoints, SessionRise, SessionTotal

LEDGERS = {"ranking": "points", "settlement": "settlement"}
"""The column of a seat that each ledger adds up."""


@dataclass(frozen=True, slots=True)
class SessionSum:
    """What a session came to, as SessionTotal keeps it."""

    seats: int = 0
    players: int = 0
    best: Mapping[str, tuple[int, list[int]]] | None = None
    strays: bool = False

    def winners(self, ledger: str) -> tuple[int | None, list[int]]:
        """Return the highest points in a ledger, in 1/1000 pt, and who has them by primary key; None and nobody."""
        points, players = (self.best or {}).get(ledger, (None, []))
        return points, players


def session_sums(sessions: Collection[int]) -> dict[int, SessionSum]:
    """Return what each of these sessions came to. One query, one more where any of them has changed since."""
    found = kept_sums(sessions)
    return found | summed([pk for pk in sessions if pk not in found])


def kept_sums(sessions: Collection[int]) -> dict[int, SessionSum]:
    """Return what is kept of those that have not changed since. One query."""
    numbers = SessionEdition.objects.filter(session=OuterRef("session")).values("number")
    rises = SessionRise.objects.filter(session=OuterRef("session")).order_by().values("session")
    counted = rises.annotate(count=Count("pk")).values("count")
    now = Coalesce(Subquery(numbers), Value(0)) + Coalesce(Subquery(counted), Value(0))
    totals = SessionTotal.objects.filter(session__in=sessions).annotate(now=now).filter(edition=F("now"))
    rows = totals.values_list("session", "seats", "players", "best", "strays")
    return {
        session: SessionSum(seats, players, {ledger: (points, who) for ledger, (points, who) in best.items()}, strays)
        for session, seats, players, best, strays in rows
    }


def summed(sessions: Collection[int]) -> dict[int, SessionSum]:
    """Return what sessions came to, from the facts, points on the total included. Two queries, none without sessions."""
    if not sessions:
        return {}
    of_ledgers: dict[str, Any] = {
        f"{ledger}_sum": Sum(F(column) + F("total_only")) for ledger, column in LEDGERS.items()
    }
    of_seats = (
        Seat.objects.counted()
        .filter(hanchan__session__in=sessions)
        .order_by()
        .values_list("hanchan__session", "hanchan__session__date", "day", "player")
        .annotate(count=Count("pk"), **of_ledgers)
    )
    without_hanchan = SessionPoints.objects.filter(session__in=sessions, withdrawn=False).order_by()
    points: dict[int, dict[str, Counter[int]]] = defaultdict(lambda: {ledger: Counter() for ledger in LEDGERS})
    seats, strays = Counter[int](), set[int]()
    for session, date, day, player, count, *sums in of_seats:
        seats[session] += count
        strays.update({session} if date != day else ())
        for ledger, gained in zip(LEDGERS, sums, strict=True):
            points[session][ledger][player] += int(gained)
    for session, player, amount in without_hanchan.values_list("session", "player", "points"):
        for ledger in LEDGERS:
            points[session][ledger][player] += amount
    return {
        session: SessionSum(
            seats[session],
            len(points[session]["ranking"]),
            {ledger: _best(gained) for ledger, gained in points[session].items() if gained},
            session in strays,
        )
        for session in sessions
    }


def _best(gained: Mapping[int, int]) -> tuple[int, list[int]]:
    best = max(gained.values())
    return best, sorted(player for player, points in gained.items() if points == best)


CHANGED = {
    "postgresql": """
        SELECT DISTINCT session.id, session.league_id FROM league_sessionrise AS rise
        JOIN league_session AS session ON session.id = rise.session_id
    """,
    "sqlite": """
        SELECT session.id, session.league_id FROM league_session AS session
        LEFT JOIN league_sessionedition AS edition ON edition.session_id = session.id
        LEFT JOIN league_sessiontotal AS total ON total.session_id = session.id
        WHERE total.edition IS NULL OR total.edition <> coalesce(edition.number, 0)
    """,
}
"""The sessions that have changed since they were added up. PostgreSQL keeps their changes until then."""


def changed_sessions(league_id: int) -> list[int]:
    """Return the sessions of a league that have changed since they were added up, by primary key. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id FROM ({CHANGED[connection.vendor]}) AS changed WHERE league_id = %s ORDER BY id", [league_id]
        )
        return [session for (session,) in cursor.fetchall()]


def leagues_to_refresh() -> list[int]:
    """Return the leagues with stale boards, or with sessions that have changed since they were added up. One query."""
    changed = f"SELECT league_id FROM ({CHANGED[connection.vendor]}) AS changed"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT league_id FROM league_staleperiod UNION {changed} ORDER BY 1")
        return [league for (league,) in cursor.fetchall()]


def all_sessions(league_id: int) -> list[int]:
    """Return every session of a league by primary key. One query."""
    return list(Session.objects.filter(league=league_id).order_by("pk").values_list("pk", flat=True))
