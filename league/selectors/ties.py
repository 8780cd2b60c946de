"""Who stands where among players of equal score: nothing is read that decides nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

from league.core.periods import Period, month_of, range_of
from league.models import League, Seat
from scoring.core import PlayerResult, break_ties

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
    left = [group for group in ties.groups if not _is_decided_unread(group, ties, league.tiebreak, found)]
    for decide, since in _attempts(league, period, ties):
        if left:
            wanted = {player for group in left for player in group}
            results = results_for(league, since, wanted)
            left = [group for group in left if not decide(group, results, found)]
    return found


Decide = Callable[[Sequence[int], Results, Order], bool]


def _attempts(league: League, period: Period, ties: BoardTies) -> Iterator[tuple[Decide, Period]]:
    """Yield ways to decide a group with the days that they read: the latest hanchan first, where those may do."""

    def by_latest(group: Sequence[int], results: Results, found: Order) -> bool:
        return _is_decided_by_latest(group, results, ties.hanchan, league.tiebreak, found)

    def by_all(group: Sequence[int], results: Results, found: Order) -> bool:
        found |= _order(group, results, league.tiebreak)
        return True

    if ties.last_day is not None and league.tiebreak and league.tiebreak[0] in BACKWARDS:
        month = month_of(ties.last_day)
        if month.start > period.start:
            yield by_latest, range_of(month.start, period.last)
    yield by_all, period


def _is_decided_unread(group: Sequence[int], ties: BoardTies, tiebreak: Sequence[str], found: Order) -> bool:
    are_equally_many = len({ties.hanchan[player] for player in group}) == 1
    for name in tiebreak:
        if name in UNDECIDING:
            break
        if are_equally_many or name not in BACKWARDS:
            return False
    found |= _order(group, {}, ())
    return True


def _is_decided_by_latest(
    group: Sequence[int], results: Results, hanchan: Mapping[int, int], tiebreak: Sequence[str], found: Order
) -> bool:
    """Return whether the hanchan that were read decide everything, whatever the older ones were; keep the order then."""
    read = {player: results.get(player, ()) for player in group}
    unread = {player: hanchan[player] - len(read[player]) for player in group}
    if min(unread.values()) < 0:
        return False
    padded = {player: [NOT_READ] * unread[player] + list(read[player]) for player in group}
    order = break_ties(padded, tiebreak)
    oldest = max(unread.values())
    reasons = [tied.decided_by for tied in order[:-1]]
    if any(reason is None or reason.hanchan is None or reason.hanchan <= oldest for reason in reasons):
        return False
    found |= _order(group, padded, tiebreak)
    return True


def _order(group: Sequence[int], results: Results, tiebreak: Sequence[str]) -> Order:
    return {
        tied.player: TiedPlayer(tied.offset, tied.decided_by.as_json() if tied.decided_by else None)
        for tied in break_ties({player: results.get(player, ()) for player in group}, tiebreak)
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
