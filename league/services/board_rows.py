"""Stored standings rows: read in bulk, changed in memory, then only the differences are written."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Q

from league.core.board_lines import EARLIER, SUMS, Line, RankingBasis, basis_of, earlier_of
from league.core.board_ranks import Ranking, equals_among, ranked, ranks
from league.core.periods import Period
from league.engine import update_columns
from league.models import League, Standing
from league.selectors.standings_sql import Players, ranking_on
from league.selectors.ties import Order, order_of_ties

BATCH = 200
"""Rows per statement."""

_RANKS = ("rank", "shared_rank", "previous_rank")
_COLUMNS = ("score", *_RANKS, *SUMS)

_COUNTS = ("sums_hanchan", "sums_unknown", "sums_placed")
"""Columns that determine the number of hanchan counted for the minimum to be ranked."""

_PLACE = ("period", "player_id", "pk", "decided_by", "score", *_RANKS, "hanchan", *_COUNTS, *EARLIER)

_NOWHERE = (None, None, None)


class Place(NamedTuple):
    """A player's place on a board, without the sums.

    `key`: primary key, None if not stored yet; `decided_by`: JSON text of the tie-breaker; `ranks`: rank, shared rank,
    previous rank; `counted`: number of hanchan that count towards the minimum to be ranked; `earlier`: values before
    the last day of play.
    """

    key: int | None
    decided_by: str | None
    score: int
    ranks: tuple[int | None, ...]
    counted: int
    earlier: RankingBasis


@dataclass(frozen=True, slots=True)
class BoardChange:
    """New rows for `players` (None: all players); players without a new row leave the board."""

    lines: Mapping[int, Line]
    players: Players


Places = dict[int, Place]


@dataclass(slots=True)
class StoredLines:
    """A league's boards in memory, and the differences still to be written.

    `places`: whole boards, by period key and player. `lines`: sums of the players being recalculated, by period key and
    player, for the boards and the periods they are summed up from.
    """

    league: League
    places: dict[str, Places] = field(default_factory=lambda: defaultdict(dict))
    lines: dict[str, dict[int, Line]] = field(default_factory=lambda: defaultdict(dict))
    written: list[tuple[str, int]] = field(default_factory=list)
    moved: list[Place] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)

    def read(self, boards: Mapping[str, Players], parts: Collection[str], players: Players) -> None:
        """Read all places of `boards`, and the sums of each board's players and of `players` in `parts`. Two queries."""
        ranking, stored = Ranking(self.league.metric), Standing.objects.filter(league=self.league).order_by()
        for period, player, *place in stored.filter(period__in=[*boards]).values_list(*_PLACE):
            self.places[period][player] = _stored_place(ranking, place)
        anybody = None if None in boards.values() else {player for each in boards.values() for player in each or ()}
        wanted = _of(boards, anybody) | _of(parts, players)
        for period, player, *line in stored.filter(wanted).values_list("period", "player_id", *SUMS):
            self.lines[period][player] = tuple(line)

    def change(self, period: Period, change: BoardChange) -> bool:
        """Apply changed rows and the ranks that follow; return whether anything differs."""
        before, lines = self.places[period.key], self.lines[period.key]
        now = _placed(self.league, period, change, before)
        gone = [player for player in before if player not in now]
        changed = [player for player, place in now.items() if place is not before.get(player)]
        written, moved = [], []
        for player in changed:
            is_new = now[player].key is None or now[player].score != before[player].score
            if is_new or lines.get(player) != change.lines.get(player, lines.get(player)):
                written.append((period.key, player))
            elif now[player] != before[player]:
                moved.append(now[player])
        self.written += written
        self.moved += moved
        self.gone += [key for player in gone if (key := before[player].key) is not None]
        for player in gone:
            lines.pop(player, None)
        lines.update(change.lines)
        self.places[period.key] = now
        return bool(written or moved or gone)

    def store(self) -> None:
        Standing.objects.bulk_create(
            [self._row(period, player) for period, player in self.written],
            BATCH,
            update_conflicts=True,
            unique_fields=("league", "period", "player"),
            update_fields=("decided_by", *_COLUMNS),
        )
        ranks = zip(*(place.ranks for place in self.moved), strict=True)
        reasons = [place.decided_by for place in self.moved]
        columns = dict(zip(_RANKS, ranks, strict=False)) | {"decided_by": reasons}
        update_columns(Standing, [place.key for place in self.moved if place.key is not None], columns)
        Standing.objects.filter(pk__in=self.gone).delete()

    def _row(self, period: str, player: int) -> Standing:
        now = self.places[period][player]
        reason = None if now.decided_by is None else json.loads(now.decided_by)
        values = zip(_COLUMNS, (now.score, *now.ranks, *self.lines[period][player]), strict=True)
        return Standing(league=self.league, period=period, player_id=player, decided_by=reason, **dict(values))


def _of(boards: Collection[str], players: Players) -> Q:
    there = Q(period__in=[*boards])
    return there if players is None else there & Q(player__in=players)


def _stored_place(ranking: Ranking, place: Sequence[Any]) -> Place:
    key, decided, score, rank, shared, previous, hanchan, *others = place
    counts, earlier = others[: len(_COUNTS)], others[len(_COUNTS) :]
    reason = decided and json.dumps(decided, sort_keys=True)
    counted = ranking.counted(RankingBasis(hanchan, 0, 0, *counts))
    return Place(key, reason, score, (rank, shared, previous), counted, RankingBasis._make(earlier))


def _placed(league: League, period: Period, change: BoardChange, before: Places) -> Places:
    """Return all places of a board after a change; unchanged places are the same objects as before."""
    ranking = ranking_on(league, period)
    now = {} if change.players is None else {p: place for p, place in before.items() if p not in change.players}
    for player, line in change.lines.items():
        now[player] = _after(before.get(player), line, ranking)
    shared = ranks({player: place.score for player, place in now.items() if ranking.has_rank(place.counted)})
    previous = _previous(ranking, change, before, now)
    groups = equals_among(shared)
    order = order_of_ties(league, period, _disturbed(groups, change, before))
    tied = {player for group in groups for player in group}
    for player, place in now.items():
        offset, reason = _part_of_tie(player, place, tied, order)
        rank = shared.get(player)
        was = place.ranks[2] if previous is None else previous.get(player)
        stands = (None if rank is None else rank + offset, rank, was)
        if stands != place.ranks or reason != place.decided_by:
            now[player] = place._replace(ranks=stands, decided_by=reason)
    return now


def _after(old: Place | None, line: Line, ranking: Ranking) -> Place:
    key, reason, were = (old.key, old.decided_by, old.ranks) if old else (None, None, _NOWHERE)
    basis = basis_of(line)
    score, counted = ranking.score(basis), ranking.counted(basis)
    return Place(key, reason, score, were, counted, earlier_of(line))


def _previous(ranking: Ranking, change: BoardChange, before: Places, now: Places) -> dict[int, int] | None:
    """Return all previous ranks, or None if the change does not affect them."""
    if change.players is not None and all(
        (player in before and player in now and before[player].earlier == now[player].earlier)
        or (player not in before and player not in now)
        for player in change.players
    ):
        return None
    return ranked(ranking, {player: place.earlier for player, place in now.items()})


def _part_of_tie(player: int, place: Place, tied: Collection[int], order: Order) -> tuple[int, str | None]:
    """Return a player's offset within a tie and its tie-breaker as JSON; ties that were not recalculated keep theirs."""
    if player in order:
        reason = order[player].decided_by
        return order[player].offset, json.dumps(reason.as_json(), sort_keys=True) if reason else None
    if player in tied and place.key is not None:
        return (place.ranks[0] or 0) - (place.ranks[1] or 0), place.decided_by
    return 0, None


def _disturbed(groups: Sequence[Sequence[int]], change: BoardChange, before: Places) -> list[Sequence[int]]:
    """Return the groups of tied players whose order may have changed."""
    players = change.players
    if players is None:
        return list(groups)
    were = {before[player].ranks[1] for player in players if player in before}

    def is_disturbed(player: int) -> bool:
        return player in players or player not in before or before[player].ranks[1] in were

    return [group for group in groups if any(map(is_disturbed, group))]
