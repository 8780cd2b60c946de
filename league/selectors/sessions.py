"""Lists of sessions: progress, postponed tables, winners, and points without hanchan."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Sum, Value

from league.core.periods import moment_on
from league.core.sessions import SessionPhase, SessionSoFar, phase_of
from league.engine import first_day_of_year
from league.models import Hanchan, League, PlannedSeat, Player, Seat, Session, SessionPoints
from league.models.plans import EVERY_ROUND
from league.selectors.planning import played_rounds
from league.selectors.standings_sql import points_column

Place = tuple[int, int, int]
"""Session (primary key), round and table."""


RoundsOf = Callable[[Collection[int]], Mapping[int, int]]
"""Returns the planned number of rounds by primary key of the session, if known. One query."""

rounds_of: list[RoundsOf] = []
"""Apps that know the number of rounds append their function when they are loaded."""

house_of: list[Callable[[Iterable[Session]], Iterable[tuple[int, int]]]] = []
"""As `rounds_of`: each returns who plays without competing, as primary keys of session and player."""

entrants_of: list[Callable[[Collection[int]], Mapping[int, Mapping[int, bool]]]] = []
"""As `rounds_of`: each returns, by session and player, whether those entered in a larger event play in the session."""


def entrants(sessions: Collection[int]) -> dict[int, Mapping[int, bool]]:
    return {pk: found for known in entrants_of if sessions for pk, found in known(sessions).items()}


def session_phases(
    league: League, sessions: Iterable[Session], now: datetime, rounds: Mapping[int, int] | None = None
) -> dict[int, SessionPhase]:
    """Return each session's phase by primary key, the same on all pages.

    Three queries, and one for each of `rounds_of` if seats of today are planned; none if all sessions are closed.
    `rounds`: result of `rounds_of`, if already known.
    """
    return phases_among([(league, session) for session in sessions], now, rounds)


def phases_among(
    found: Sequence[tuple[League, Session]], now: datetime, rounds: Mapping[int, int] | None = None
) -> dict[int, SessionPhase]:
    return {
        session.pk: phase_of(known, today=league.day_of(now), now=now)
        for (league, session), known in zip(found, _known(found, now, rounds), strict=True)
    }


def start_of(league: League, session: Session) -> datetime | None:
    """Return when a session starts, or None if only its day is known."""
    if session.start_time is None:
        return None
    return moment_on(session.date, session.start_time, league.time_zone, league.day_boundary)


def _known(
    found: Sequence[tuple[League, Session]], now: datetime, rounds: Mapping[int, int] | None
) -> Iterator[SessionSoFar]:
    open_ones = [session.pk for _, session in found if session.state == Session.State.OPEN]
    planned, begun = _planned_and_begun(open_ones) if open_ones else (set[Place](), set[int]())
    laid_out = Counter(session for session, _ in {each[:2] for each in planned if each[1] != EVERY_ROUND})
    wanted = Counter(session for session, _, _ in planned)
    # Results matter by table only if something is planned; otherwise it is enough that there is any.
    places = played_rounds(wanted) if wanted else set[Place]()
    # A plan for the whole session counts as played once its table has a result.
    places |= {(session, EVERY_ROUND, table) for session, _, table in places}
    missing = Counter(session for session, _, _ in planned - places)
    if rounds is None:
        rounds = _rounds([each.pk for league, each in found if laid_out[each.pk] and each.date >= league.day_of(now)])
    # Postponed tables matter only if nothing is played or planned.
    idle = [pk for pk in open_ones if pk not in begun and not wanted[pk]]
    parts = Session.objects.kept().filter(postponed_from__in=idle)
    moved = set(parts.values_list("postponed_from", flat=True))
    for league, session in found:
        yield SessionSoFar(
            day=session.date,
            begins=start_of(league, session),
            played=int(session.pk in begun),
            planned=wanted[session.pk],
            missing=missing[session.pk],
            is_played_out=0 < rounds.get(session.pk, 0) <= laid_out[session.pk] and not missing[session.pk],
            is_postponed=session.postponed_from_id is not None,
            has_moved=session.pk in moved,
            is_closed=session.state == Session.State.CLOSED,
            is_withdrawn=session.state == Session.State.WITHDRAWN,
        )


def _rounds(sessions: Collection[int]) -> dict[int, int]:
    """Return the number of rounds by session, for sessions that may be over before the end of their day."""
    return {pk: number for known in rounds_of if sessions for pk, number in known(sessions).items()}


def may_be_cancelled(session: Session) -> bool:
    """Return whether a session has no results yet and belongs to no tournament. At most three queries."""
    is_empty = not (session.hanchan.exists() or session.points_without_hanchan.exists())
    return is_empty and session.pk not in _rounds([session.pk])


def _planned_and_begun(sessions: Sequence[int]) -> tuple[set[Place], set[int]]:
    """Return the planned places, and the sessions with results. One query."""
    seats = PlannedSeat.objects.filter(session__in=sessions).order_by()
    planned = seats.values_list("session", "round", "table").distinct()
    results = Hanchan.objects.valid().filter(session=OuterRef("pk"))
    begun = Session.objects.filter(Exists(results), pk__in=sessions).order_by()
    rows = set(planned.union(begun.values_list("pk", Value(BEGUN), Value(BEGUN)), all=True))
    marks = {row for row in rows if row[1] == BEGUN}
    return rows - marks, {session for session, _, _ in marks}


BEGUN = -1
"""Stands for round and table in rows that mark a session with results."""


def moved_tables(session: Session) -> list[tuple[Session, list[int]]]:
    """Return the sessions to which tables were postponed, next first, with the planned tables. Two queries, one if there are none."""
    remaining = session.postponed_parts.exclude(state=Session.State.WITHDRAWN)
    parts = list(remaining.order_by("date", "start_time", "number"))
    tables: Mapping[int, set[int]] = {part.pk: set() for part in parts}
    for part, table in PlannedSeat.objects.filter(session__in=tables).values_list("session", "table"):
        tables[part].add(table)
    return [(part, sorted(tables[part.pk])) for part in parts]


def by_start(session: Session, boundary: time) -> tuple[date, bool, bool, str, int]:
    """Return a sort key by day and start; sessions without a start time come first on their day.

    `boundary`: start of the league day; sessions that start between midnight and this time come last.
    """
    clock = session.start_time
    is_after_midnight = clock is not None and clock < boundary
    return session.date, clock is not None, is_after_midnight, clock.isoformat() if clock else "", session.number


@dataclass(frozen=True, slots=True)
class SessionPointsTotal:
    """A session's points without hanchan; withdrawn ones are listed but not summed."""

    rows: tuple[SessionPoints, ...]

    @property
    def total(self) -> int:
        """The sum in 1/1000 pt; 0 unless the points were published unbalanced."""
        return sum(row.points for row in self.rows if not row.withdrawn)


def session_points_total(session: Session) -> SessionPointsTotal | None:
    """Return the session's points without hanchan, highest first, or None. One query."""
    found = tuple(session.points_without_hanchan.select_related("player").order_by("withdrawn", "-points", "pk"))
    return SessionPointsTotal(found) if found else None


@dataclass(frozen=True, slots=True)
class SessionSummary:
    session: Session
    hanchan: int
    players: int
    winners: tuple[Player, ...]
    points: int | None


def session_summaries(league: League, sessions: Iterable[Session]) -> list[SessionSummary]:
    sessions = list(sessions)
    keys = [session.pk for session in sessions]
    seats, points = Counter[int](), defaultdict[int, Counter[int]](Counter)
    counted = Seat.objects.counted().filter(hanchan__session__in=keys).order_by()
    rows = counted.values_list("hanchan__session", "player")
    gain = Sum(F(points_column(league)) + F("total_only"))
    for session, player, count, gained in rows.annotate(count=Count("pk"), gained=gain):
        seats[session] += count
        points[session][player] += int(gained)
    without_hanchan = SessionPoints.objects.filter(session__in=keys, withdrawn=False).order_by()
    for session, player, gained in without_hanchan.values_list("session", "player", "points"):
        points[session][player] += gained
    players = {session: len(gained) for session, gained in points.items()}
    for session, player in (each for known in house_of for each in known(sessions)):
        points[session].pop(player, None)
    best = {session: max(gained.values()) for session, gained in points.items() if gained}
    winners = {
        session: sorted(player for player, had in gained.items() if had == best[session])
        for session, gained in points.items()
    }
    people = Player.objects.order_by().in_bulk({player for each in winners.values() for player in each})
    return [
        SessionSummary(
            session,
            seats[session.pk] // int(session.ruleset_version.parameters.get("players", 4)),
            players.get(session.pk, 0),
            tuple(people[player] for player in winners.get(session.pk, ())),
            best.get(session.pk),
        )
        for session in sessions
    ]


def years_with_sessions(league: League) -> list[int]:
    """Return the years with sessions, latest first. One query."""
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
"""Jumps from the latest session of each year to the one before that year: one index look-up per year."""
