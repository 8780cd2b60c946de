"""Ranks of a period from each line of each player: what the sums of the database are held to."""

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import groupby

from league.core.periods import Period
from league.models import League, Seat
from league.selectors.points_without_hanchan import sums_without_hanchan
from league.selectors.standings_sql import minimum_for
from league.selectors.what_if import CountedSeat, Ranks
from scoring.core import PlayerResult, break_ties


def counted_seat(league: League, seat: Seat) -> CountedSeat:
    """Return the outcome that a seat carries under the league's ledger."""
    points = seat.settlement if league.ledger == League.RankingLedger.SETTLEMENT else seat.points
    result = PlayerResult(points, seat.placement, seat.raw_score, seat.hanchan_id)
    return CountedSeat(result, seat.total_only, 2 * seat.placement + seat.sharing - 1)


def ranks_before_and_after(
    league: League, period: Period, replaced: Mapping[tuple[int, int], CountedSeat | None]
) -> tuple[Ranks, Ranks]:
    """Return everybody's rank in a period as it is, and as it would be with other lines in place.

    `replaced` maps (hanchan, player) to the new line, or to None for a hanchan left out.
    """
    now: dict[int, list[CountedSeat]] = defaultdict(list)
    then: dict[int, list[CountedSeat]] = defaultdict(list)
    for seat in Seat.objects.counted().in_period(period).filter(league=league).order_by("played_at", "hanchan_id"):
        line = counted_seat(league, seat)
        now[seat.player_id].append(line)
        other = replaced.get((seat.hanchan_id, seat.player_id), line)
        if other is not None:
            then[seat.player_id].append(other)
    return ranks_of(league, period, now), ranks_of(league, period, then)


def ranks_of(league: League, period: Period, lines: Mapping[int, list[CountedSeat]]) -> Ranks:
    """Return the rank of each player with these lines; None below the minimum."""
    besides = sums_without_hanchan(league, period)
    minimum = max(1, minimum_for(league, period))
    scores = {player: score_of(league, played, besides[player]) for player, played in lines.items()}
    ranked = sorted((player for player in lines if len(lines[player]) >= minimum), key=lambda player: -scores[player])
    ranks: Ranks = dict.fromkeys(lines)
    first = 1
    for _, group in groupby(ranked, key=scores.__getitem__):
        equal = sorted(group)
        order = break_ties({player: [line.result for line in lines[player]] for player in equal}, league.tiebreak)
        ranks.update({tied.player: first + tied.offset for tied in order})
        first += len(equal)
    return ranks


def score_of(league: League, played: list[CountedSeat], besides: int) -> Fraction:
    """Return what the league orders its boards by, higher first."""
    if league.metric == League.Metric.AVERAGE_PLACEMENT:
        return -Fraction(sum(line.placement_halves for line in played), 2 * len(played))
    total = besides + sum(line.result.points + line.total_only for line in played)
    return Fraction(total, len(played)) if league.metric == League.Metric.AVERAGE_POINTS else Fraction(total)
