"""What a player's page is made of: the hanchan of a period as exact statistics, opponents, records, history."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import reduce
from typing import NamedTuple

from django.db.models import Prefetch, QuerySet, Subquery

from league.core.board_lines import NO_BASIS, RankingBasis
from league.core.periods import Period
from league.core.placements import TWELFTHS
from league.models import Hanchan, League, Player, Seat
from league.selectors.points_without_hanchan import PointsWithoutHanchan
from league.selectors.standings_sql import Days
from stats.core.statistics import HeadToHead, Records, Run, Streak, Tally
from stats.selectors.careers import career_in, latest_career, on_days

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
class SumsTally:
    """What is known of a player by sums only. `basis`: as boards add it up; `places`: how often each was taken."""

    basis: RankingBasis = NO_BASIS
    places: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def are_any(self) -> bool:
        """Whether there are such sums."""
        return bool(self.basis.sums_hanchan or self.basis.sums_unknown)


def sums_of(besides: Iterable[PointsWithoutHanchan]) -> SumsTally:
    """Return what these points say of hanchan that nobody has."""
    known = [line for line in besides if line.is_sum]
    first, second, third, fourth = (
        sum(line.places[place] for line in known if line.places is not None) for place in range(4)
    )
    return SumsTally(
        reduce(RankingBasis.plus, (line.basis for line in known), NO_BASIS), (first, second, third, fourth)
    )


class CurveStep(NamedTuple):
    """One step of the cumulative curve: a hanchan, or points that come from none."""

    day: date
    points: int
    is_hanchan: bool


@dataclass(frozen=True, slots=True)
class Placements:
    """How often each place was taken in so many hanchan, in twelfths; `halves` is twice the sum of the placements."""

    hanchan: int
    halves: int
    places: tuple[int, ...]
    lasts: int

    @property
    def top_two(self) -> int:
        """First and second places, in twelfths."""
        return self.places[0] + self.places[1]

    @property
    def not_last(self) -> int:
        """Hanchan not finished in last place, in twelfths."""
        return TWELFTHS * self.hanchan - self.lasts


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
    sums: SumsTally

    @property
    def total(self) -> int:
        """Everything that counts: points of the hanchan and all that lies on the total besides."""
        return sum(gain.points for gain in self.gains)

    @property
    def hanchan(self) -> int:
        """How many there are, those included that are known by sums."""
        return self.tally.games + self.sums.basis.sums_hanchan

    @property
    def averaged(self) -> int:
        """The points that averages go by: all but those of sums that stand for nobody knows how many hanchan."""
        return self.total - self.sums.basis.sums_left_out

    @property
    def placements(self) -> Placements:
        """The placements that are known, one by one or by their number."""
        places = tuple(own + TWELFTHS * more for own, more in zip(self.tally.places, self.sums.places, strict=True))
        lasts = self.tally.lasts + TWELFTHS * sum(self.sums.places[self.players - 1 :])
        basis = self.sums.basis
        return Placements(self.tally.games + basis.sums_placed, self.tally.halves + basis.sums_halves, places, lasts)


def player_profile(league: League, player: Player, scope: ProfileScope) -> PlayerProfile:
    """Return the statistics of a player. Three questions; months that are kept are not looked at again."""
    besides: list[PointsWithoutHanchan] = []
    if scope.latest:
        career = latest_career(league, player, scope.latest)
    else:
        career, besides = career_in(league, player, scope.period)
    gains = [CurveStep(day, points, True) for day, gained in career.gains for points in gained]  # noqa: FBT003
    if besides:
        gains += (CurveStep(extra.day, extra.points, is_hanchan=False) for extra in besides)
        gains.sort(key=lambda gain: (gain.day, not gain.is_hanchan))
    people = Player.objects.order_by().in_bulk(career.met)
    return PlayerProfile(
        tally=career.tally,
        players=career.players or 4,
        adjustment=sum(extra.points for extra in besides if not extra.is_sum) + career.total_only,
        gains=tuple(gains),
        streaks=career.streaks,
        seats=career.tallies,
        records=career.best_and_worst,
        recent=career.recent,
        opponents=tuple(Opponent(people[record.opponent], record) for record in career.opponents),
        sums=sums_of(besides),
    )


def history(league: League, player: Player, scope: ProfileScope) -> QuerySet[Seat]:
    """Return the player's seats, the latest first, with what a line of the list needs.

    Sessions are asked for by those that are listed: joined, the database might join the whole career before it sorts.
    """
    days = on_days([Days(0, scope.period.start, scope.period.end)])
    seats = Seat.objects.counted().filter(days, league=league, player=player)
    hanchan = Prefetch("hanchan", Hanchan.objects.order_by().select_related("session"))
    seats = seats.prefetch_related(hanchan).order_by("-played_at", "-hanchan_id")
    return seats[: scope.latest] if scope.latest else seats


def first_and_last_day(league: League, player: Player) -> tuple[date | None, date | None]:
    """Return when the player first and last sat at a table. One query."""
    seats = Seat.objects.counted().filter(league=league, player=player).values("day")
    ends = (Subquery(seats.order_by(order)[:1]) for order in ("played_at", "-played_at"))
    first, last = Player.objects.filter(pk=player.pk).values_list(*ends).get()
    return first, last
