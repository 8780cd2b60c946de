"""Who stands where among players of equal score: nothing is read that decides nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

from league.core.periods import Period, month_of, range_of
from league.models import League, Seat
from scoring.core import PlayerResult, Tied, break_ties

BACKWARDS = frozenset({"last_hanchan", "last_hanchan_by_placement"})
"""Tie-breaks by the last hanchan, then the one before; they say nothing where players have unequally many."""

UNDECIDING = frozenset({"shared", "manual"})
"""Tie-breaks that compare nothing and end the comparison."""

NOT_READ = PlayerResult(0, 1, 0)
"""Stands for a hanchan that is older than those which decide."""


class HasScore(Protocol):
    """Anything with a player and a score, such as a line of a board."""

    @property
    def player_id(self) -> int:
        """Whose line it is."""

    @property
    def score(self) -> int | Fraction:
        """What it is ordered by."""


@dataclass(frozen=True, slots=True)
class TiedPlayer:
    """Where a tie-break puts one of several equal players: places below the first of them, and why."""

    offset: int
    decided_by: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class BoardTies:
    """Groups of equal players on a board. `hanchan` is how many each has there, `last_day` the last day of play."""

    groups: Sequence[Sequence[int]]
    hanchan: Mapping[int, int]
    last_day: date | None


Results = Mapping[int, Sequence[PlayerResult]]
Order = dict[int, TiedPlayer]


def order_of_ties(league: League, period: Period, ties: BoardTies) -> Order:
    """Return where each tied player stands in their group, and what decided it. At most two queries.

    Without a query where hanchan decide nothing. Where the last ones come first, those since the month of the last day of
    play are read, and all of the period only for groups which those do not decide.
    """
    found: Order = {}
    left = [group for group in ties.groups if _may_be_decided(group, ties.hanchan, league.tiebreak)]
    for group in ties.groups:
        found |= {} if group in left else _order(group, {}, ())
    if left and league.tiebreak[0] in BACKWARDS and (latest := _latest(period, ties.last_day)):
        results = results_for(league, latest, {player for group in left for player in group})
        orders = [order_by_latest(group, results, ties.hanchan, league.tiebreak) for group in left]
        left = [group for group, order in zip(left, orders, strict=True) if order is None]
        for order in orders:
            found |= order or {}
    if left:
        results = results_for(league, period, {player for group in left for player in group})
        for group in left:
            found |= _order(group, results, league.tiebreak)
    return found


def _latest(period: Period, last_day: date | None) -> Period | None:
    """Return the last month of play of a longer period."""
    month = month_of(last_day or period.start)
    return range_of(month.start, period.last) if month.start > period.start else None


def _may_be_decided(group: Sequence[int], hanchan: Mapping[int, int], tiebreak: Sequence[str]) -> bool:
    are_equally_many = len({hanchan[player] for player in group}) == 1
    for name in tiebreak:
        if name in UNDECIDING:
            return False
        if are_equally_many or name not in BACKWARDS:
            return True
    return False


def order_by_latest(
    group: Sequence[int], latest: Results, hanchan: Mapping[int, int], tiebreak: Sequence[str]
) -> Order | None:
    """Return the order of a group from the latest hanchan of its players, None where older ones could change it.

    `hanchan` is how many each has in all; `tiebreak` begins with one of BACKWARDS.
    """
    unread = {player: hanchan[player] - len(latest.get(player, ())) for player in group}
    if min(unread.values()) < 0:
        return None
    padded = {player: [NOT_READ] * unread[player] + list(latest.get(player, ())) for player in group}
    order = break_ties(padded, tiebreak)
    oldest = max(unread.values())
    reasons = [tied.decided_by for tied in order[:-1]]
    if oldest and any(reason is None or reason.hanchan is None or reason.hanchan <= oldest for reason in reasons):
        return None
    return _as_order(order)


def _order(group: Sequence[int], results: Results, tiebreak: Sequence[str]) -> Order:
    return _as_order(break_ties({player: results.get(player, ()) for player in group}, tiebreak))


def _as_order(order: Iterable[Tied[int]]) -> Order:
    return {
        tied.player: TiedPlayer(tied.offset, tied.decided_by.as_json() if tied.decided_by else None) for tied in order
    }


def broken_ties(group: Sequence[HasScore], results: Results, tiebreak: Sequence[str]) -> Order:
    """Return where each of several players with the same score stands among them, and what decided it."""
    return _order([line.player_id for line in group], results, tiebreak)


def results_for(league: League, period: Period, players: Iterable[int]) -> dict[int, list[PlayerResult]]:
    """Return what these players did in the period, hanchan by hanchan in order of play. One query."""
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
