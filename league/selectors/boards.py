"""Leaderboards as pages and commands read them: stored ones, free ranges straight from the facts, ties explained."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import groupby
from typing import Any, Protocol

from django.db import connection
from django.db.models import Exists, OuterRef, Subquery

from league.core.periods import ALL_TIME, Period
from league.models import Board, League, Player, Revision, Seat, StalePeriod, Standing
from league.selectors.standings_sql import COLUMNS, STANDINGS, refresh_parameters
from scoring.core import PlayerResult, break_ties


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
class BoardState:
    """How fresh a board is. `version` and `computed_at` together name its contents, `edits` its names and settings."""

    version: int
    computed_at: datetime | None
    hanchan: int
    is_stale: bool
    edits: int = 0
    marks: int = 0

    @property
    def tag(self) -> str:
        """A text that changes whenever the board or its freshness does."""
        stamp = f"{self.computed_at:%Y%m%d%H%M%S%f}" if self.computed_at else "never"
        return f"{self.version}-{stamp}-{int(self.is_stale)}-{self.edits}-{self.marks}"


def board_state(league: League, period: Period) -> BoardState:
    """Return how fresh the stored board of a period is; a free range is as fresh as the facts of all time. One query.

    `marks` is the last note that made a free range's facts move; `edits` the last change to a player or to the league.
    """
    key = period.key if period.is_stored else ALL_TIME.key
    boards = Board.objects.filter(league=OuterRef("pk"), period=key)
    stale = StalePeriod.objects.filter(league=OuterRef("pk"), period=key).order_by("-pk")
    edits = Revision.objects.filter(league=OuterRef("pk"), subject__in=("league", "player")).order_by("-pk")
    found = League.objects.filter(pk=league.pk).values_list(
        *(Subquery(boards.values(name)) for name in ("version", "computed_at", "hanchan")),
        *(Subquery(newest.values("pk")[:1]) for newest in (edits, stale)),
    )
    version, computed_at, hanchan, edit, mark = found.get()
    is_stored = period.is_stored
    return BoardState(
        version=version or 0,
        computed_at=computed_at,
        hanchan=hanchan or 0,
        is_stale=is_stored and mark is not None,
        edits=edit or 0,
        marks=0 if is_stored else mark or 0,
    )


def board_lines(league: League, period: Period) -> list[Standing]:
    """Return the lines of a board, ranked players first, then those below the minimum, each by score.

    Stored boards cost one query. A free range is summed from the facts: one query, two more when there are ties.
    """
    return in_board_order(_stored_lines(league, period) if period.is_stored else live_lines(league, period))


def in_board_order(lines: Iterable[Standing]) -> list[Standing]:
    """Return the lines as a board lists them: ranked players first, each group by score."""
    return sorted(lines, key=_board_order)


def _board_order(line: Standing) -> tuple[bool, int, int, str, str, int]:
    return (
        line.rank is None,
        line.rank or 0,
        -line.score,
        line.player.kana,
        line.player.name,
        line.player_id,
    )


def _stored_lines(league: League, period: Period) -> list[Standing]:
    return list(Standing.objects.filter(league=league, period=period.key).select_related("player"))


def live_lines(league: League, period: Period) -> list[Standing]:
    """Return unsaved lines of any period, summed from the facts this moment, with ties broken."""
    with connection.cursor() as cursor:
        cursor.execute(STANDINGS, refresh_parameters(league, period))
        rows = cursor.fetchall()
    players = Player.objects.in_bulk([row[0] for row in rows])
    lines = [
        Standing(
            league=league, period=period.key[:7], player=players[player_id], **dict(zip(COLUMNS, row, strict=True))
        )
        for player_id, *row in rows
    ]
    ranked = sorted((line for line in lines if line.shared_rank is not None), key=lambda line: -line.score)
    groups = [list(group) for _, group in groupby(ranked, key=lambda line: line.score)]
    tied = {line.player_id for group in groups if len(group) > 1 for line in group}
    results = results_for(league, period, tied) if tied else {}
    for group in groups:
        order = broken_ties(group, results, league.tiebreak)
        for line in group:
            line.rank = (line.shared_rank or 0) + order[line.player_id].offset
            line.decided_by = order[line.player_id].decided_by
    return lines


def broken_ties(
    group: Sequence[HasScore], results: Mapping[int, Sequence[PlayerResult]], tiebreak: Sequence[str]
) -> dict[int, TiedPlayer]:
    """Return where each of several players with the same score stands among them, and what decided it."""
    if len(group) == 1:
        return {group[0].player_id: TiedPlayer(0, None)}
    order = break_ties({line.player_id: results.get(line.player_id, ()) for line in group}, tiebreak)
    return {
        tied.player: TiedPlayer(tied.offset, tied.decided_by.as_json() if tied.decided_by else None) for tied in order
    }


def results_for(league: League, period: Period, players: Iterable[int]) -> dict[int, list[PlayerResult]]:
    """Return what these players did in the period, hanchan by hanchan in order of play. One query."""
    seats = Seat.objects.counted().in_period(period).filter(league=league, player__in=list(players))
    rows = seats.order_by("played_at", "hanchan_id").values_list(
        "player_id", "points", "settlement", "placement", "raw_score", "hanchan_id"
    )
    by_settlement = league.ledger == League.RankingLedger.SETTLEMENT
    results: dict[int, list[PlayerResult]] = {}
    for player, points, settlement, placement, raw, hanchan in rows:
        result = PlayerResult(settlement if by_settlement else points, placement, raw, hanchan)
        results.setdefault(player, []).append(result)
    return results


def played_periods(league: League) -> set[str]:
    """Return the keys of the months and years in which anybody has points, and of all time. One query."""
    anybody = Standing.objects.filter(league=league, period=OuterRef("period"))
    return set(Board.objects.filter(Exists(anybody), league=league).values_list("period", flat=True))
