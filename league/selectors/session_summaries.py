"""Sessions in a list with their winners, and the points of sessions whose hanchan nobody has."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, F, Sum

from league.engine import first_day_of_year
from league.models import League, Player, Seat, Session, SessionPoints
from league.selectors.standings_sql import points_column


@dataclass(frozen=True, slots=True)
class SessionPointsTotal:
    """The points of a session whose hanchan nobody has; withdrawn ones are listed and not summed."""

    rows: tuple[SessionPoints, ...]

    @property
    def total(self) -> int:
        """The sum of what counts, in 1/1000 pt; 0 unless they were published otherwise."""
        return sum(row.points for row in self.rows if not row.withdrawn)


def session_points_total(session: Session) -> SessionPointsTotal | None:
    """Return the points without hanchan of a session, the highest first; None where there are none. One query."""
    rows = session.points_without_hanchan.select_related("player").order_by("withdrawn", "-points", "pk")
    found = tuple(rows)
    return SessionPointsTotal(found) if found else None


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session in a list: how much was played and who came out on top."""

    session: Session
    hanchan: int
    players: int
    winners: tuple[Player, ...]
    points: int | None


def session_summaries(league: League, sessions: Iterable[Session]) -> list[SessionSummary]:
    """Return the sessions with their winners by the league's ledger. Three queries."""
    sessions = list(sessions)
    keys = [session.pk for session in sessions]
    seats, points = Counter[int](), defaultdict[int, Counter[int]](Counter)
    for session, player, count, gained in _of_seats(league, keys):
        seats[session] += count
        points[session][player] += int(gained)
    without_hanchan = SessionPoints.objects.filter(session__in=keys, withdrawn=False).order_by()
    for session, player, gained in without_hanchan.values_list("session", "player", "points"):
        points[session][player] += gained
    best = {session: max(gained.values()) for session, gained in points.items()}
    winners = {
        session: sorted(player for player, had in gained.items() if had == best[session])
        for session, gained in points.items()
    }
    people = Player.objects.order_by().in_bulk({player for each in winners.values() for player in each})
    return [
        SessionSummary(
            session,
            seats[session.pk] // int(session.ruleset_version.parameters.get("players", 4)),
            len(points[session.pk]),
            tuple(people[player] for player in winners.get(session.pk, ())),
            best.get(session.pk),
        )
        for session in sessions
    ]


def _of_seats(league: League, sessions: Collection[int]) -> Iterable[tuple[int, int, int, int]]:
    seats = (
        Seat.objects.counted()
        .filter(hanchan__session__in=sessions)
        .order_by()
        .values_list("hanchan__session", "player")
    )
    return seats.annotate(count=Count("pk"), gained=Sum(F(points_column(league)) + F("total_only")))


def years_with_sessions(league: League) -> list[int]:
    """Return the years in which the league has sessions, the latest first. One query, whatever their number."""
    with connection.cursor() as cursor:
        cursor.execute(YEARS.format(first_day=first_day_of_year("latest.day")), {"league": league.pk})
        return [int(str(day)[:4]) for (day,) in cursor.fetchall()]


YEARS = """
    WITH RECURSIVE latest(day) AS (
        SELECT max(date) FROM league_session WHERE league_id = %(league)s AND state <> 'withdrawn'
        UNION ALL
        SELECT (SELECT max(date) FROM league_session
                WHERE league_id = %(league)s AND state <> 'withdrawn' AND date < {first_day})
        FROM latest WHERE day IS NOT NULL)
    SELECT day FROM latest WHERE day IS NOT NULL
"""
"""From the latest session to the latest of an earlier year, and so on: as many steps as there are years."""
