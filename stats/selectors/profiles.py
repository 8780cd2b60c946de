"""Data of a player page: statistics of a period, opponents, records, history."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from typing import NamedTuple

from django.db.models import Prefetch, QuerySet, Subquery

from league.core.board_lines import NO_BASIS, TWELFTHS, RankingBasis
from league.core.periods import Period
from league.models import Hanchan, League, Player, Seat, Standing
from league.selectors.points_without_hanchan import PointsWithoutHanchan, points_without_hanchan
from league.selectors.standings_sql import Days, minimum_for, points_column
from stats.core.careers import PlayedDay, Stretch
from stats.core.estimates import Estimate, Quotient, Sample, percentile, prior_of
from stats.core.statistics import PROVISIONAL_BELOW, HeadToHead, Records, Run, Tally
from stats.selectors.careers import careers_in, latest_career, on_days

LATEST = (20, 100)
"""Choices for "latest hanchan" on a player page."""


class Peer(NamedTuple):
    """The columns of a Standing that are compared between players."""

    player: int
    hanchan: int
    first: int
    second: int
    third: int
    fourth: int
    sums_hanchan: int
    sums_placed: int
    busts: int
    plus: int
    points: int

    @property
    def placed(self) -> int:
        return self.hanchan + self.sums_placed

    @property
    def sample(self) -> Sample:
        """The placements, times twelve. A shared placement counts in equal parts for each place it covers."""
        places = (self.first, self.second, self.third, self.fourth)
        return Sample(
            self.placed,
            sum(place * parts for place, parts in enumerate(places, start=1)),
            TWELFTHS * sum(place * place * parts for place, parts in enumerate(places, start=1)),
        )


FIGURES: Mapping[str, Callable[[Peer], Quotient]] = {
    "average_placement": lambda peer: (-peer.sample.total, peer.placed),
    "average_points": lambda peer: (peer.points, peer.hanchan),
    "first": lambda peer: (peer.first, peer.placed),
    "top_two": lambda peer: (peer.first + peer.second, peer.placed),
    "not_last": lambda peer: (-peer.fourth, peer.placed),
    "plus": lambda peer: (peer.plus, peer.hanchan),
    "busts": lambda peer: (-peer.busts, peer.hanchan),
}
"""Figures compared between players; higher is better."""


@dataclass(frozen=True, slots=True)
class PeerView:
    """A player's place among the others. `enough`: number of players who reach the `minimum`, including this one.

    `percentiles`: by figure, empty below the minimum. `strength`: estimated average placement, None if it cannot be
    told from luck.
    """

    minimum: int = PROVISIONAL_BELOW
    enough: int = 0
    percentiles: Mapping[str, Fraction] = field(default_factory=dict)
    strength: Estimate | None = None


def peer_view(league: League, period: Period, player: int) -> PeerView:
    """Return a player's place among the others on a stored board; empty for a custom range. One query."""
    lines = Standing.objects.filter(league=league, period=period.key).order_by()
    rows = lines.values_list("player_id", *Peer._fields[1:-1], points_column(league))
    peers = [peer for row in rows if (peer := Peer._make(row)).hanchan]
    minimum = max(PROVISIONAL_BELOW, minimum_for(league, period))
    own = next((peer for peer in peers if peer.player == player), None)
    enough = [peer for peer in peers if peer.hanchan >= minimum]
    return PeerView(minimum, len(enough), _percentiles(own, enough), _strength(own, peers))


def _percentiles(own: Peer | None, enough: Sequence[Peer]) -> dict[str, Fraction]:
    """Return the share of qualified players who do worse, by figure; empty below the minimum or without others."""
    if own not in enough or own is None or len(enough) < 2:
        return {}
    found = ((name, percentile(figure(own), map(figure, enough))) for name, figure in FIGURES.items())
    return {name: share for name, share in found if share is not None}


def _strength(own: Peer | None, peers: Sequence[Peer]) -> Estimate | None:
    prior = prior_of([peer.sample for peer in peers]) if own else None
    if own is None or prior is None:
        return None
    value, error, weight = prior.estimate(own.sample)
    return Estimate(value / TWELFTHS, error / TWELFTHS, weight)


@dataclass(frozen=True, slots=True)
class ProfileScope:
    """The part of a player's hanchan shown on a page: a period, or the latest hanchan."""

    period: Period
    latest: int | None = None

    @property
    def key(self) -> str:
        return f"last-{self.latest}" if self.latest else self.period.key


@dataclass(frozen=True, slots=True)
class Opponent:
    player: Player
    record: HeadToHead


@dataclass(frozen=True, slots=True)
class SumsTally:
    """Results known only as sums. `basis`: as on boards; `places`: how often the player finished in each place."""

    basis: RankingBasis = NO_BASIS
    places: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def are_any(self) -> bool:
        return bool(self.basis.sums_hanchan or self.basis.sums_unknown)


def sums_of(besides: Iterable[PointsWithoutHanchan]) -> SumsTally:
    known = [line for line in besides if line.is_sum]
    places = [line.places for line in known if line.places is not None]
    first, second, third, fourth = (sum(each[place] for each in places) for place in range(4))
    basis = reduce(RankingBasis.plus, (line.basis for line in known), NO_BASIS)
    return SumsTally(basis, (first, second, third, fourth))


class CurveStep(NamedTuple):
    """A step of the cumulative curve: a hanchan, a day's hanchan, or points without hanchan."""

    day: date
    points: int
    hanchan: int


class MonthPart(NamedTuple):
    """A month's points. `month`: its first day. `halves`: twice the sum of placements in `hanchan`."""

    month: date
    hanchan: int
    halves: int
    points: int
    total: int


@dataclass(frozen=True, slots=True)
class Placements:
    """How often the player finished in each place, in twelfths; `halves` is twice the sum of placements."""

    hanchan: int
    halves: int
    places: tuple[int, ...]
    lasts: int

    @property
    def top_two(self) -> int:
        return self.places[0] + self.places[1]

    @property
    def not_last(self) -> int:
        """Hanchan not finished in last place, in twelfths."""
        return TWELFTHS * self.hanchan - self.lasts


@dataclass(frozen=True, slots=True)
class PlayerProfile:
    """All statistics of one player in one scope. Points in 1/1000 pt.

    `opponents`: the most frequent of all `met`. `last_hanchan`: the last one in each of the player's `sessions`, out of
    `held` in the league. `first_day` and `last_day`: of play.
    """

    tally: Tally
    players: int
    adjustment: int
    gains: tuple[CurveStep, ...]
    months: tuple[MonthPart, ...]
    streaks: dict[Run, Stretch]
    seats: dict[int, Tally]
    records: Records | None
    recent: tuple[int, ...]
    opponents: tuple[Opponent, ...]
    met: int
    sums: SumsTally
    last_hanchan: Tally
    held: int
    peers: PeerView
    days: tuple[date, date] | None

    @property
    def total(self) -> int:
        """Points of all hanchan plus points without hanchan."""
        return self.months[-1].total if self.months else 0

    @property
    def sessions(self) -> int:
        return self.last_hanchan.games

    @property
    def hanchan(self) -> int:
        return self.tally.games + self.sums.basis.sums_hanchan

    @property
    def averaged(self) -> int:
        """Points used for averages: without sums for an unknown number of hanchan."""
        return self.total - self.sums.basis.sums_left_out

    @property
    def placements(self) -> Placements:
        return placements_of(self.tally, self.sums, self.players)


def placements_of(tally: Tally, sums: SumsTally, players: int) -> Placements:
    places = tuple(own + TWELFTHS * more for own, more in zip(tally.places, sums.places, strict=True))
    lasts = tally.lasts + TWELFTHS * sum(sums.places[players - 1 :])
    basis = sums.basis
    return Placements(tally.games + basis.sums_placed, tally.halves + basis.sums_halves, places, lasts)


def player_profile(league: League, player: Player, scope: ProfileScope, opponents: int | None = None) -> PlayerProfile:
    """Return a player's statistics, with at most `opponents` opponents (None: all).

    Stored months need no seats.
    """
    besides: list[PointsWithoutHanchan] = []
    peers = PeerView()
    if scope.latest:
        career = latest_career(league, player, scope.latest)
    else:
        career = careers_in(league, scope.period, [player.pk])[player.pk]
        besides = points_without_hanchan(league, scope.period, [player.pk])
        peers = peer_view(league, scope.period, player.pk)
    tally, met = career.tally, career.opponents[:opponents]
    people = Player.objects.order_by().in_bulk([record.opponent for record in met])
    days = career.days
    return PlayerProfile(
        tally=tally,
        players=career.players or 4,
        adjustment=sum(extra.points for extra in besides if not extra.is_sum),
        gains=_steps(days, besides),
        months=_months(days, besides),
        streaks=career.streaks,
        seats=dict(career.seats),
        records=career.records,
        recent=career.recent,
        opponents=tuple(Opponent(people[record.opponent], record) for record in met),
        met=len(career.met),
        sums=sums_of(besides),
        last_hanchan=career.last_hanchan,
        held=len(career.held),
        peers=peers,
        days=(date.fromordinal(days[0].day), date.fromordinal(days[-1].day)) if days else None,
    )


def _steps(days: Iterable[PlayedDay], besides: Iterable[PointsWithoutHanchan]) -> tuple[CurveStep, ...]:
    gains = [CurveStep(each.on, points, each.hanchan // len(each.gains)) for each in days for points in each.gains]
    if extras := [CurveStep(extra.day, extra.points, 0) for extra in besides]:
        gains = sorted((*gains, *extras), key=lambda gain: (gain.day, not gain.hanchan))
    return tuple(gains)


def _months(days: Iterable[PlayedDay], besides: Iterable[PointsWithoutHanchan]) -> tuple[MonthPart, ...]:
    found: dict[date, list[int]] = {}
    for each in days:
        of_month = found.setdefault(each.on.replace(day=1), [0, 0, 0])
        of_month[0] += each.hanchan
        of_month[1] += each.halves
        of_month[2] += sum(each.gains)
    for extra in besides:
        found.setdefault(extra.day.replace(day=1), [0, 0, 0])[2] += extra.points
    months = sorted(found)
    parts = zip(months, accumulate(found[month][2] for month in months), strict=True)
    return tuple(MonthPart._make((month, *found[month], total)) for month, total in parts)


def history(league: League, player: Player, scope: ProfileScope) -> QuerySet[Seat]:
    """Return the player's seats, latest first, with related objects for a list.

    Sessions are prefetched rather than joined, because with a join the database might sort the whole career.
    """
    days = on_days([Days(0, scope.period.start, scope.period.end)])
    seats = Seat.objects.counted().filter(days, league=league, player=player)
    hanchan = Prefetch("hanchan", Hanchan.objects.order_by().select_related("session"))
    seats = seats.prefetch_related(hanchan).order_by("-played_at", "-hanchan_id")
    return seats[: scope.latest] if scope.latest else seats


def first_and_last_day(league: League, player: Player) -> tuple[date | None, date | None]:
    seats = Seat.objects.counted().filter(league=league, player=player).values("day")
    ends = (Subquery(seats.order_by(order)[:1]) for order in ("played_at", "-played_at"))
    first, last = Player.objects.filter(pk=player.pk).values_list(*ends).get()
    return first, last
