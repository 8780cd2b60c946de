"""Totals of a period, and hypothetical ranks if some hanchan had other points; nothing is stored."""

from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, F, Q, Sum

from league.core.board_lines import NO_BASIS, RankingBasis, halves_of
from league.core.periods import Period, PeriodKind
from league.models import League, Seat, Standing
from league.selectors.board_parts import division_of, on_days_of_play
from league.selectors.points_without_hanchan import bases_without_hanchan
from league.selectors.standings_sql import points_column, ranking_on
from league.selectors.ties import Results, broken_ties, hanchan_decide
from scoring.core import PlayerResult

Totals = Mapping[int, RankingBasis]
"""Totals of hanchan by primary key of the player, without adjustments and session totals."""


def period_totals(league: League, period: Period) -> dict[int, RankingBasis]:
    """Return the totals of all players' hanchan in a period, under the league's ledger.

    One query for a month, three otherwise.
    """
    if period.kind is PeriodKind.MONTH:
        return _summed(league, Q(day__gte=period.start, day__lt=period.end))
    stored, days = division_of(league, period)
    totals = _stored(league, stored) if stored else {}
    for player, total in _summed(league, on_days_of_play(days)).items() if days else ():
        totals[player] = totals.get(player, NO_BASIS).plus(total)
    return totals


def _stored(league: League, keys: Collection[str]) -> dict[int, RankingBasis]:
    points = F(points_column(league)) + F("total_only")
    played = Standing.objects.filter(league=league, period__in=list(keys), hanchan__gt=0)
    lines = played.order_by().values_list("player_id")
    return _totals(lines.annotate(games=Sum("hanchan"), counted=Sum(points), halves=Sum("placement_halves")))


def _summed(league: League, days: Q) -> dict[int, RankingBasis]:
    points = F(points_column(league)) + F("total_only")
    seats = Seat.objects.counted().filter(days, league=league).order_by().values_list("player_id")
    halves = Sum(halves_of(F("placement"), F("sharing")))
    return _totals(seats.annotate(games=Count("pk"), counted=Sum(points), halves=halves))


def _totals(rows: Iterable[tuple[Any, ...]]) -> dict[int, RankingBasis]:
    # PostgreSQL's sum of bigint is numeric: convert to int.
    return {player: RankingBasis(*map(int, sums)) for player, *sums in rows}


Ranks = dict[int, int | None]


@dataclass(frozen=True, slots=True)
class CountedSeat:
    """A player's result in a hanchan. `total_only`: points that count only in the total.

    `placement_halves`: placement (averaged if shared), times two.
    """

    result: PlayerResult
    total_only: int
    placement_halves: int

    @property
    def total(self) -> RankingBasis:
        return RankingBasis(1, self.result.points + self.total_only, self.placement_halves)


@dataclass(frozen=True, slots=True)
class CountedHanchan:
    """A hypothetical hanchan: time, day, primary key, and results by primary key of the player."""

    played_at: datetime
    day: date
    hanchan: int
    lines: Mapping[int, CountedSeat]


@dataclass(frozen=True, slots=True)
class _Scored:
    player_id: int
    score: Fraction


Groups = list[list[_Scored]]


ResultsOfBoth = Callable[[Iterable[int]], tuple[Results, Results]]
"""Returns actual and hypothetical results of some players, in order of play."""


def ranks_of_both(
    league: League, period: Period, totals: tuple[Totals, Totals], results_of: ResultsOfBoth
) -> tuple[Ranks, Ranks]:
    """Return actual and hypothetical ranks from both totals. One query besides `results_of`.

    `results_of`: called with the tied players if hanchan decide ties.
    """
    now, then = totals
    besides = bases_without_hanchan(league, period)
    groups = _groups(league, period, now, besides), _groups(league, period, then, besides)
    tied = {line.player_id for side in groups for group in side if len(group) > 1 for line in group}
    before, after = results_of(tied) if tied and hanchan_decide(league.tiebreak) else ({}, {})
    return _placed(league, now, groups[0], before), _placed(league, then, groups[1], after)


def ranks_around(
    league: League, period: Period, hanchan: int, played: CountedHanchan | None = None
) -> tuple[Ranks, Ranks]:
    """Return the ranks as they are, and the ranks without a hanchan or with another result of it.

    At most five queries, six with ties.
    """
    now = period_totals(league, period)
    then = dict(now)
    for player, _, _, line in _counted_lines(league, period, Q(hanchan=hanchan)):
        then[player] = then[player].minus(line.total)
    added = played if played is not None and played.day in period else None
    for player, line in added.lines.items() if added else ():
        then[player] = then.get(player, NO_BASIS).plus(line.total)
    then = {player: total for player, total in then.items() if total.hanchan}
    return ranks_of_both(league, period, (now, then), partial(_results_around, league, period, (hanchan, added)))


def _results_around(
    league: League, period: Period, change: tuple[int, CountedHanchan | None], players: Iterable[int]
) -> tuple[Results, Results]:
    """Return these players' results in order of play, before and after the change. One query."""
    hanchan, added = change
    before: dict[int, list[PlayerResult]] = defaultdict(list)
    after: dict[int, list[tuple[datetime, int, PlayerResult]]] = defaultdict(list)
    for player, played_at, key, line in _counted_lines(league, period, Q(player__in=[*players])):
        before[player].append(line.result)
        if key != hanchan:
            after[player].append((played_at, key, line.result))
    if added is not None:
        for player, line in added.lines.items():
            insort(after[player], (added.played_at, added.hanchan, line.result), key=itemgetter(0, 1))
    return before, {player: [result for _, _, result in lines] for player, lines in after.items()}


def results_replaced(
    league: League, period: Period, players: Iterable[int], replaced: Mapping[tuple[int, int], CountedSeat]
) -> tuple[Results, Results]:
    """Return these players' results in order of play, before and after the replacement. One query.

    `replaced`: (hanchan, player) → new result.
    """
    before: dict[int, list[PlayerResult]] = defaultdict(list)
    after: dict[int, list[PlayerResult]] = defaultdict(list)
    for player, _, hanchan, line in _counted_lines(league, period, Q(player__in=[*players])):
        before[player].append(line.result)
        after[player].append(replaced.get((hanchan, player), line).result)
    return before, after


def _counted_lines(league: League, period: Period, which: Q) -> Iterator[tuple[int, datetime, int, CountedSeat]]:
    """Yield player, time, hanchan and result of counted seats that match a condition, in order of play. One query."""
    seats = Seat.objects.counted().in_period(period).filter(which, league=league).order_by("played_at", "hanchan_id")
    columns = (
        "player_id",
        "played_at",
        "hanchan_id",
        "placement",
        "raw_score",
        "total_only",
        "sharing",
        points_column(league),
    )
    for player, played_at, hanchan, placement, raw, total_only, sharing, points in seats.values_list(*columns):
        result = PlayerResult(points, placement, raw, hanchan)
        yield player, played_at, hanchan, CountedSeat(result, total_only, halves_of(placement, sharing))


def _groups(league: League, period: Period, totals: Totals, besides: Mapping[int, RankingBasis]) -> Groups:
    """Return the ranked players in groups of equal scores, best first."""
    ranking = ranking_on(league, period)
    ranked = []
    for player in totals.keys() | besides.keys():
        basis = totals.get(player, NO_BASIS).plus(besides.get(player, NO_BASIS))
        if ranking.has_rank(counted := ranking.counted(basis)):
            ranked.append(_Scored(player, Fraction(ranking.amount(basis), counted if ranking.is_average else 1)))
    ranked.sort(key=lambda line: (-line.score, line.player_id))
    return [list(group) for _, group in groupby(ranked, key=lambda line: line.score)]


def _placed(league: League, totals: Totals, groups: Groups, results: Results) -> Ranks:
    ranks: Ranks = dict.fromkeys(totals)
    place = 1
    for group in groups:
        order = broken_ties([line.player_id for line in group], results, league.tiebreak)
        ranks.update({player: place + position.offset for player, position in order.items()})
        place += len(group)
    return ranks
