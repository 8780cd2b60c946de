"""The chance with more than one hanchan left: many are drawn, always the same for the same seed."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from tournaments.core.needs import Case, reached
from tournaments.core.odds import DEFAULT_SAMPLES, Bank, chances_of_one, typical_bank
from tournaments.estimates.blocks import drawn_orders

_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class Odds:
    """The chance of each player, its largest standard error, and how it was found: "exact" or "simulation"."""

    chance: Mapping[str, float]
    standard_error: float
    samples: int
    method: str


def odds_of(
    case: Case,
    hanchan_left: int = 1,
    *,
    strength: Mapping[str, float] | None = None,
    bank: Bank = (),
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
) -> Odds:
    """Return how likely each player of the table is to reach the goal, the others staying where they are.

    `strength`: by player, 0 where it is not known; `bank`: at least one row, else typical scores. With nothing left to play
    the chance is 0 or 1, with one hanchan it is exact, with more it is drawn.
    """
    if hanchan_left == 0:
        there = reached(case, dict.fromkeys(case.players, (0,)))
        return Odds({player: float(player in there) for player in case.players}, 0.0, 0, "exact")
    rows, strengths = bank or typical_bank(case.rules), strength or {}
    if hanchan_left == 1:
        return Odds(chances_of_one(case, rows, strengths), 0.0, 0, "exact")
    times, left = dict.fromkeys(case.players, 0), samples
    generator = np.random.default_rng(seed)
    while left > 0:
        count = min(left, _AT_ONCE)
        for player, count_of_player in drawn(case, hanchan_left, strengths, rows, count, generator).items():
            times[player] += count_of_player
        left -= count
    chance = {player: count_of_player / samples for player, count_of_player in times.items()}
    error = max(sqrt(likely * (1 - likely) / samples) for likely in chance.values())
    return Odds(chance, error, samples, "simulation")


def drawn(
    case: Case,
    hanchan_left: int,
    strength: Mapping[str, float],
    bank: Bank,
    samples: int,
    generator: np.random.Generator,
) -> dict[str, int]:
    """Return how often each player reached the goal in so many drawn endings."""
    players = case.players
    rows = np.asarray(bank, dtype=np.int64)
    haste = np.exp([-strength.get(player, 0.0) for player in players]).astype(np.float32)[None, :, None]
    totals = np.repeat(
        np.asarray([case.totals[player] for player in players], dtype=np.int64)[:, None], samples, axis=1
    )
    last = np.zeros_like(totals)
    for _ in range(hanchan_left):
        last = drawn_orders(haste, rows, samples, generator)[0][0]
        totals += last
    # Level totals: more points in the last hanchan, then the hanchan before.
    earlier = np.asarray(
        [-case.earlier.index(player) if player in case.earlier else -len(case.earlier) for player in players]
    )
    beaten = np.zeros(totals.shape, dtype=np.int64)
    elsewhere = np.sort(np.asarray(list(case.others.values()), dtype=np.int64))
    for one in range(len(players)):
        for other in range(len(players)):
            if one == other:
                continue
            level = (totals[one] == totals[other]) & case.last_decides
            also = level & (last[one] == last[other])
            ahead = (totals[one] > totals[other]) | (level & (last[one] > last[other]))
            beaten[one] += ahead | (also & (earlier[one] > earlier[other]))
        beaten[one] += np.searchsorted(elsewhere, totals[one])
    counts = (beaten >= case.wanted).sum(axis=1)
    return {player: int(count) for player, count in zip(players, counts, strict=True)}
