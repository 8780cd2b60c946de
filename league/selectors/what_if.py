"""Boards as they would be if some hanchan had other points: worked out from the facts without storing anything."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from itertools import groupby

from league.core.periods import Period
from league.models import Adjustment, League, Seat
from league.selectors.boards import broken_ties
from league.selectors.standings_sql import minimum_for
from scoring.core import Result

Ranks = dict[int, int | None]


@dataclass(frozen=True, slots=True)
class Line:
    """One player's outcome of one hanchan: the points as the boards count them, and what lies on the total only.

    `placement_halves` is twice the placement, in the middle of the places that a shared one covers.
    """

    result: Result
    total_only: int
    placement_halves: int


@dataclass(frozen=True, slots=True)
class Played:
    """A hanchan as it would stand: when, with its key among those of the same moment, and each player's line."""

    played_at: datetime
    day: date
    hanchan: int
    lines: Mapping[int, Line]


@dataclass(frozen=True, slots=True)
class _Scored:
    player_id: int
    score: Fraction


def line_of(league: League, seat: Seat) -> Line:
    """Return the outcome that a seat carries under the league's ledger."""
    points = seat.settlement if league.ledger == League.RankingLedger.SETTLEMENT else seat.points
    result = Result(points, seat.placement, seat.raw_score, seat.hanchan_id)
    return Line(result, seat.total_only, 2 * seat.placement + seat.sharing - 1)


def ranks_before_and_after(
    league: League,
    period: Period,
    replaced: Mapping[tuple[int, int], Line | None],
    played: Played | None = None,
) -> tuple[Ranks, Ranks]:
    """Return everybody's rank in a period as it is, and as it would be with other lines in place.

    `replaced` maps (hanchan, player) to the new line, or to None for a hanchan left out; `played` is a hanchan that
    would be there in addition, in its place by time. Two queries, a few more values for every seat of the period.
    """
    now: dict[int, list[Line]] = defaultdict(list)
    then: dict[int, list[Line]] = defaultdict(list)
    waiting = played if played is not None and played.day in period else None
    seats = Seat.objects.counted().in_period(period).filter(league=league).order_by("played_at", "hanchan_id")
    for seat in seats.iterator():
        if waiting is not None and (waiting.played_at, waiting.hanchan) < (seat.played_at, seat.hanchan_id):
            _add(then, waiting)
            waiting = None
        line = line_of(league, seat)
        now[seat.player_id].append(line)
        other = replaced.get((seat.hanchan_id, seat.player_id), line)
        if other is not None:
            then[seat.player_id].append(other)
    if waiting is not None:
        _add(then, waiting)
    extra = _adjustments(league, period)
    return _ranks(league, period, now, extra), _ranks(league, period, then, extra)


def _add(lines: dict[int, list[Line]], played: Played) -> None:
    for player, line in played.lines.items():
        lines[player].append(line)


def _adjustments(league: League, period: Period) -> dict[int, int]:
    points: dict[int, int] = defaultdict(int)
    rows = Adjustment.objects.filter(league=league, withdrawn=False, day__gte=period.start, day__lt=period.end)
    for player, amount in rows.values_list("player_id", "points"):
        points[player] += amount
    return points


def _ranks(league: League, period: Period, lines: Mapping[int, list[Line]], extra: Mapping[int, int]) -> Ranks:
    minimum = max(1, minimum_for(league, period))
    ranked = [
        _Scored(player, _score(league, played, extra.get(player, 0)))
        for player, played in lines.items()
        if len(played) >= minimum
    ]
    ranked.sort(key=lambda line: (-line.score, line.player_id))
    ranks: Ranks = dict.fromkeys(lines)
    place = 1
    for _, group in groupby(ranked, key=lambda line: line.score):
        tied = list(group)
        results = {line.player_id: [played.result for played in lines[line.player_id]] for line in tied}
        order = broken_ties(tied, results, league.tiebreak)
        ranks.update({player: place + position.offset for player, position in order.items()})
        place += len(tied)
    return ranks


def _score(league: League, lines: Iterable[Line], extra: int) -> Fraction:
    lines = list(lines)
    if league.metric == League.Metric.AVERAGE_PLACEMENT:
        return -Fraction(sum(line.placement_halves for line in lines), 2 * len(lines))
    total = extra + sum(line.result.points + line.total_only for line in lines)
    return Fraction(total, len(lines)) if league.metric == League.Metric.AVERAGE_POINTS else Fraction(total)
