"""Boards as they would be if some hanchan had other points: worked out from the facts without storing anything."""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import reduce
from itertools import groupby
from operator import itemgetter

from django.db.models import Count, F, Sum

from league.core.periods import Period
from league.models import League, Seat
from league.selectors.points_without_hanchan import sums_without_hanchan
from league.selectors.standings_sql import minimum_for
from league.selectors.ties import broken_ties
from scoring.core import PlayerResult

Ranks = dict[int, int | None]


@dataclass(frozen=True, slots=True)
class CountedSeat:
    """One player's outcome of one hanchan: the points as the boards count them, and what lies on the total only.

    `placement_halves` is twice the placement, in the middle of the places that a shared one covers.
    """

    result: PlayerResult
    total_only: int
    placement_halves: int


@dataclass(frozen=True, slots=True)
class CountedHanchan:
    """A hanchan as it would stand: when, with its key among those of the same moment, and each player's line."""

    played_at: datetime
    day: date
    hanchan: int
    lines: Mapping[int, CountedSeat]


@dataclass(frozen=True, slots=True)
class PeriodTotal:
    """What a player's lines of a period add up to; `points` with what lies on the total only."""

    hanchan: int = 0
    points: int = 0
    placement_halves: int = 0

    def plus(self, line: CountedSeat, times: int = 1) -> "PeriodTotal":
        """Return the tally with a line added, or taken out for -1."""
        return PeriodTotal(
            self.hanchan + times,
            self.points + times * (line.result.points + line.total_only),
            self.placement_halves + times * line.placement_halves,
        )


@dataclass(frozen=True, slots=True)
class _Scored:
    player_id: int
    score: Fraction


Tallies = Mapping[int, PeriodTotal]
Groups = list[list[_Scored]]
Results = Mapping[int, Sequence[PlayerResult]]


def counted_seat(league: League, seat: Seat) -> CountedSeat:
    """Return the outcome that a seat carries under the league's ledger."""
    points = seat.settlement if league.ledger == League.RankingLedger.SETTLEMENT else seat.points
    result = PlayerResult(points, seat.placement, seat.raw_score, seat.hanchan_id)
    return CountedSeat(result, seat.total_only, 2 * seat.placement + seat.sharing - 1)


def ranks_before_and_after(
    league: League, period: Period, replaced: Mapping[tuple[int, int], CountedSeat | None]
) -> tuple[Ranks, Ranks]:
    """Return everybody's rank in a period as it is, and as it would be with other lines in place.

    `replaced` maps (hanchan, player) to the new line, or to None for a hanchan left out. Two queries, a few more
    values for every seat of the period.
    """
    now: dict[int, list[CountedSeat]] = defaultdict(list)
    then: dict[int, list[CountedSeat]] = defaultdict(list)
    seats = Seat.objects.counted().in_period(period).filter(league=league).order_by("played_at", "hanchan_id")
    for seat in seats.iterator():
        line = counted_seat(league, seat)
        now[seat.player_id].append(line)
        other = replaced.get((seat.hanchan_id, seat.player_id), line)
        if other is not None:
            then[seat.player_id].append(other)
    besides = sums_without_hanchan(league, period)
    return _ranks_from_lines(league, period, now, besides), _ranks_from_lines(league, period, then, besides)


def ranks_around(
    league: League, period: Period, hanchan: int, played: CountedHanchan | None = None
) -> tuple[Ranks, Ranks]:
    """Return everybody's rank in a period as it is, and without one hanchan or with another outcome in its place.

    The database adds up, so it costs the same however much was played: three queries, one more when there are ties.
    """
    now = _tallies(league, period)
    then = dict(now)
    for seat in Seat.objects.counted().in_period(period).filter(league=league, hanchan=hanchan):
        then[seat.player_id] = then[seat.player_id].plus(counted_seat(league, seat), -1)
    added = played if played is not None and played.day in period else None
    for player, line in added.lines.items() if added else ():
        then[player] = then.get(player, PeriodTotal()).plus(line)
    then = {player: tally for player, tally in then.items() if tally.hanchan}
    besides = sums_without_hanchan(league, period)
    groups = _groups(league, period, now, besides), _groups(league, period, then, besides)
    tied = {line.player_id for side in groups for group in side if len(group) > 1 for line in group}
    before, after = _results_around(league, period, tied, (hanchan, added)) if tied else ({}, {})
    return _placed(league, now, groups[0], before), _placed(league, then, groups[1], after)


def _tallies(league: League, period: Period) -> dict[int, PeriodTotal]:
    points = "settlement" if league.ledger == League.RankingLedger.SETTLEMENT else "points"
    seats = Seat.objects.counted().in_period(period).filter(league=league).order_by().values_list("player_id")
    sums = seats.annotate(
        hanchan=Count("pk"),
        points_sum=Sum(F(points) + F("total_only")),
        halves=Sum(2 * F("placement") + F("sharing") - 1),
    )
    return {player: PeriodTotal(*tally) for player, *tally in sums}


def _results_around(
    league: League, period: Period, players: Iterable[int], change: tuple[int, CountedHanchan | None]
) -> tuple[Results, Results]:
    """Return what these players did hanchan by hanchan, as it is and after the change. One query."""
    hanchan, added = change
    before: dict[int, list[PlayerResult]] = defaultdict(list)
    after: dict[int, list[tuple[datetime, int, PlayerResult]]] = defaultdict(list)
    seats = Seat.objects.counted().in_period(period).filter(league=league, player__in=list(players))
    for seat in seats.order_by("played_at", "hanchan_id"):
        result = counted_seat(league, seat).result
        before[seat.player_id].append(result)
        if seat.hanchan_id != hanchan:
            after[seat.player_id].append((seat.played_at, seat.hanchan_id, result))
    if added is not None:
        for player, line in added.lines.items():
            insort(after[player], (added.played_at, added.hanchan, line.result), key=itemgetter(0, 1))
    return before, {player: [result for _, _, result in lines] for player, lines in after.items()}


def _ranks_from_lines(
    league: League, period: Period, lines: Mapping[int, list[CountedSeat]], besides: Mapping[int, int]
) -> Ranks:
    tallies = {player: reduce(PeriodTotal.plus, played, PeriodTotal()) for player, played in lines.items()}
    groups = _groups(league, period, tallies, besides)
    tied = [line.player_id for group in groups if len(group) > 1 for line in group]
    results = {player: [line.result for line in lines[player]] for player in tied}
    return _placed(league, tallies, groups, results)


def _groups(league: League, period: Period, tallies: Tallies, besides: Mapping[int, int]) -> Groups:
    """Return the ranked players, best first, those of equal score together."""
    minimum = max(1, minimum_for(league, period))
    ranked = [
        _Scored(player, _score(league, tally, besides.get(player, 0)))
        for player, tally in tallies.items()
        if tally.hanchan >= minimum
    ]
    ranked.sort(key=lambda line: (-line.score, line.player_id))
    return [list(group) for _, group in groupby(ranked, key=lambda line: line.score)]


def _placed(league: League, tallies: Tallies, groups: Groups, results: Results) -> Ranks:
    ranks: Ranks = dict.fromkeys(tallies)
    place = 1
    for group in groups:
        order = broken_ties(group, results, league.tiebreak)
        ranks.update({player: place + position.offset for player, position in order.items()})
        place += len(group)
    return ranks


def _score(league: League, tally: PeriodTotal, besides: int) -> Fraction:
    if league.metric == League.Metric.AVERAGE_PLACEMENT:
        return -Fraction(tally.placement_halves, 2 * tally.hanchan)
    total = besides + tally.points
    return Fraction(total, tally.hanchan) if league.metric == League.Metric.AVERAGE_POINTS else Fraction(total)
