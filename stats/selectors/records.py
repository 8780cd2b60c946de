"""Records of a period, with their holders."""

from dataclasses import dataclass
from datetime import date
from functools import reduce
from operator import attrgetter, itemgetter, or_

from django.db.models import Exists, Max, Q, Subquery

from league.core.periods import Period
from league.models import Hanchan, League, Player, Seat, StalePeriod, Standing
from league.selectors.board_parts import divided, on_days_of_play
from league.selectors.standings_sql import points_column
from stats.core.league_records import RUNS, LeagueRecords, RecordKind, RecordSeat, from_json, joined, records_of
from stats.core.statistics import Run
from stats.models import KeptSums
from stats.selectors.career_seats import CareerRows, seat_rows
from stats.selectors.careers import kept_within, still_true

MOST = ("hanchan", "raw_best", "points_best")
"""Board columns for records."""


@dataclass(frozen=True, slots=True)
class HeldRecord:
    """A record and its holder. `value`: depending on the kind 1/1000 pt, a raw score, or a number of hanchan.

    `hanchan` and `session` are primary keys, None if the record does not belong to one.
    """

    value: int
    player: Player
    hanchan: int | None = None
    session: int | None = None
    day: date | None = None


@dataclass(frozen=True, slots=True)
class PeriodRecords:
    """Records of a period. `held`: by kind. `busiest`: most hanchan. `longest`: by kind of streak."""

    hanchan: int
    held: dict[RecordKind, HeldRecord]
    busiest: HeldRecord
    longest: dict[Run, HeldRecord]

    @property
    def players(self) -> tuple[Player, ...]:
        return tuple(each.player for each in (*self.held.values(), self.busiest, *self.longest.values()))


@dataclass(frozen=True, slots=True)
class MonthRecords:
    """The short list of records of a period. Each is None if only points are known or several players share `busiest`."""

    best_raw: HeldRecord | None
    best_points: HeldRecord
    busiest: HeldRecord | None

    @property
    def players(self) -> tuple[Player, ...]:
        return tuple(each.player for each in (self.best_raw, self.best_points, self.busiest) if each)


def month_records(league: League, period: Period) -> MonthRecords | None:
    """Return the records in a period's summary, from its board; None without hanchan. Two queries."""
    stale = StalePeriod.objects.filter(league=league, period=period.key)
    boards = Standing.objects.filter(league=league, period=period.key, hanchan__gt=0)
    board = boards.filter(~Exists(stale)).order_by("player_id")
    of_most = (Q(**{name: Subquery(board.order_by().values("league").values(best=Max(name)))}) for name in MOST)
    lines = list(board.filter(reduce(or_, of_most)).select_related("player"))
    raw = max((line.raw_best for line in lines if line.raw_best is not None), default=None)
    points = max((line.points_best for line in lines if line.points_best is not None), default=None)
    holders = {line.player_id: line.player for line in lines if raw == line.raw_best or points == line.points_best}
    of_ledger = points_column(league)
    seats = Seat.objects.counted().in_period(period).filter(league=league, player__in=holders)
    best = seats.filter(Q(raw_score=raw) | Q(**{of_ledger: points})).order_by("day", "played_at", "hanchan_id", "seat")
    columns = ("raw_score", of_ledger, "player_id", "hanchan_id", "hanchan__session_id", "day")
    found = list(best.values_list(*columns)) if lines else []
    first_raw = next((row for row in found if row[0] == raw is not None), None)
    first_points = next((row for row in found if row[1] == points), None)
    if first_points is None or (raw is not None and first_raw is None):
        # The board is stale or has no records yet.
        all_of_them = period_records(league, period)
        if all_of_them is None:
            return None
        held = all_of_them.held
        return MonthRecords(held.get(RecordKind.HIGHEST_RAW), held[RecordKind.MOST_POINTS], all_of_them.busiest)
    most = max(line.hanchan for line in lines)
    busiest = [line.player for line in lines if line.hanchan == most]
    return MonthRecords(
        best_raw=HeldRecord(raw, holders[first_raw[2]], *first_raw[3:]) if raw is not None and first_raw else None,
        best_points=HeldRecord(first_points[1], holders[first_points[2]], *first_points[3:]),
        busiest=HeldRecord(most, busiest[0]) if len(busiest) == 1 else None,
    )


def period_records(league: League, period: Period) -> PeriodRecords | None:
    """Return all records of a period; None without hanchan. At most nine queries."""
    found = league_records(league, period)
    if found.busiest is None:
        return None
    longest = {run: streak for run in RUNS if (streak := found.longest(run)) is not None}
    holders = {held.player for held in found.held.values()} | {player for player, _ in longest.values()}
    people = Player.objects.order_by().in_bulk({*holders, found.busiest[0]})
    ends = {part.longest_at for _, part in longest.values()}
    days = dict(Hanchan.objects.filter(pk__in=ends).order_by().values_list("pk", "day")) if ends else {}
    return PeriodRecords(
        hanchan=found.hanchan,
        held={kind: _held(people, found, kind) for kind in RecordKind if kind in found.held},
        busiest=HeldRecord(found.busiest[1], people[found.busiest[0]]),
        longest={
            run: HeldRecord(part.longest, people[player], part.longest_at, day=days.get(part.longest_at))
            for run, (player, part) in longest.items()
        },
    )


def _held(people: dict[int, Player], found: LeagueRecords, kind: RecordKind) -> HeldRecord:
    held = found.held[kind]
    return HeldRecord(held.value, people[held.player], held.hanchan, held.session, date.fromisoformat(held.day))


def league_records(league: League, period: Period) -> LeagueRecords:
    """Return the records of a period; stored months need no seats."""
    kept = still_true(KeptSums.objects.filter(league=league, period=period.key, player=None))
    found = kept.values_list("sums", flat=True).first() if period.is_stored else None
    return joined_records(league, period) if found is None else from_json(found)


def joined_records(league: League, period: Period) -> LeagueRecords:
    """Return the records of a period from stored months plus the seats of the other days."""
    places, days = divided(period, kept_within(league, period, years=True))
    kept = KeptSums.objects.filter(league=league, player=None, period__in=places)
    found = [(places[key], from_json(records)) for key, records in kept.values_list("period", "sums")]
    rows = seat_rows(league, Q(league=league) & on_days_of_play(days)) if days else CareerRows()
    found += [(each.place, records_of(record_seats(rows.between(each.start, each.end)))) for each in days]
    return joined([records for _, records in sorted(found, key=itemgetter(0))])


def record_seats(rows: CareerRows) -> list[RecordSeat]:
    facts = attrgetter(*RecordSeat._fields)
    return [RecordSeat._make(facts(row))._replace(day=row.day.isoformat()) for row in rows.seats]
