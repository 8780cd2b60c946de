"""What stands out in a period, from what is kept of it and from the seats of the days between; and what is to be kept."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from league.core.periods import ALL_TIME, Period, PeriodKind, parse_period
from league.models import Board, Hanchan, Incident, League, Seat, StalePeriod
from league.selectors.board_parts import divided
from league.selectors.board_parts import on_days as condition_on_days
from league.selectors.questions import answers, day_of, question_of
from league.selectors.standings_sql import points_column
from stats.core.feats import FeatSeat
from stats.core.league_records import LeagueRecords, RecordSeat, from_json, joined, records_of
from stats.models import AchievementDue, KeptFeats

SHAPE = 2
"""The form in which feats are kept; with another number, what is kept is put together anew."""


def league_records(league: League, period: Period) -> LeagueRecords:
    """Return what stands out in a period. One query where it is kept, four at most; no seat of a kept part is looked at."""
    if period.is_stored:
        own = still_true(KeptFeats.objects.filter(league=league, period=period.key)).values_list("records", flat=True)
        if (found := own.first()) is not None:
            return from_json(found)
    return joined_records(league, period)


def joined_records(league: League, period: Period) -> LeagueRecords:
    """Return what stands out in a period, put together from what is kept inside it and the seats of the other days."""
    parts = _kept_within(league, period)
    places, days = divided(period, parts)
    kept = KeptFeats.objects.filter(league=league, period__in=places) if places else KeptFeats.objects.none()
    found = [(places[key], from_json(records)) for key, records in kept.values_list("period", "records")]
    rows = list(_record_seats(league, condition_on_days(days))) if days else []
    for each in days:
        first, end = each.start.isoformat(), each.end.isoformat()
        found.append((each.place, records_of(row for row in rows if first <= row.day < end)))
    return joined([records for _, records in sorted(found, key=itemgetter(0))])


def still_true(kept: QuerySet[KeptFeats]) -> QuerySet[KeptFeats]:
    """Return those that say what the facts say."""
    of_period = {"league": OuterRef("league"), "period": OuterRef("period")}
    boards = Board.objects.filter(**of_period, computed_at=OuterRef("computed_at"), version=OuterRef("version"))
    return kept.filter(Exists(boards), ~Exists(StalePeriod.objects.filter(**of_period)), shape=SHAPE)


def _kept_within(league: League, period: Period) -> list[Period]:
    """Return what is kept inside a period, the widest first, in order; no month of a year that is taken whole. One query."""
    if period.kind is PeriodKind.MONTH:
        return []
    rows = still_true(KeptFeats.objects.filter(league=league)).exclude(period__in=(ALL_TIME.key, period.key))
    known = sorted(
        (parse_period(key, league.first_month) for key in rows.values_list("period", flat=True)),
        key=attrgetter("start", "key"),
    )
    found: list[Period] = []
    at = period.start
    for part in known:
        if at <= part.start and part.end <= period.end:
            found.append(part)
            at = part.end
    return found


# --- From seats ------------------------------------------------------------------------------------------------------


class MonthSeats(NamedTuple):
    """A month of a league from its seats, in order of play: for what stands out, and for what each player did."""

    seats: list[RecordSeat]
    by_player: dict[int, list[FeatSeat]]


def month_seats(league: League, month: Period) -> MonthSeats:
    """Return every seat of a month that counts, as records and achievements look at it. Two queries."""
    condition = Q(day__gte=month.start, day__lt=month.end)
    seats = list(_record_seats(league, condition))
    rows = Incident.objects.filter(
        kind=Incident.Kind.YAKUMAN, hanchan__league=league, hanchan__day__gte=month.start, hanchan__day__lt=month.end
    )
    yakuman = set(rows.values_list("hanchan_id", "seat"))
    by_player: dict[int, list[FeatSeat]] = {}
    for _, group in groupby(seats, key=attrgetter("hanchan")):
        table = tuple(group)
        for row in table:
            by_player.setdefault(row.player, []).append(_feat_seat(row, table, yakuman))
    return MonthSeats(seats, by_player)


def _feat_seat(mine: RecordSeat, table: tuple[RecordSeat, ...], yakuman: set[tuple[int, int]]) -> FeatSeat:
    others = [row for row in table if row is not mine]
    return FeatSeat(
        hanchan=mine.hanchan,
        seat=mine.seat,
        placement=mine.placement,
        players=len(table),
        raw=mine.raw,
        has_yakuman=(mine.hanchan, mine.seat) in yakuman,
        met=tuple(row.player for row in others),
        beaten=tuple(row.player for row in others if mine.placement < row.placement),
    )


def _record_seats(league: League, condition: Q) -> Iterator[RecordSeat]:
    """Yield the seats of some days. One message: of the hanchan joined, the database might read those of all days."""
    seats = Seat.objects.counted().filter(condition, league=league)
    columns = ("hanchan_id", "day", "player_id", "seat", "placement", "raw_score", points_column(league), "total_only")
    hanchan = Hanchan.objects.filter(condition, league=league).order_by()
    rows, sessions = answers(
        question_of(seats.order_by("day", "played_at", "hanchan_id", "seat").values_list(*columns)),
        question_of(hanchan.values_list("pk", "session_id")),
    )
    session_of: dict[int, int] = dict(sessions)
    if elsewhere := {row[0] for row in rows} - session_of.keys():
        # Somebody has put a hanchan on another day than its seats: a proof looks at it all the same.
        session_of |= dict(Hanchan.objects.filter(pk__in=elsewhere).values_list("pk", "session_id"))
    for pk, day, *rest in rows:
        yield RecordSeat(pk, session_of[pk], day_of(day).isoformat(), *rest)


# --- What is to be kept ----------------------------------------------------------------------------------------------


def leagues_with_due_feats(this_month: str) -> list[int]:
    """Return the leagues in which feats are to be kept, titles given or achievements follow, by primary key. Three queries.

    `this_month`: the key of the earliest month that is not over anywhere.
    """
    found = set(_due(this_month).order_by("league").values_list("league", flat=True).distinct())
    found.update(AchievementDue.objects.order_by("league").values_list("league", flat=True).distinct())
    found.update(
        KeptFeats.objects.filter(awards_due=True).order_by("league").values_list("league", flat=True).distinct()
    )
    return sorted(found)


def due_feats(league: League, this_month: str) -> list[KeptFeats]:
    """Return what is to be kept of a league, unsaved, with the stamps of the boards: months, years, all time. One query."""
    rows = _due(this_month).filter(league=league).values("period", "computed_at", "version")
    due = [KeptFeats(league=league, shape=SHAPE, is_over=row["period"] < this_month, **row) for row in rows]
    return sorted(due, key=lambda each: (_WIDTH[parse_period(each.period).kind], each.period))


_WIDTH = {PeriodKind.MONTH: 0, PeriodKind.YEAR: 1, PeriodKind.ALL: 2}


def _due(this_month: str) -> QuerySet[Board]:
    of_board = {"league": OuterRef("league"), "period": OuterRef("period")}
    stamp = {"computed_at": OuterRef("computed_at"), "version": OuterRef("version")}
    kept = KeptFeats.objects.filter(**of_board, **stamp, shape=SHAPE)
    # A month that was kept while it went on is kept once more when it is over.
    as_they_are = kept.filter(Q(is_over=True) | Q(period__gte=this_month) | ~Q(period__contains="-"))
    boards = Board.objects.filter(computed_at__isnull=False)
    return boards.filter(~Exists(as_they_are), ~Exists(StalePeriod.objects.filter(**of_board)))
