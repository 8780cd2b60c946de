"""The careers of players: months as they are kept, and other days put together from their seats."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import reduce
from itertools import groupby
from operator import attrgetter, itemgetter, or_

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from league.core.periods import FIRST_DAY, LAST_DAY, Period, parse_period
from league.core.placements import halves_of
from league.models import Board, League, Player, Seat, StalePeriod
from league.selectors.board_parts import divided
from league.selectors.points_without_hanchan import PointsWithoutHanchan, points_from, question_of_points
from league.selectors.questions import Question, Rows, answers, question_of
from league.selectors.standings_sql import FAR, Days, points_column
from stats.core.careers import SHAPE, Career, career_of, from_json, joined
from stats.core.statistics import Meeting, PlayedHanchan
from stats.models import KeptMonth, PlayerMonth


def career_in(league: League, player: Player, period: Period) -> tuple[Career, list[PointsWithoutHanchan]]:
    """Return what a player's hanchan of a period come to, and what counts besides. Two questions, whatever was played."""
    of_months, of_points = answers(
        _question_of_months(league, player, period), question_of_points(league, period, player.pk)
    )
    kept = _kept(league, period, of_months)
    places, days = divided(period, list(kept))
    parts = [(places[month.key], career) for month, career in kept.items() if career]
    own = Seat.objects.counted().filter(on_days(days), league=league, player=player).order_by()
    rows = seat_rows(league, Q(hanchan_id__in=own.values("hanchan_id"))) if days else []
    for each in days:
        of_days = [row for row in rows if each.start <= row.day < each.end]
        parts += [(each.place, career) for career in careers_of(of_days, player.pk).values()]
    return joined([career for _, career in sorted(parts, key=itemgetter(0))]), points_from(of_points)


def latest_career(league: League, player: Player, latest: int) -> Career:
    """Return what so many of a player's latest hanchan come to. Two queries."""
    own = Seat.objects.counted().filter(league=league, player=player).order_by("-played_at", "-hanchan_id")
    rows = seat_rows(league, Q(hanchan_id__in=list(own.values_list("hanchan_id", flat=True)[:latest])))
    return careers_of(rows, player.pk).get(player.pk, Career())


def up_to_date(months: QuerySet[KeptMonth]) -> QuerySet[KeptMonth]:
    """Return those of the months that say what the facts say."""
    of_month = {"league": OuterRef("league"), "period": OuterRef("period")}
    boards = Board.objects.filter(**of_month, computed_at=OuterRef("computed_at"), version=OuterRef("version"))
    return months.filter(Exists(boards), ~Exists(StalePeriod.objects.filter(**of_month)), shape=SHAPE)


def _question_of_months(league: League, player: Player, period: Period) -> Question:
    """Return the statement for the months that are kept, in order, each with what it came to for a player."""
    months = KeptMonth.objects.filter(league=league, period__range=(f"{period.start:%Y-%m}", f"{period.last:%Y-%m}"))
    careers = PlayerMonth.objects.filter(month=OuterRef("pk"), player=player).values("career")
    return question_of(up_to_date(months).order_by("period").values_list("period", Subquery(careers)))


def _kept(league: League, period: Period, rows: Rows) -> dict[Period, Career | None]:
    """Return the months that the statement found inside a period."""
    found = ((parse_period(key, league.first_month), career) for key, career in rows)
    return {
        month: from_json(json.loads(career)) if career else None
        for month, career in found
        if period.start <= month.start and month.end <= period.end
    }


def on_days(ranges: Iterable[Days]) -> Q:
    """Return the condition that a seat's day lies in one of these ranges, as the index of players' seats can be asked."""
    return reduce(or_, (_on(days) for days in ranges), Q())


def _on(days: Days) -> Q:
    condition = Q(day__gte=days.start, day__lt=days.end)
    if days.start > FIRST_DAY + FAR:
        condition &= Q(played_at__gte=_midnight(days.start - FAR))
    if days.end < LAST_DAY - FAR:
        condition &= Q(played_at__lt=_midnight(days.end + FAR))
    return condition


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


# --- From seats ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CareerSeat:
    """One player's line in a hanchan; `points` of the league's ledger, in 1/1000 pt."""

    hanchan: int
    player: int
    day: date
    seat: int
    placement: int
    sharing: int
    raw: int | None
    points: int
    total_only: int
    is_bust: bool


def rows_in(league: League, period: Period) -> list[CareerSeat]:
    """Return every seat of a period that counts, in order of play. One query."""
    return seat_rows(league, Q(league=league, day__gte=period.start, day__lt=period.end))


def seat_rows(league: League, condition: Q) -> list[CareerSeat]:
    """Return the seats that count of which this is true, in order of play. One query."""
    place = ("hanchan_id", "player_id", "day", "seat", "placement", "sharing", "raw_score")
    rows = Seat.objects.counted().filter(condition).order_by("day", "played_at", "hanchan_id", "seat")
    return [CareerSeat(*row) for row in rows.values_list(*place, points_column(league), "total_only", "is_bust")]


def careers_of(rows: Iterable[CareerSeat], player: int | None = None) -> dict[int, Career]:
    """Return what these seats come to for everybody who has any, or for one player; `rows` in order of play."""
    tables = [tuple(table) for _, table in groupby(rows, key=attrgetter("hanchan"))]
    own: dict[int, list[tuple[CareerSeat, tuple[CareerSeat, ...]]]] = {}
    for table in tables:
        for row in table:
            if player in {None, row.player}:
                own.setdefault(row.player, []).append((row, table))
    return {each: _career(seats) for each, seats in own.items()}


def _career(seats: list[tuple[CareerSeat, tuple[CareerSeat, ...]]]) -> Career:
    return career_of(
        [_played(row, len(table)) for row, table in seats],
        [(row.day, row.points + row.total_only) for row, _ in seats],
        sum(row.total_only for row, _ in seats),
        (meeting for row, table in seats for meeting in _meetings(row, table)),
    )


def _played(row: CareerSeat, players: int) -> PlayedHanchan:
    return PlayedHanchan(
        hanchan=row.hanchan,
        seat=row.seat,
        placement=row.placement,
        sharing=row.sharing,
        players=players,
        raw=row.raw,
        points=row.points,
        is_bust=row.is_bust,
    )


def _meetings(mine: CareerSeat, table: Iterable[CareerSeat]) -> Iterator[Meeting]:
    for theirs in table:
        if theirs is not mine:
            yield Meeting(theirs.player, _halves(mine), _halves(theirs), mine.points, theirs.points)


def _halves(row: CareerSeat) -> int:
    return halves_of(row.placement, row.sharing)
