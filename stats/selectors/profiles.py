"""What a player's page is made of: the hanchan of a period as exact statistics, opponents, records, history."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Max, Min, QuerySet

from league.core.periods import Period
from league.core.placements import halves_of
from league.models import League, Player, Seat
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.standings_sql import points_column
from stats.core import statistics
from stats.core.statistics import HeadToHead, Meeting, PlayedHanchan, Records, Run, Streak, Tally

LATEST = (20, 100)
"""How many of the latest hanchan a page offers to look at."""


@dataclass(frozen=True, slots=True)
class ProfileScope:
    """The part of a player's hanchan that a page is about: a period, or so many of the latest."""

    period: Period
    latest: int | None = None

    @property
    def key(self) -> str:
        """How an address names it."""
        return f"last-{self.latest}" if self.latest else self.period.key


@dataclass(frozen=True, slots=True)
class Opponent:
    """Somebody the player met, and how it went."""

    player: Player
    record: HeadToHead


@dataclass(frozen=True, slots=True)
class CurveStep:
    """One step of the cumulative curve: a hanchan, or points that come from none."""

    day: date
    points: int
    hanchan: int | None


@dataclass(frozen=True, slots=True)
class PlayerProfile:
    """All statistics of one player in one scope. Points are in 1/1000 pt."""

    tally: Tally
    players: int
    adjustment: int
    gains: tuple[CurveStep, ...]
    streaks: dict[Run, Streak]
    seats: dict[int, Tally]
    records: Records | None
    recent: tuple[int, ...]
    opponents: tuple[Opponent, ...]

    @property
    def total(self) -> int:
        """Everything that counts: points of the hanchan and all that lies on the total besides."""
        return sum(gain.points for gain in self.gains)


def player_profile(league: League, player: Player, scope: ProfileScope) -> PlayerProfile:
    """Return the statistics of a player. Four queries; time grows with the player's own hanchan only."""
    column = points_column(league)
    rows = _rows(league, player, scope, column)
    tables: dict[int, list[_SeatRow]] = {}
    for row in rows:
        tables.setdefault(row.hanchan, []).append(row)
    own = [row for row in rows if row.player == player.pk]
    games = [_played(row, len(tables[row.hanchan])) for row in own]
    besides = [] if scope.latest else points_without_hanchan(league, scope.period, [player.pk])
    gains = [CurveStep(row.day, row.points + row.total_only, row.hanchan) for row in own]
    gains += [CurveStep(extra.day, extra.points, None) for extra in besides]
    records = statistics.head_to_head(_meetings(player, tables.values()))
    people = Player.objects.in_bulk([record.opponent for record in records])
    return PlayerProfile(
        tally=statistics.tally(games),
        players=max((game.players for game in games), default=4),
        adjustment=sum(extra.points for extra in besides) + sum(row.total_only for row in own),
        gains=tuple(sorted(gains, key=lambda gain: (gain.day, gain.hanchan is None))),
        streaks=statistics.streaks(games),
        seats=statistics.by_seat(games),
        records=statistics.records(games),
        recent=tuple(game.placement for game in games[-10:]),
        opponents=tuple(Opponent(people[record.opponent], record) for record in records),
    )


@dataclass(frozen=True, slots=True)
class _SeatRow:
    hanchan: int
    player: int
    day: date
    seat: int
    placement: int
    sharing: int
    raw: int
    points: int
    total_only: int
    is_bust: bool


def _rows(league: League, player: Player, scope: ProfileScope, column: str) -> list[_SeatRow]:
    """Return every seat of the tables at which the player sat, in order of play."""
    own = Seat.objects.counted().in_period(scope.period).filter(league=league, player=player)
    seats = Seat.objects.counted().order_by("played_at", "hanchan_id", "seat")
    if scope.latest:
        latest = own.order_by("-played_at", "-hanchan_id").values_list("hanchan_id", flat=True)[: scope.latest]
        seats = seats.filter(hanchan_id__in=list(latest))
    else:
        seats = seats.filter(hanchan_id__in=own.order_by().values("hanchan_id"))
    fields = (
        "hanchan_id",
        "player_id",
        "day",
        "seat",
        "placement",
        "sharing",
        "raw_score",
        column,
        "total_only",
        "is_bust",
    )
    return [_SeatRow(*row) for row in seats.values_list(*fields)]


def _played(row: _SeatRow, players: int) -> PlayedHanchan:
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


def _halves(row: _SeatRow) -> int:
    return halves_of(row.placement, row.sharing)


def _meetings(player: Player, tables: Iterable[Sequence[_SeatRow]]) -> Iterable[Meeting]:
    for table in tables:
        mine = next(row for row in table if row.player == player.pk)
        for theirs in table:
            if theirs is not mine:
                yield Meeting(theirs.player, _halves(mine), _halves(theirs), mine.points, theirs.points)


def history(league: League, player: Player, scope: ProfileScope) -> QuerySet[Seat]:
    """Return the player's seats, the latest first, with what a line of the list needs."""
    seats = Seat.objects.counted().in_period(scope.period).filter(league=league, player=player)
    seats = seats.select_related("hanchan__session").order_by("-played_at", "-hanchan_id")
    return seats[: scope.latest] if scope.latest else seats


def first_and_last_day(league: League, player: Player) -> tuple[date | None, date | None]:
    """Return when the player first and last sat at a table. One query."""
    seats = Seat.objects.counted().filter(league=league, player=player)
    found = seats.aggregate(first=Min("day"), last=Max("day"))
    return found["first"], found["last"]
