"""Chances with more than one hanchan left, by simulation; deterministic for a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from tournaments.core.needs.case import Case
from tournaments.core.odds import DEFAULT_SAMPLES, Bank, chances_of_one, shares_of_places, typical_bank
from tournaments.estimates import np
from tournaments.estimates.blocks import drawn_orders

_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class Odds:
    """Each player's chance, the largest standard error, and the method: "exact" or "simulation"."""

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
    """Return each player's chance of reaching the goal while the others keep their totals.

    `strength`: by player, 0 if unknown; `bank`: at least one row, otherwise typical scores. Exact with at most one
    hanchan left, otherwise simulated. Tied players share what is left.
    """
    if hanchan_left == 0:
        return Odds(shares_of_places(case, dict.fromkeys(case.players, (0,))), 0.0, 0, "exact")
    rows, strengths = bank or typical_bank(case.rules), strength or {}
    if hanchan_left == 1:
        return Odds(chances_of_one(case, rows, strengths), 0.0, 0, "exact")
    times, left = dict.fromkeys(case.players, 0.0), samples
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
) -> dict[str, float]:
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
    elsewhere = np.sort(np.asarray(list(case.others.values()), dtype=np.int64))
    above = (totals[:, None] < totals).sum(axis=1) + len(elsewhere) - np.searchsorted(elsewhere, totals, side="right")
    level = ((totals[:, None] == totals).sum(axis=1) > 1) | np.isin(totals, elsewhere)
    columns = level.any(axis=0)
    counts = (above[:, ~columns] < case.goal).sum(axis=1).astype(float)
    # Tied players share places by the last hanchan. Count equal endings, because many recur.
    ends, times = np.unique(np.vstack([totals, last])[:, columns], axis=1, return_counts=True)
    for end, count in zip(ends.T.tolist(), times.tolist(), strict=True):
        then = replace(case, totals={player: total - gained for player, total, gained in _rows(players, end)})
        shares = shares_of_places(then, {player: (gained,) for player, _, gained in _rows(players, end)})
        counts += count * np.asarray([shares[player] for player in players])
    return {player: float(count) for player, count in zip(players, counts, strict=True)}


def _rows(players: Sequence[str], end: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    return zip(players, end[: len(players)], end[len(players) :], strict=True)
