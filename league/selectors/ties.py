"""Who stands where among players of equal score: nothing is read that decides nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

from league.core.board_lines import SUMS, Line
from league.core.periods import Period, month_of, range_of
from league.core.tied_lines import BACKWARDS, EqualPlayers, TiedLine, parted
from league.models import League, Seat
from scoring.core import PlayerResult, TieBreakReason, Tied, break_ties

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


_OF_TIES = tuple(SUMS.index(name) for name in TiedLine._fields)


def tied_line(line: Line) -> TiedLine:
    return TiedLine(*(line[place] for place in _OF_TIES))


@dataclass(frozen=True, slots=True)
class BoardTies:
    """Groups of equal players on a board with what their lines say; `last_day` is the board's last day of play."""

    groups: Sequence[Sequence[int]]
    lines: Mapping[int, TiedLine]
    last_day: date | None


Results = Mapping[int, Sequence[PlayerResult]]
Order = dict[int, TiedPlayer]


def order_of_ties(league: League, period: Period, ties: BoardTies) -> Order:
    """Return where each tied player stands in their group, and what decided it. At most two queries.

    Without a query where the lines decide, or nothing does. Where the last hanchan come first, those since the month of
    the last day of play are read, and all of the period only for players whom those do not part.
    """
    lines = ties.lines
    groups = [parted({player: lines[player] for player in group}, league.tiebreak) for group in ties.groups]
    orders = _orders(league, period, ties, [equal for group in groups for equal in group])
    found: Order = {}
    for group in groups:
        found |= whole_order(group, orders)
    return found


def whole_order(group: Iterable[EqualPlayers], orders: Mapping[EqualPlayers, Order]) -> Order:
    """Return the order of equal players whom their lines have parted, each part by itself being in order."""
    found: Order = {}
    for equal in group:
        found |= _placed_below(orders[equal], len(found), equal.reason)
    return found


def _placed_below(order: Order, above: int, reason: TieBreakReason | None) -> Order:
    """Return an order with so many players above it; `reason`: why its last one stands above whoever follows."""
    placed = {player: TiedPlayer(above + tied.offset, tied.decided_by) for player, tied in order.items()}
    if reason is not None:
        last = next(reversed(placed))
        placed[last] = TiedPlayer(placed[last].offset, reason.as_json())
    return placed


def _orders(
    league: League, period: Period, ties: BoardTies, equals: Iterable[EqualPlayers]
) -> dict[EqualPlayers, Order]:
    """Return the order of players whom lines do not part, from their hanchan where these can decide."""
    found: dict[EqualPlayers, Order] = {}
    left: list[EqualPlayers] = []
    for equal in equals:
        if equal.tiebreak:
            left.append(equal)
        else:
            found[equal] = order_by_hanchan(equal.players, {}, ())
    backwards = [equal for equal in left if equal.tiebreak[0] in BACKWARDS]
    if backwards and (latest := _latest(period, ties.last_day)):
        results = results_for(league, latest, _players_of(backwards))
        hanchan = {player: line.hanchan for player, line in ties.lines.items()}
        for equal in backwards:
            order = order_by_latest(equal.players, results, hanchan, equal.tiebreak)
            if order is not None:
                found[equal] = order
        left = [equal for equal in left if equal not in found]
    if left:
        results = results_for(league, period, _players_of(left))
        found |= {equal: order_by_hanchan(equal.players, results, equal.tiebreak) for equal in left}
    return found


def _players_of(equals: Iterable[EqualPlayers]) -> set[int]:
    return {player for equal in equals for player in equal.players}


def _latest(period: Period, last_day: date | None) -> Period | None:
    month = month_of(last_day or period.start)
    return range_of(month.start, period.last) if month.start > period.start else None


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


def order_by_hanchan(group: Sequence[int], results: Results, tiebreak: Sequence[str]) -> Order:
    return _as_order(break_ties({player: results.get(player, ()) for player in group}, tiebreak))


def _as_order(order: Iterable[Tied[int]]) -> Order:
    return {
        tied.player: TiedPlayer(tied.offset, tied.decided_by.as_json() if tied.decided_by else None) for tied in order
    }


def broken_ties(group: Sequence[HasScore], results: Results, tiebreak: Sequence[str]) -> Order:
    """Return where each of several players with the same score stands among them, and what decided it."""
    return order_by_hanchan([line.player_id for line in group], results, tiebreak)


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
