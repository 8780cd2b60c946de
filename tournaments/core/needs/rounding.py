"""What a difference of two raw scores is worth where bases are rounded: at least, and at most."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from scoring.core import Ledger, ScoringRules
from scoring.core.rounding import Basis, Mode, round_to
from tournaments.core.needs.patterns import HUNDRED

Gain = Callable[[int], int]


@dataclass(frozen=True, slots=True)
class Reach:
    """How many points a difference of raw scores brings, at least and at most (1/1000 pt), whatever the scores are.

    `room`: by how much these can differ from the difference itself.
    """

    least_gain: Gain
    greatest_gain: Gain
    room: int


@lru_cache(maxsize=64)
def reach_of(rules: ScoringRules, top: int) -> Reach:
    """Return what differences are worth; `top`: 1 where the player takes what rounding leaves, -1 the rival, 0 another."""
    rounding = rules.rounding
    if rounding is None or not dict(rules.accounts)[Ledger.RANKING].rounded or rounding.mode is Mode.NONE:
        return Reach(_itself, _itself, 0)
    errors = _errors(rounding.unit, rounding.mode, rounding.basis)
    flat = [error for of_sign in errors for error in of_sign]
    players = rules.players or 4
    room = players * rounding.unit
    if rounding.top_absorbs and top:
        # The top holds what the others leave: its points less those of a rival are the difference of their raw scores
        # less twice the rival's rounding and less everybody else's.
        low, high = (-players * max(flat), -players * min(flat))
        if top < 0:
            low, high = -high, -low
        return Reach(lambda difference: difference + low, lambda difference: difference + high, room)
    return Reach(
        lambda difference: difference + min(_gains(errors, difference)),
        lambda difference: difference + max(_gains(errors, difference)),
        room,
    )


def _itself(difference: int) -> int:
    return difference


Errors = tuple[tuple[int, ...], tuple[int, ...]]
"""By how much rounding changes a base, below zero and from zero on, by its remainder in hundreds."""


def _errors(unit: int, mode: Mode, basis: Basis) -> Errors:
    remainders = range(0, max(unit, HUNDRED), HUNDRED)
    below, above = (
        tuple(round_to(start + rest, unit, mode, basis) - start - rest for rest in remainders)
        for start in (-10 * len(remainders) * HUNDRED, 10 * len(remainders) * HUNDRED)
    )
    return below, above


def _gains(errors: Errors, difference: int) -> list[int]:
    """Return what rounding can add to a difference: for each remainder of the lower score, and each sign of both."""
    below, above = errors
    signs = [(below, below), (above, above), (below, above) if difference >= 0 else (above, below)]
    count, moved = len(below), difference // HUNDRED
    return [upper[(rest + moved) % count] - lower[rest] for lower, upper in signs for rest in range(count)]
