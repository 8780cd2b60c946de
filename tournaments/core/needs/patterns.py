"""Every way in which a table can finish, and what the places are worth in each of them.

A pattern is an order of the seats in which some may be level. What its places are worth (uma, oka, the fee of the top) is
asked of the scoring engine itself, so that any rule set is understood that the engine scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from scoring.core import FinishedGame, Ledger, Part, ScoringError, ScoringRules, score
from tournaments.core.needs.by_places import counts_places, points_of_places

HUNDRED = 100
"""The smallest difference of two raw scores that are not level."""

_OF_THE_SCORE = frozenset({Part.BASE, Part.ROUNDING, Part.FLOOR})
"""What points follow from the raw score itself; all else follows from the place."""


@dataclass(frozen=True, order=True, slots=True)
class FinishPlace:
    """A placement and how many share it, as "1", "2=" (two share it), "2==" (three) are written."""

    number: int
    sharing: int = 1

    def __str__(self) -> str:
        return f"{self.number}{'=' * (self.sharing - 1)}"


@dataclass(frozen=True, slots=True)
class Finish:
    """A way in which a table can finish, by seat: places, steps of the score from the top, points of the places.

    `steps` count the different scores above a seat's own; `bonus` in 1/1000 pt; `top` is the seat that takes what rounding
    leaves.
    """

    places: tuple[FinishPlace, ...]
    steps: tuple[int, ...]
    bonus: tuple[int, ...]
    top: int


@lru_cache(maxsize=64)
def finishes(rules: ScoringRules) -> tuple[Finish, ...]:
    """Return every way in which a table can finish: 75 of four players, more where the uma floats.

    Raises ScoringError where the rules leave open what a plain game needs; finishes that need what they leave open (ties of
    which they say nothing) are not among them.
    """
    players = rules.players or 4
    found = []
    for steps in _orders(players):
        for raw in _scores(steps, rules):
            try:
                found.append(_finish(steps, raw, rules))
            except ScoringError as error:
                if error.code not in {"unset", "no_uma_row"}:
                    raise
    return tuple(dict.fromkeys(found))


def _orders(players: int) -> Iterator[tuple[int, ...]]:
    """Yield, for each order in which players may be level, how many different scores are above each seat."""
    for steps in product(range(players), repeat=players):
        if set(steps) == set(range(max(steps) + 1)):
            yield steps


def _scores(steps: tuple[int, ...], rules: ScoringRules) -> Iterator[tuple[int, ...]]:
    """Yield raw scores in this order: one where the uma is fixed, one for each number of floaters where it floats."""
    floating = rules.uma_floating
    if floating is None:
        yield tuple(60_000 - 1000 * step for step in steps)
        return
    for sunk in range(max(steps) + 2):
        # The scores of the first `sunk` steps float, all below them do not.
        yield tuple(floating.threshold + 1000 * ((sunk - step) if step < sunk else -1 - step) for step in steps)


def _finish(steps: tuple[int, ...], raw: tuple[int, ...], rules: ScoringRules) -> Finish:
    # The scores need not add up: nothing but their order is looked at.
    scored = score(FinishedGame(raw, as_is=True), rules)
    parts = scored.parts(Ledger.RANKING)
    worth = [amounts for part, amounts in parts.items() if part not in _OF_THE_SCORE]
    bonus = tuple(map(sum, zip(*worth, strict=True))) if worth else (0,) * len(raw)
    order = scored.order
    if counts_places(rules):
        bonus = points_of_places(order.placements)
    places = tuple(map(FinishPlace, order.placements, order.sharing))
    return Finish(places, steps, bonus, order.seats[0])
