"""Sessions in a list with their winners, and the points of sessions whose hanchan nobody has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import connection

from league.models import League, Player, Session, SessionPoints
from league.selectors.session_totals import SessionSum, session_sums


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
    """Return the sessions with their winners by the league's ledger. Two queries, three more where any is not added up."""
    sessions = list(sessions)
    sums = session_sums([session.pk for session in sessions])
    winners = {player for found in sums.values() for player in found.winners(league.ledger)[1]}
    people = Player.objects.order_by().in_bulk(winners)
    return [_line(session, sums[session.pk], league.ledger, people) for session in sessions]


def _line(session: Session, found: SessionSum, ledger: str, people: Mapping[int, Player]) -> SessionSummary:
    points, winners = found.winners(ledger)
    size = int(session.ruleset_version.parameters.get("players", 4))
    return SessionSummary(
        session, found.seats // size, found.players, tuple(people[player] for player in winners), points
    )


def years_with_sessions(league: League) -> list[int]:
    """Return the years in which the league has sessions, the latest first. One query, whatever their number."""
    with connection.cursor() as cursor:
        cursor.execute(YEARS.format(first_day=FIRST_DAY[connection.vendor]), {"league": league.pk})
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

FIRST_DAY = {
    "postgresql": "CAST(date_trunc('year', latest.day) AS date)",
    "sqlite": "strftime('%%Y-01-01', latest.day)",
}
"""How each database writes the first day of a year."""
