"""Replay of hanchan in order of play: both ratings of each player, and how well they predicted."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from math import exp
from typing import NamedTuple

from stats.core.ratings.prediction import TENHOU_SCALE, gain, likelihood
from stats.core.ratings.skill import MU, SHOWN_START, SIGMA, shown, updated

# --- Tenhou's rating R, in 1/1000 --------------------------------------------------------------------------------------
# ΔR = c · (b + (R̄ - R) / 40) with b = +30 / +10 / -10 / -30 (three players: +30 / 0 / -30), c = max(1 - 0.002 · n,
# 0.2) and R̄ the mean R of the table before the hanchan. Source: https://tenhou.net/man/#RATING.

START = 1_500_000

BASES = {3: (30_000, 0, -30_000), 4: (30_000, 10_000, -10_000, -30_000)}
"""Base change by number of players and placement, in 1/1000."""

PULL = 40
"""A rating is pulled towards the table's mean by 1/40 of the distance."""

MOVES_ALL, SLOWS_BY, MOVES_LEAST = 1000, 2, 200
"""The factor c in 1/1000: for the first hanchan, its decrease per hanchan, and its minimum."""

WORTH = {
    (players, placement, sharing): sum(bases[placement - 1 : placement - 1 + sharing]) // sharing
    for players, bases in BASES.items()
    for placement in range(1, players + 1)
    for sharing in range(1, players - placement + 2)
}
"""Base change by (players, placement, sharing): a shared placement gets the exact mean."""


SLOWEST = (MOVES_ALL - MOVES_LEAST) // SLOWS_BY
"""Number of hanchan after which the factor is at its minimum."""


def factor(hanchan: int) -> int:
    """Return the factor c in 1/1000 for a player's next hanchan, after `hanchan` earlier ones."""
    return MOVES_ALL - SLOWS_BY * hanchan if hanchan < SLOWEST else MOVES_LEAST


def change(worth: int, table: int, players: int, rating: int, hanchan: int) -> int:
    """Return the rating change, rounded half away from zero. `table`: sum of the table's ratings before the hanchan."""
    share = 2 * factor(hanchan) * (PULL * players * worth + table - players * rating)
    whole = MOVES_ALL * PULL * players
    return (share + whole) // (2 * whole) if share >= 0 else -((whole - share) // (2 * whole))


# --- Replay of both ratings --------------------------------------------------------------------------------------------


class RatedTable(NamedTuple):
    """The players of a hanchan as (placement, sharing, player), from first to last placement."""

    hanchan: int
    played_at: datetime
    day: date
    seats: list[tuple[int, int, int]]

    @property
    def counts(self) -> bool:
        """Whether the hanchan is rated: three or four players with consistent placements.

        Inconsistent placements only occur in corrupt data, which proofs have to handle.
        """
        players = len(self.seats)
        return players in PLACEMENTS and all((players, place, sharing) in WORTH for place, sharing, _ in self.seats)


PLACEMENTS = {players: list(range(1, players + 1)) for players in TENHOU_SCALE}
"""The placements of a table without shared ones, by number of players."""


@dataclass(slots=True)
class State:
    """A player's ratings (1/1000) after their latest hanchan.

    `opponents`: sum of the R of all `met` opponents at the time. `day`: last day of play; `…_before`: ratings before
    that day.
    """

    hanchan: int = 0
    tenhou: int = START
    mu: float = MU
    sigma: float = SIGMA
    opponents: int = 0
    met: int = 0
    tenhou_before: int = START
    skill_before: int = SHOWN_START
    day: date = date.min

    @property
    def skill(self) -> int:
        """The displayed skill rating, in 1/1000."""
        return shown(self.mu, self.sigma)


class RatedSeat(NamedTuple):
    """A player's ratings before a hanchan, and their State after it."""

    player: int
    placement: int
    sharing: int
    rating_before: int
    mu_before: float
    sigma_before: float
    hanchan: int
    tenhou: int
    mu: float
    sigma: float
    opponents: int
    met: int
    tenhou_before: int
    skill_before: int

    def state(self, day: date) -> State:
        return State(*self[6:], day)


class Rated(NamedTuple):
    """The rating changes of a hanchan. `gains`: of both predictions, None with shared placements."""

    table: RatedTable
    seats: list[RatedSeat]
    gains: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class RatingChange:
    """A hanchan's effect on one player. `table`: sum of R at the table before it."""

    hanchan: int
    played_on: date
    players: int
    table: int
    seat: RatedSeat

    @property
    def factor(self) -> int:
        return factor(self.seat.hanchan - 1)

    @property
    def worth(self) -> int:
        return WORTH[self.players, self.seat.placement, self.seat.sharing]

    @property
    def mean(self) -> int:
        return (2 * self.table + self.players) // (2 * self.players)

    @property
    def tenhou_change(self) -> int:
        return self.seat.tenhou - self.seat.rating_before

    @property
    def skill(self) -> int:
        return shown(self.seat.mu, self.seat.sigma)

    @property
    def skill_change(self) -> int:
        return self.skill - shown(self.seat.mu_before, self.seat.sigma_before)


def replay(tables: Iterable[RatedTable], states: Mapping[int, State]) -> Iterator[Rated]:
    """Update `states` in place with each rated table and yield its changes. All tables must be rated (`counts`)."""
    for table in tables:
        yield _rated(table, [states[player] for _, _, player in table.seats])


def _rated(table: RatedTable, sitting: list[State]) -> Rated:
    players = len(table.seats)
    placements = [placement for placement, _, _ in table.seats]
    total = sum(state.tenhou for state in sitting)
    after, likely = updated([(state.mu, state.sigma) for state in sitting], placements)
    gains = None
    if placements == PLACEMENTS[players]:
        scale = TENHOU_SCALE[players]
        predicted = likelihood([exp(state.tenhou / scale) for state in sitting])
        gains = gain(predicted, players), gain(likely, players)
    rows = []
    for state, (placement, sharing, player), (mu, sigma) in zip(sitting, table.seats, after, strict=True):
        before = player, placement, sharing, state.tenhou, state.mu, state.sigma
        if state.day != table.day:
            state.day, state.tenhou_before, state.skill_before = table.day, state.tenhou, state.skill
        rating = state.tenhou
        state.opponents += total - rating
        state.met += players - 1
        state.tenhou += change(WORTH[players, placement, sharing], total, players, rating, state.hanchan)
        state.mu, state.sigma = mu, sigma
        state.hanchan += 1
        rows.append(
            RatedSeat(
                *before,
                state.hanchan,
                state.tenhou,
                mu,
                sigma,
                state.opponents,
                state.met,
                state.tenhou_before,
                state.skill_before,
            )
        )
    return Rated(table, rows, gains)
