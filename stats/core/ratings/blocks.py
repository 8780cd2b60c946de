"""How the ratings of a player are kept, hanchan by hanchan: in blocks of so many, each with what was before its first one.

A block is bytes, little-endian: a head with the state before, then a row of the same length for each hanchan. So a hanchan costs
fewer bytes than a row of a table with its indexes, and a hundred thousand are written in a moment.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from struct import Struct
from typing import NamedTuple

from stats.core.ratings.skill import MU, SHOWN_START, SIGMA, Belief, shown
from stats.core.ratings.tenhou import START, WORTH, factor

SHAPE = 1
"""Of what is kept, and of how it is worked out: raise it with either, and every league is replayed from its beginning."""

PER_BLOCK = 64

HEAD = Struct("<iddqiiii")
ROW = Struct("<qqiBBBiiddii")

pack_row = ROW.pack


JUDGED = 5
"""Of how both ratings have predicted: hanchan, gains of R, their squares, gains of the skill, their squares."""


def judge(judged: list[int], tenhou_gain: int, skill_gain: int) -> None:
    """Add a hanchan that both ratings have predicted."""
    judged[0] += 1
    judged[1] += tenhou_gain
    judged[2] += tenhou_gain * tenhou_gain
    judged[3] += skill_gain
    judged[4] += skill_gain * skill_gain


@dataclass(slots=True)
class State:
    """Where a player stands after so many hanchan. R and shown skill in 1/1000.

    `opponents`: the sum of the R of everybody met before they were, `met`: how many that were. `day`: the last day of play as a
    number, `…_before`: the ratings before it. `block`: the block that is being filled, empty until there is a row in it.
    `judged`: what the rows of that block have said of predictions.
    """

    hanchan: int = 0
    tenhou: int = START
    mu: float = MU
    sigma: float = SIGMA
    opponents: int = 0
    met: int = 0
    day: int = 0
    tenhou_before: int = START
    skill_before: int = SHOWN_START
    block: bytearray = field(default_factory=bytearray)
    judged: list[int] = field(default_factory=lambda: [0] * JUDGED)

    def head(self) -> bytes:
        """Return the head of a block that begins here."""
        standing = (self.tenhou, self.mu, self.sigma, self.opponents, self.met)
        return HEAD.pack(*standing, self.day, self.tenhou_before, self.skill_before)

    @property
    def skill(self) -> int:
        """The careful rating as it is shown, in 1/1000."""
        return shown(self.mu, self.sigma)

    @property
    def met_on_average(self) -> int:
        """The mean R of everybody met, in 1/1000; 0 where nobody was."""
        return (2 * self.opponents + self.met) // (2 * self.met) if self.met else 0


class Block(NamedTuple):
    """So many hanchan of a player, the number of the block from 0. Moments in microseconds since 1970."""

    player: int
    number: int
    first_at: int
    last_at: int
    judged: tuple[int, ...]
    content: bytes


class RatedHanchan(NamedTuple):
    """What a hanchan did to the ratings of a player, the `nth` of theirs from 0.

    `table`: the sum of the R of everybody at the table before. `gains`: what the predictions of this hanchan gained, where this
    row tells it; each hanchan is told by the row of whoever came first.
    """

    nth: int
    hanchan: int
    at: int
    day: int
    players: int
    placement: int
    sharing: int
    table: int
    tenhou_before: int
    tenhou: int
    belief_before: Belief
    belief: Belief
    gains: tuple[int, int] | None

    @property
    def played_on(self) -> date:
        """The league day."""
        return date.fromordinal(self.day)

    @property
    def factor(self) -> int:
        """The factor c of this change, in 1/1000."""
        return factor(self.nth)

    @property
    def worth(self) -> int:
        """What the placement is worth, in 1/1000."""
        return WORTH[self.players, self.placement, self.sharing]

    @property
    def mean(self) -> int:
        """The mean R of the table before, in 1/1000."""
        return (2 * self.table + self.players) // (2 * self.players)

    @property
    def tenhou_change(self) -> int:
        """By how much R changed."""
        return self.tenhou - self.tenhou_before

    @property
    def skill(self) -> int:
        """The other rating afterwards, as it is shown."""
        return shown(*self.belief)

    @property
    def skill_change(self) -> int:
        """By how much that changed."""
        return self.skill - shown(*self.belief_before)


UNTOLD = -(1 << 31)
"""Stands in a row for gains that another row tells."""


def unpacked(number: int, content: bytes) -> Iterator[RatedHanchan]:
    """Yield what a block holds, the earliest first."""
    before, mu, sigma, *_ = HEAD.unpack_from(content)
    belief = (mu, sigma)
    nth = number * PER_BLOCK
    for row in ROW.iter_unpack(memoryview(content)[HEAD.size :]):
        hanchan, at, day, players, placement, sharing, table, rating, mu, sigma, tenhou_gain, skill_gain = row
        gains = None if tenhou_gain == UNTOLD else (tenhou_gain, skill_gain)
        told = (hanchan, at, day, players, placement, sharing, table)
        yield RatedHanchan(nth, *told, before, rating, belief, (mu, sigma), gains)
        before, belief, nth = rating, (mu, sigma), nth + 1


def length(content: bytes) -> int:
    """Return how many hanchan a block holds."""
    return (len(content) - HEAD.size) // ROW.size


def state_after(number: int, content: bytes, until: int | None = None) -> State:
    """Return where a player stood after a block, or before the moment `until` within it. Its rows until then are in it."""
    standing = HEAD.unpack_from(content)
    state = State(number * PER_BLOCK, *standing)
    for row in unpacked(number, content):
        if until is not None and row.at >= until:
            break
        if row.day != state.day:
            state.day, state.tenhou_before, state.skill_before = row.day, state.tenhou, state.skill
        state.hanchan += 1
        state.opponents += row.table - row.tenhou_before
        state.met += row.players - 1
        state.tenhou = row.tenhou
        state.mu, state.sigma = row.belief
        if row.gains is not None:
            judge(state.judged, *row.gains)
    rows = state.hanchan - number * PER_BLOCK
    if rows == PER_BLOCK:
        state.judged = [0] * JUDGED
    elif rows:
        state.block += content[: HEAD.size + rows * ROW.size]
    return state
