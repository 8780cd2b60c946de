"""Hanchan after hanchan, in the order of play: both ratings of everybody at the table, and how they had predicted it."""

from collections.abc import Iterable, Iterator
from math import exp
from struct import Struct
from typing import NamedTuple

from stats.core.ratings.blocks import HEAD, JUDGED, PER_BLOCK, ROW, UNTOLD, RatedBlock, State, judge, pack_row
from stats.core.ratings.prediction import TENHOU_SCALE, gain, likelihood
from stats.core.ratings.skill import updated
from stats.core.ratings.tenhou import WORTH, change


class RatedTable(NamedTuple):
    """Who sat at a table and how they came out: (placement, sharing, player) of each, from the first placement to the last.

    `at` in microseconds since 1970, `day` as a number.
    """

    hanchan: int
    at: int
    day: int
    seats: list[tuple[int, int, int]]


PLACEMENTS = {players: list(range(1, players + 1)) for players in TENHOU_SCALE}
"""The placements of a hanchan in which nobody shares one."""

_AT = Struct("<qq")
"""The beginning of a row: hanchan and moment."""


def replay(tables: Iterable[RatedTable], states: dict[int, State]) -> Iterator[RatedBlock]:
    """Bring the states of players forward, with a row for everybody who sits there; yield blocks as they are full.

    The tables are in the order of play. Those of other sizes than three and four count nowhere, nor does what cannot be:
    whoever proves or repairs what is stored may come upon it.
    """
    for table in tables:
        players = len(table[3])
        if players in PLACEMENTS and all((players, place, sharing) in WORTH for place, sharing, _ in table[3]):
            yield from _rated(table, [states[player] for _, _, player in table[3]])


def _rated(table: RatedTable, sitting: list[State]) -> list[RatedBlock]:
    """Rate one hanchan; return the blocks that it fills."""
    hanchan, at, day, seats = table
    players = len(seats)
    placements = [placement for placement, _, _ in seats]
    total = 0
    for state in sitting:
        total += state.tenhou
    after, likely = updated([(state.mu, state.sigma) for state in sitting], placements)
    tenhou_gain = skill_gain = UNTOLD
    if placements == PLACEMENTS[players]:
        scale = TENHOU_SCALE[players]
        tenhou_gain = gain(likelihood([exp(state.tenhou / scale) for state in sitting]), players)
        skill_gain = gain(likely, players)
        judge(sitting[0].judged, tenhou_gain, skill_gain)
    full = []
    for state, (placement, sharing, player), belief in zip(sitting, seats, after, strict=True):
        if not state.block:
            state.block += state.head()
        if state.day != day:
            state.day, state.tenhou_before, state.skill_before = day, state.tenhou, state.skill
        rating, nth = state.tenhou, state.hanchan
        state.opponents += total - rating
        state.met += players - 1
        rating += change(WORTH[players, placement, sharing], total, players, rating, nth)
        mu, sigma = belief
        state.hanchan, state.tenhou, state.mu, state.sigma = nth + 1, rating, mu, sigma
        state.block += pack_row(
            hanchan, at, day, players, placement, sharing, total, rating, mu, sigma, tenhou_gain, skill_gain
        )
        tenhou_gain = skill_gain = UNTOLD
        if not (nth + 1) % PER_BLOCK:
            full.append(block_of(player, state))
            state.block, state.judged = bytearray(), [0] * JUDGED
    return full


def block_of(player: int, state: State) -> RatedBlock:
    """Return the block that is being filled of a player; there is a row in it."""
    content = bytes(state.block)
    first_at = _AT.unpack_from(content, HEAD.size)[1]
    last_at = _AT.unpack_from(content, len(content) - ROW.size)[1]
    return RatedBlock(player, (state.hanchan - 1) // PER_BLOCK, first_at, last_at, tuple(state.judged), content)
