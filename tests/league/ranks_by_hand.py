from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from league.core.periods import Period
from league.models import Adjustment, League, Seat, SessionPoints
from league.selectors.standings_sql import minimum_for
from league.selectors.what_if import CountedSeat, Ranks
from scoring.core import PlayerResult, break_ties


def counted_seat(league: League, seat: Seat) -> CountedSeat:
    """Return the seat's outcome as counted under the league's ledger."""
    points = seat.settlement if league.ledger == League.RankingLedger.SETTLEMENT else seat.points
    result = PlayerResult(points, seat.placement, seat.raw_score, seat.hanchan_id)
    return CountedSeat(result, seat.total_only, 2 * seat.placement + seat.sharing - 1)


def ranks_before_and_after(
    league: League, period: Period, replaced: Mapping[tuple[int, int], CountedSeat | None]
) -> tuple[Ranks, Ranks]:
    """Return all ranks in a period, before and after replacing lines.

    `replaced` maps (hanchan, player) to a new line, or None for an omitted hanchan.
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
    """Return each player's rank, None below the minimum, from lines or from totals of hanchan."""
    besides: dict[int, list[Adjustment | SessionPoints]] = defaultdict(list)
    for model in (Adjustment, SessionPoints):
        rows = model.objects.filter(league=league, withdrawn=False, day__gte=period.start, day__lt=period.end)
        for row in rows:
            besides[row.player_id].append(row)
    minimum = max(1, minimum_for(league, period))
    players = {*lines, *(pk for pk, rows in besides.items() if any(isinstance(row, SessionPoints) for row in rows))}
    found = {player: score_of(league, lines.get(player, []), besides[player]) for player in players}
    scores = {player: score for player, (games, score) in found.items() if games >= minimum}
    ranks: Ranks = dict.fromkeys(lines)
    first = 1
    for _, group in groupby(sorted(scores, key=lambda player: -scores[player]), key=scores.__getitem__):
        equal = sorted(group)
        order = break_ties(
            {player: [line.result for line in lines.get(player, [])] for player in equal}, league.tiebreak
        )
        ranks.update({tied.player: first + tied.offset for tied in order})
        first += len(equal)
    return ranks


def score_of(
    league: League, played: list[CountedSeat], besides: Sequence[Adjustment | SessionPoints]
) -> tuple[int, Fraction]:
    """Return (number of counted hanchan, value by the league's metric; higher is better)."""
    sums = [row for row in besides if isinstance(row, SessionPoints)]
    placed = [(row.first, row.second, row.third, row.fourth) for row in sums if row.first is not None]
    if league.metric == League.Metric.AVERAGE_PLACEMENT:
        games = len(played) + sum(times or 0 for row in placed for times in row)
        halves = sum(line.placement_halves for line in played)
        halves += sum(2 * place * (times or 0) for row in placed for place, times in enumerate(row, start=1))
        return games, -Fraction(halves, 2 * (games or 1))
    total = sum(row.points for row in besides) + sum(line.result.points + line.total_only for line in played)
    games = len(played) + sum(row.hanchan or 0 for row in sums)
    unknown = [row for row in sums if row.hanchan is None]
    if league.metric == League.Metric.AVERAGE_POINTS:
        return games, Fraction(total - sum(row.points for row in unknown), games or 1)
    return games + len(unknown), Fraction(total)
