from collections.abc import Iterable, Mapping, Sequence

from league.core.periods import Period
from league.models import League, Seat
from scoring.core import PlayerResult, Tied, break_ties

UNDECIDING = frozenset({"shared", "manual"})
"""Tie-breaks that compare nothing and end the comparison."""

Results = Mapping[int, Sequence[PlayerResult]]


Order = dict[int, Tied[int]]


def order_of_ties(league: League, period: Period, groups: Sequence[Sequence[int]]) -> Order:
    """Return the order within each group of tied players, and what decided it. At most one query."""
    tied = [player for group in groups for player in group]
    results = results_for(league, period, tied) if tied and hanchan_decide(league.tiebreak) else {}
    found: Order = {}
    for group in groups:
        found |= broken_ties(group, results, league.tiebreak)
    return found


def hanchan_decide(tiebreak: Sequence[str]) -> bool:
    """Return whether the tie-breaks compare hanchan."""
    return bool(tiebreak) and tiebreak[0] not in UNDECIDING


def broken_ties(group: Iterable[int], results: Results, tiebreak: Sequence[str]) -> Order:
    order = break_ties({player: results.get(player, ()) for player in group}, tiebreak)
    return {tied.player: tied for tied in order}


def results_for(league: League, period: Period, players: Iterable[int]) -> dict[int, list[PlayerResult]]:
    """Return these players' results in the period, in order of play. One query."""
    seats = Seat.objects.counted().in_period(period).filter(league=league, player__in=list(players))
    rows = seats.order_by("day", "played_at", "hanchan_id").values_list(
        "player_id", "points", "settlement", "placement", "raw_score", "hanchan_id"
    )
    by_settlement = league.ledger == League.RankingLedger.SETTLEMENT
    results: dict[int, list[PlayerResult]] = {}
    for player, points, settlement, placement, raw, hanchan in rows:
        result = PlayerResult(settlement if by_settlement else points, placement, raw, hanchan)
        results.setdefault(player, []).append(result)
    return results
