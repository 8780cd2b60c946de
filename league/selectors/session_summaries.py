"""Sessions in a list with their winners, and the points of sessions whose hanchan nobody has."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, F, Sum

from league.models import League, Player, Seat, Session, SessionPoints


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
    column = "settlement" if league.ledger == League.RankingLedger.SETTLEMENT else "points"
    totals: dict[int, dict[int, int]] = defaultdict(dict)
    seats = Seat.objects.counted().filter(hanchan__session__in=sessions).order_by()
    rows = seats.values_list("hanchan__session", "player").annotate(
        points=Sum(F(column) + F("total_only")), hanchan=Count("pk")
    )
    played: Counter[int] = Counter()
    for session, player, points, count in rows:
        totals[session][player] = points
        played[session] += count
    for each in SessionPoints.objects.filter(session__in=sessions, withdrawn=False):
        totals[each.session_id][each.player_id] = totals[each.session_id].get(each.player_id, 0) + each.points
    people = Player.objects.in_bulk({player for points in totals.values() for player in points})
    sizes = _table_sizes(sessions)
    return [_line(session, totals[session.pk], played[session.pk] // sizes[session.pk], people) for session in sessions]


def _table_sizes(sessions: Iterable[Session]) -> dict[int, int]:
    return {session.pk: int(session.ruleset_version.parameters.get("players", 4)) for session in sessions}


def _line(session: Session, totals: Mapping[int, int], hanchan: int, people: Mapping[int, Player]) -> SessionSummary:
    best = max(totals.values(), default=None)
    winners = tuple(people[player] for player, points in totals.items() if points == best)
    return SessionSummary(session, hanchan, len(totals), winners, best)
