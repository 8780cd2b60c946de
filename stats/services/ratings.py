"""Ratings follow the hanchan here: replayed from the earliest that changed, so many at a time.

The database marks the moment of whatever changes, in the same transaction. The marks are read before the hanchan: a change that
comes in between is rated at once or leaves its mark, so nothing can be wrong, only late.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Sum

from league import background
from league.models import League
from stats.core.ratings.blocks import SHAPE, RatedBlock, State, state_after
from stats.core.ratings.replay import replay
from stats.models import PlayerRating, RatingBlock, RatingMark, RatingProgress
from stats.selectors.ratings import (
    BEGINNING,
    SUMS,
    begun_blocks,
    due_leagues,
    latest_blocks,
    micros,
    slice_from,
    states_after,
)

REPLAY_TASK = "stats.replay_ratings"

ROWS_AT_ONCE = 1000


def sweep() -> None:
    """Have the ratings replayed that are behind. One query."""
    for league_id in due_leagues():
        background.send(REPLAY_TASK, league_id)


def replay_ratings(league_id: int) -> None:
    """Bring the ratings of a league up to date, one slice after the other."""
    while replay_some(league_id):
        pass


def replay_in_turn(league_id: int) -> None:
    """Replay one slice of a league, and have the next one replayed after whatever else waits."""
    if replay_some(league_id):
        background.send(REPLAY_TASK, league_id)


@transaction.atomic
def replay_some(league_id: int) -> bool:
    """Replay the hanchan of a league from the earliest that changed, as many as one slice holds; return whether there are more.

    Of one league one after the other. Where nothing changed: three queries.
    """
    if not League.objects.filter(pk=league_id).exists():
        RatingMark.objects.filter(league=league_id).delete()
        return False
    RatingProgress.objects.get_or_create(league_id=league_id)
    progress = RatingProgress.objects.select_for_update().get(league=league_id)
    marks = dict(RatingMark.objects.filter(league=league_id).values_list("pk", "played_at"))
    start = _start(progress, marks.values())
    if start is None:
        return False
    _Replay(progress, start).run()
    for keys in _chunks(marks):
        RatingMark.objects.filter(pk__in=keys).delete()
    return progress.next_at is not None


def replay_anew(league: League) -> None:
    """Replay all hanchan of a league, whatever is kept."""
    RatingMark.objects.create(league=league, played_at=None)
    replay_ratings(league.pk)


def _start(progress: RatingProgress, marked: Iterable[datetime | None]) -> int | None:
    """Return the moment from which hanchan are to be replayed; None if nothing is."""
    moments = list(marked)
    known = [micros(moment) for moment in moments if moment is not None]
    if progress.shape != SHAPE or len(known) < len(moments):
        return BEGINNING
    left = [] if progress.next_at is None else [progress.next_at]
    return min([*known, *left], default=None)


@dataclass
class _Replay:
    """One slice from a moment on. `states`: of players whose blocks are being filled. `touched`: who has other ratings now."""

    progress: RatingProgress
    start: int
    states: dict[int, State] = field(default_factory=dict)
    touched: set[int] = field(default_factory=set)

    def run(self) -> None:
        concerns_all = self.start == BEGINNING or self.progress.next_at is not None
        self._cut()
        played, next_at = slice_from(self.progress.league_id, self.start)
        tables = list(played)
        self._load({player for table in tables for _, _, player in table.seats})
        full = list(replay(tables, self.states))
        self._write([*full, *begun_blocks(self.states)])
        self.touched |= self.states.keys()
        self.progress.next_at, self.progress.shape = next_at, SHAPE
        self.progress.save()
        if next_at is None:
            self._rate(concerns_all=concerns_all)

    def _cut(self) -> None:
        """Take away what was rated from the moment on. Blocks that it lies in are filled again from there."""
        blocks = RatingBlock.objects.filter(league=self.progress.league_id)
        if self.start == BEGINNING:
            blocks.delete()
            for name in SUMS:
                setattr(self.progress, name, 0)
            return
        gone = blocks.filter(last_at__gte=self.start)
        for block in gone.filter(first_at__lt=self.start):
            self.states[block.player_id] = state_after(block.number, bytes(block.content), self.start)
        self.touched |= set(gone.order_by().values_list("player", flat=True))
        if self.touched:
            sums = gone.aggregate(**{name: Sum(name) for name in SUMS})
            self._count(-1, [sums[name] for name in SUMS])
            gone.delete()

    def _load(self, players: set[int]) -> None:
        """Load where those players stand who are not at hand. Their blocks that are not full go, and are filled again."""
        for some in _chunks(sorted(players - self.states.keys())):
            blocks = list(latest_blocks(some))
            loaded = states_after(blocks)
            begun = [block for block in blocks if loaded[block.player_id].block]
            for block in begun:
                self._count(-1, [getattr(block, name) for name in SUMS])
            RatingBlock.objects.filter(pk__in=[block.pk for block in begun]).delete()
            self.states |= {player: loaded.get(player) or State() for player in some}

    def _write(self, blocks: list[RatedBlock]) -> None:
        for block in blocks:
            self._count(1, block.judged)
        columns = ("player_id", "number", "first_at", "last_at", *SUMS, "content")
        rows = [(*block[:4], *block.judged, block.content) for block in blocks]
        RatingBlock.objects.bulk_create(
            RatingBlock(league_id=self.progress.league_id, **dict(zip(columns, row, strict=True))) for row in rows
        )

    def _count(self, sign: int, judged: Iterable[int]) -> None:
        for name, value in zip(SUMS, judged, strict=True):
            setattr(self.progress, name, getattr(self.progress, name) + sign * value)

    def _rate(self, *, concerns_all: bool) -> None:
        """Write how everybody concerned is rated now; whoever has no hanchan left is not rated."""
        ratings = PlayerRating.objects.filter(league=self.progress.league_id)
        if concerns_all:
            rated = RatingBlock.objects.filter(league=self.progress.league_id, number=0).order_by()
            self.touched |= {*rated.values_list("player", flat=True), *ratings.values_list("player", flat=True)}
        for some in _chunks(sorted(self.touched)):
            states = {player: self.states[player] for player in some if player in self.states}
            states |= states_after(latest_blocks(set(some) - states.keys()))
            standing = {player: state for player, state in states.items() if state.hanchan}
            ratings.filter(player__in=set(some) - standing.keys()).delete()
            PlayerRating.objects.bulk_create(
                (_rating(self.progress.league_id, player, state) for player, state in standing.items()),
                update_conflicts=True,
                unique_fields=["player"],
                update_fields=[name for name in RATED if name != "player_id"],
            )


RATED = tuple(each.attname for each in PlayerRating._meta.concrete_fields)
"""The columns of a rating."""


def _rating(league: int, player: int, state: State) -> PlayerRating:
    return PlayerRating(
        league_id=league,
        player_id=player,
        **figures_of(state),
    )


def figures_of(state: State) -> dict[str, Any]:
    """Return what is told of somebody who stands so."""
    return {
        "hanchan": state.hanchan,
        "tenhou": state.tenhou,
        "skill": state.skill,
        "opponents": state.met_on_average,
        "day": date.fromordinal(state.day),
        "tenhou_change": state.tenhou - state.tenhou_before,
        "skill_change": state.skill - state.skill_before,
    }


def _chunks(keys: Iterable[int]) -> Iterator[list[int]]:
    left = iter(keys)
    while some := list(islice(left, ROWS_AT_ONCE)):
        yield some
