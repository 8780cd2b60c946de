"""What stands out in a period of a league, with the people who hold it."""

from dataclasses import dataclass
from datetime import date

from league.core.periods import Period
from league.models import Hanchan, League, Player
from stats.core.league_records import RUNS, LeagueRecords, RecordKind
from stats.core.statistics import Run
from stats.selectors.feats import league_records


@dataclass(frozen=True, slots=True)
class HeldRecord:
    """A record and who holds it. `value`: points in 1/1000 pt, a raw score, or a number of hanchan, as its kind says.

    `hanchan` and `session` are primary keys, None where the record is of neither.
    """

    value: int
    player: Player
    hanchan: int | None = None
    session: int | None = None
    day: date | None = None


@dataclass(frozen=True, slots=True)
class PeriodRecords:
    """What stands out in a period; `held` by kind, as there is any. `busiest`: most hanchan. `longest`: by kind of streak."""

    hanchan: int
    held: dict[RecordKind, HeldRecord]
    busiest: HeldRecord
    longest: dict[Run, HeldRecord]

    @property
    def players(self) -> tuple[Player, ...]:
        """Everybody who is named."""
        return tuple(each.player for each in (*self.held.values(), self.busiest, *self.longest.values()))


@dataclass(frozen=True, slots=True)
class MonthRecords:
    """What is told of a period in a few lines. Nothing stands out by raw score where only points are known."""

    best_raw: HeldRecord | None
    best_points: HeldRecord
    busiest: HeldRecord

    @property
    def players(self) -> tuple[Player, ...]:
        """Everybody who is named."""
        return tuple(each.player for each in (self.best_raw, self.best_points, self.busiest) if each)


def month_records(league: League, period: Period) -> MonthRecords | None:
    """Return the records of a period for its summary; None when nothing was played. Two queries where they are kept."""
    found = league_records(league, period)
    if found.busiest is None:
        return None
    raw, points = found.held.get(RecordKind.HIGHEST_RAW), found.held[RecordKind.MOST_POINTS]
    holders = {points.player, found.busiest[0], *((raw.player,) if raw else ())}
    people = Player.objects.order_by().in_bulk(holders)
    return MonthRecords(
        best_raw=_held(people, found, RecordKind.HIGHEST_RAW) if raw else None,
        best_points=_held(people, found, RecordKind.MOST_POINTS),
        busiest=HeldRecord(found.busiest[1], people[found.busiest[0]]),
    )


def period_records(league: League, period: Period) -> PeriodRecords | None:
    """Return all records of a period; None when nothing was played. Three queries where they are kept, six at most."""
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
