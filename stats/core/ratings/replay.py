"""Hanchan after hanchan, in the order of play: both ratings of everybody at the table, and how they had predicted it."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from struct import Struct
from typing import NamedTuple

from stats.core.ratings.blocks import HEAD, JUDGED, PER_BLOCK, ROW, UNTOLD, Block, State, judge, pack_row
from stats.core.ratings.prediction import TENHOU_SCALE, gain
from stats.core.ratings.skill import updated
from stats.core.ratings.tenhou import WORTH, change


class RatedSeat(NamedTuple):
    """One player's line in a hanchan; `at` in microseconds since 1970, `day` as a number."""

    hanchan: int
    player: int
    placement: int
    sharing: int
    at: int
    day: int


_AT = Struct("<qq")
"""The beginning of a row: hanchan and moment."""

ORDERS = {players: list(range(1, players + 1)) for players in TENHOU_SCALE}
"""The placements of a hanchan in which nobody shares one."""


def replay(seats: Iterable[RatedSeat], states: dict[int, State]) -> Iterator[Block]:
    """Bring the states of players forward, with a row for everybody who sits there; yield blocks as they are full.

    The seats are in the order of play, those of a hanchan by placement. Tables of other sizes than three and four count nowhere.
    """
    for hanchan, rows in groupby(seats, itemgetter(0)):
        table = list(rows)
        if len(table) in ORDERS:
            yield from _rated(hanchan, table, [states[row[1]] for row in table])


def _rated(hanchan: int, table: list[RatedSeat], sitting: list[State]) -> Iterator[Block]:
    """Rate one hanchan, its seats by placement; yield the blocks that it fills."""
    players = len(table)
    at, day = table[0][4:6]
    placements = [row[2] for row in table]
    total = sum([state.tenhou for state in sitting])
    after, scale = updated([(state.mu, state.sigma) for state in sitting], placements)
    tenhou_gain = skill_gain = UNTOLD
    if placements == ORDERS[players]:
        tenhou_gain = gain([state.tenhou / TENHOU_SCALE[players] for state in sitting])
        skill_gain = gain([state.mu / scale for state in sitting])
    for state, row, belief in zip(sitting, table, after, strict=True):
        if not state.block:
            state.block += state.head()
        if state.day != day:
            state.day, state.tenhou_before, state.skill_before = day, state.tenhou, state.skill
        if tenhou_gain != UNTOLD:
            judge(state.judged, tenhou_gain, skill_gain)
        placement, sharing = row[2], row[3]
        moved = change(WORTH[players, placement, sharing], total, players, state.tenhou, state.hanchan)
        state.opponents += total - state.tenhou
        state.met += players - 1
        state.tenhou += moved
        state.mu, state.sigma = belief
        state.hanchan += 1
        told = (hanchan, at, day, players, placement, sharing, total, state.tenhou, *belief, tenhou_gain, skill_gain)
        state.block += pack_row(*told)
        tenhou_gain = skill_gain = UNTOLD
        if not state.hanchan % PER_BLOCK:
            yield block_of(row[1], state)
            state.block, state.judged = bytearray(), [0] * JUDGED


def block_of(player: int, state: State) -> Block:
    """Return the block that is being filled of a player; there is a row in it."""
    content = bytes(state.block)
    first_at = _AT.unpack_from(content, HEAD.size)[1]
    last_at = _AT.unpack_from(content, len(content) - ROW.size)[1]
    return Block(player, (state.hanchan - 1) // PER_BLOCK, first_at, last_at, tuple(state.judged), content)
