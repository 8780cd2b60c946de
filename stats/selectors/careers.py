"""The careers of players: months as they are kept, and other days put together from their seats."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from functools import reduce
from itertools import groupby
from operator import attrgetter, itemgetter, or_
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from league.core.periods import FIRST_DAY, LAST_DAY, Period, parse_period
from league.core.placements import halves_of
from league.models import Board, Hanchan, Incident, League, Player, RulesetVersion, Seat, StalePeriod
from league.selectors.board_parts import divided
from league.selectors.points_without_hanchan import PointsWithoutHanchan, points_from, question_of_points
from league.selectors.questions import Question, Rows, answers, day_of, question_of
from league.selectors.standings_sql import FAR, Days, points_column
from stats.core.careers import HELD, SHAPE, Career, career_of, from_json, joined
from stats.core.statistics import Meeting, PlayedHanchan
from stats.models import KeptMonth, PlayerMonth


def career_in(
    league: League, player: Player, period: Period, *besides: Question
) -> tuple[Career, list[PointsWithoutHanchan], list[Rows]]:
    """Return what a player's hanchan of a period come to, what counts besides, and the rows of further questions.

    Two messages, whatever was played.
    """
    of_months, of_points, *further = answers(
        _question_of_months(league, player, period), question_of_points(league, period, player.pk), *besides
    )
    kept = _kept(league, period, of_months)
    places, days = divided(period, list(kept))
    parts = [(places[month.key], career) for month, career in kept.items()]
    own = Seat.objects.counted().filter(on_days(days), league=league, player=player).order_by()
    rows = _rows(league, Q(hanchan_id__in=own.values("hanchan_id")), on_days_of_play(days)) if days else CareerRows()
    for each in days:
        of_days = rows.between(each.start, each.end)
        parts += [(each.place, career) for career in careers_of(of_days, player.pk).values()]
    career = joined([career for _, career in sorted(parts, key=itemgetter(0))])
    return replace(career, held=tuple(sorted({*career.held, *rows.held}))), points_from(of_points), further


def latest_career(league: League, player: Player, latest: int) -> Career:
    """Return what so many of a player's latest hanchan come to. Two queries."""
    own = Seat.objects.counted().filter(league=league, player=player).order_by("-played_at", "-hanchan_id")
    rows = _rows(league, Q(hanchan_id__in=list(own.values_list("hanchan_id", flat=True)[:latest])))
    return careers_of(rows, player.pk).get(player.pk, Career())


def up_to_date(months: QuerySet[KeptMonth]) -> QuerySet[KeptMonth]:
    """Return those of the months that say what the facts say."""
    of_month = {"league": OuterRef("league"), "period": OuterRef("period")}
    boards = Board.objects.filter(**of_month, computed_at=OuterRef("computed_at"), version=OuterRef("version"))
    return months.filter(Exists(boards), ~Exists(StalePeriod.objects.filter(**of_month)), shape=SHAPE)


def _question_of_months(league: League, player: Player, period: Period) -> Question:
    """Return the statement for the months that are kept, in order, each with what it came to for a player."""
    months = KeptMonth.objects.filter(league=league, period__range=(f"{period.start:%Y-%m}", f"{period.last:%Y-%m}"))
    careers = PlayerMonth.objects.filter(month=OuterRef("pk"))
    own, anybody = careers.filter(player=player).values("career"), careers.values(f"career__{HELD}")[:1]
    return question_of(up_to_date(months).order_by("period").values_list("period", Subquery(own), Subquery(anybody)))


def _kept(league: League, period: Period, rows: Rows) -> dict[Period, Career]:
    """Return the months that the statement found inside a period; where the player did not play, the sessions held."""
    found = ((parse_period(key, league.first_month), career, held) for key, career, held in rows)
    return {
        month: from_json(json.loads(career)) if career else Career(held=tuple(json.loads(held or "[]")))
        for month, career, held in found
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


def on_days_of_play(ranges: Iterable[Days]) -> Q:
    """Return the condition that the day of a hanchan lies in one of these ranges."""
    return reduce(or_, (Q(day__gte=days.start, day__lt=days.end) for days in ranges), Q())


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


# --- From seats ------------------------------------------------------------------------------------------------------


class CareerSeat(NamedTuple):
    """One player's line in a hanchan; `points` of the league's ledger, the parts of the ranking points, in 1/1000 pt."""

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
    base: int
    oka: int
    uma: int
    chips: int
    chombo: int
    session: int
    rules: int


COLUMNS = ("hanchan_id", "player_id", "day", "seat", "placement", "sharing", "raw_score")
MORE_COLUMNS = ("total_only", "is_bust", "base", "oka", "uma", "chips", "chombo")
OF_HANCHAN = ("hanchan__session_id", "hanchan__ruleset_version_id")

Table = tuple[CareerSeat, ...]
"""The seats of a hanchan."""


@dataclass(frozen=True, slots=True)
class CareerRows:
    """Seats in order of play, with what else is known of their hanchan.

    `starts`: what everybody began with, by version of rules, where they say. `yakuman` and `busted`: how many, by hanchan
    and seat; `busted` by a win. `held`: the sessions of those days, whoever played in them.
    """

    seats: Sequence[CareerSeat] = ()
    starts: Mapping[int, int | None] = field(default_factory=dict)
    yakuman: Mapping[tuple[int, int], int] = field(default_factory=dict)
    busted: Mapping[tuple[int, int], int] = field(default_factory=dict)
    held: Collection[int] = ()

    def between(self, start: date, end: date) -> "CareerRows":
        """Return the same of the days from `start` to the one before `end`."""
        return replace(self, seats=[row for row in self.seats if start <= row.day < end])


def rows_in(league: League, period: Period) -> CareerRows:
    """Return every seat of a period that counts, in order of play. One message."""
    within = Q(day__gte=period.start, day__lt=period.end)
    return _rows(league, Q(league=league) & within, within)


def _rows(league: League, condition: Q, held: Q | None = None) -> CareerRows:
    """Return the seats of a condition; `held`: of which hanchan of the league the sessions are asked for. One message."""
    counted = Seat.objects.counted().filter(condition)
    of_seats = counted.values_list(*COLUMNS, points_column(league), *MORE_COLUMNS, *OF_HANCHAN)
    hanchan = Hanchan.objects.counted().filter(held or Q(pk=None), league=league).order_by()
    versions = RulesetVersion.objects.filter(ruleset__league=league).order_by()
    kinds = (Incident.Kind.YAKUMAN, Incident.Kind.BUST)
    incidents = Incident.objects.filter(hanchan__in=counted.order_by().values("hanchan_id"), kind__in=kinds).order_by()
    rows, sessions, of_versions, of_incidents = answers(
        question_of(of_seats.order_by("day", "played_at", "hanchan_id", "seat")),
        question_of(hanchan.values_list("session_id").distinct()),
        question_of(versions.values_list("pk", "parameters")),
        question_of(incidents.values_list("hanchan_id", "seat", "kind", "detail")),
    )
    seats = [CareerSeat(hanchan, player, day_of(day), *values) for hanchan, player, day, *values in rows]
    starts = _starts({row.rules for row in seats}, of_versions)
    return CareerRows(seats, starts, *_incidents(of_incidents), {session for (session,) in sessions})


def _starts(used: Collection[int], versions: Rows) -> dict[int, int | None]:
    """Return what everybody begins with under these versions, in points of sticks; None where they do not say."""
    read = {
        pk: RulesetVersion(parameters=json.loads(parameters)).readable() for pk, parameters in versions if pk in used
    }
    return {pk: rules.start_points if rules else None for pk, rules in read.items()}


def _incidents(rows: Rows) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    """Return the yakuman, and the busts by a win of each winner."""
    yakuman: Counter[tuple[int, int]] = Counter()
    busted: Counter[tuple[int, int]] = Counter()
    for hanchan, seat, kind, written in rows:
        if kind == Incident.Kind.YAKUMAN:
            yakuman[hanchan, seat] += 1
        elif (detail := json.loads(written)).get("by") == "win":
            busted.update((hanchan, winner) for winner in detail.get("winners", ()))
    return yakuman, busted


def careers_of(rows: CareerRows, player: int | None = None) -> dict[int, Career]:
    """Return what these seats come to for everybody who has any, or for one player."""
    own: dict[int, list[tuple[CareerSeat, Table]]] = {}
    for _, together in groupby(rows.seats, key=attrgetter("hanchan")):
        table = tuple(together)
        for row in table:
            if player in {None, row.player}:
                own.setdefault(row.player, []).append((row, table))
    held = tuple(sorted(rows.held))
    return {each: _career(rows, seats, held) for each, seats in own.items()}


def _career(rows: CareerRows, seats: list[tuple[CareerSeat, Table]], held: tuple[int, ...]) -> Career:
    return career_of(
        [_played(rows, row, len(table)) for row, table in seats],
        (meeting for row, table in seats for meeting in _meetings(row, table)),
        held,
    )


def _played(rows: CareerRows, row: CareerSeat, players: int) -> PlayedHanchan:
    place = row.hanchan, row.seat
    return PlayedHanchan(
        hanchan=row.hanchan,
        seat=row.seat,
        placement=row.placement,
        sharing=row.sharing,
        players=players,
        raw=row.raw,
        points=row.points,
        is_bust=row.is_bust,
        day=row.day.toordinal(),
        session=row.session,
        start=rows.starts.get(row.rules),
        score_points=row.base + row.oka,
        uma=row.uma,
        chips=row.chips,
        chombo=row.chombo,
        yakuman=rows.yakuman.get(place, 0),
        busted_others=rows.busted.get(place, 0),
        total_only=row.total_only,
    )


def _meetings(mine: CareerSeat, table: Iterable[CareerSeat]) -> Iterator[Meeting]:
    for theirs in table:
        if theirs is not mine:
            lead = mine.raw - theirs.raw if mine.raw is not None and theirs.raw is not None else None
            yield Meeting(theirs.player, _halves(mine), _halves(theirs), mine.points, theirs.points, lead)


def _halves(row: CareerSeat) -> int:
    return halves_of(row.placement, row.sharing)
