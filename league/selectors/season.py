from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import combinations

from django.db.models import Count, Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce

from league.core.periods import Period
from league.core.season import SeasonSoFar
from league.models import Hanchan, PlannedSeat, Seat, Session
from league.models.plans import EVERY_ROUND

NEAR = timedelta(days=2)
"""Margin in the filter by time that covers every time zone."""

WINDS = 4


def season_of(session: Session) -> Period:
    return session.league.periods_of(session.date)[1]


def season_so_far(session: Session, players: Sequence[int | None]) -> SeasonSoFar:
    """Return how often these players met and had each wind this season, in their order; None is a new player.

    Includes unplayed hanchan planned in other open sessions. Three queries, limited to these players and the season.
    """
    known = [player for player in players if player is not None]
    met, winds = _played(session, known)
    planned_met, planned_winds = _planned(session, known)
    both, seated = met + planned_met, winds + planned_winds
    return SeasonSoFar(
        met=[
            [both[frozenset((one, other))] if one and other and one != other else 0 for other in players]
            for one in players
        ],
        winds=[[seated[one, wind] if one else 0 for wind in range(WINDS)] for one in players],
    )


Met = Counter[frozenset[int]]
AtWinds = Counter[tuple[int, int]]


def _played(session: Session, players: Sequence[int]) -> tuple[Met, AtWinds]:
    """Return how often pairs of players met and players had each wind, in played hanchan. Two queries."""
    season = season_of(session)
    begins, ends = (datetime.combine(day, time(), UTC) for day in (season.start, season.end))
    # Days are exact; the wider filter by time lets the database skip the players' other years.
    seats = Seat.objects.valid().in_period(season).filter(played_at__gte=begins - NEAR, played_at__lt=ends + NEAR)
    mine = seats.filter(league=session.league_id, player__in=players).order_by()
    others = mine.filter(hanchan__seats__player__in=players, hanchan__seats__player__gt=F("player"))
    pairs = others.values_list("player", "hanchan__seats__player").annotate(count=Count("pk"))
    winds = mine.values_list("player", "seat").annotate(count=Count("pk"))
    met = Counter({frozenset((one, other)): count for one, other, count in pairs})
    return met, Counter({(player, wind): count for player, wind, count in winds})


def _planned(session: Session, players: Sequence[int]) -> tuple[Met, AtWinds]:
    """Return the same for planned hanchan without a result in other sessions of the season. One query."""
    season = season_of(session)
    results = Hanchan.objects.valid().filter(session=OuterRef("session"), table=OuterRef("table"))
    open_ones = session.league.sessions.filter(state=Session.State.OPEN, date__gte=season.start, date__lt=season.end)
    rows = PlannedSeat.objects.filter(
        # A plan for the whole session counts as played once its table has a result.
        ~Exists(results.filter(round=OuterRef("round"))),
        ~Q(Exists(results), round=EVERY_ROUND),
        session__in=open_ones.exclude(pk=session.pk),
    )
    seats = rows.annotate(who=Coalesce("player__merged_into", "player")).filter(who__in=players).order_by()
    tables: dict[tuple[int, int, int], list[int]] = {}
    winds: AtWinds = Counter()
    for place, table, number, who, wind, waits in seats.values_list(
        "session", "table", "round", "who", "seat", "waits"
    ):
        tables.setdefault((place, table, number), []).append(who)
        if not waits:
            winds[who, wind] += 1
    return Counter(frozenset(pair) for table in tables.values() for pair in combinations(table, 2)), winds
