"""The steps that plain games take, one after the other, for three players and for four.

They are written out seat by seat: leagues score by the ten thousand, and a loop over four seats costs three times as
much. `plan` chooses among them once for a rule set; the tests hold them to the careful path.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from operator import add
from typing import NamedTuple

from scoring.core.rounding import Basis, round_to
from scoring.core.ruleset import Part, Rounding

Amounts = tuple[int, ...]
Parts = Mapping[Part, Amounts]

HUNDRED = 100
"""Sticks come in hundreds."""

LOWEST, HIGHEST = -100_000, 300_000
"""Scores that ordinary games end with; what lies beyond is left to the careful path."""


class Worth(NamedTuple):
    """What a finishing order is worth in one account, by seat in 1/1000 pt.

    `parts` hang on the order alone; `added` is their sum, less the return points where the base is not rounded. `total`
    is what the whole account adds up to, `top` the seat that came first.
    """

    added: Amounts
    total: int
    top: int
    parts: Parts


Step = Callable[[Amounts, Worth], Amounts]
"""From raw scores, and what their order is worth, to the points of an account in 1/1000 pt."""

# --- Who is ahead of whom --------------------------------------------------------------------------------------------


def key_of_three(raw: Amounts) -> Hashable:
    """Return a key that all games with this finishing order and these ties have in common, and no others."""
    a, b, c = raw
    if a in (b, c) or b == c:
        return _less_than(raw)
    bits = 1 if b > a else 0
    if c > a:
        bits += 2
    if c > b:
        bits += 4
    return bits


def key_of_four(raw: Amounts) -> Hashable:
    """Return the same for four: a bit for each pair in which the later seat has more, or how many have less if tied."""
    a, b, c, d = raw
    if a in (b, c, d) or b in (c, d) or c == d:
        return _less_than(raw)
    bits = 1 if b > a else 0
    if c > a:
        bits += 2
    if d > a:
        bits += 4
    if c > b:
        bits += 8
    if d > b:
        bits += 16
    if d > c:
        bits += 32
    return bits


def _less_than(raw: Amounts) -> Amounts:
    return tuple(map(sorted(raw).index, raw))


# --- Points of an account --------------------------------------------------------------------------------------------


def places_alone(_raw: Amounts, worth: Worth) -> Amounts:
    """Return the points of an account without a base."""
    return worth.added


def exact_of_three(raw: Amounts, worth: Worth) -> Amounts:
    """Return the points of an account whose base is not rounded."""
    (x, y, z), _, _, _ = worth
    a, b, c = raw
    return a + x, b + y, c + z


def exact_of_four(raw: Amounts, worth: Worth) -> Amounts:
    """Return the same for four."""
    (w, x, y, z), _, _, _ = worth
    a, b, c, d = raw
    return a + w, b + x, c + y, d + z


def rounded(bases: Mapping[int, int]) -> Step:
    """Return the step of an account that rounds every base, so that it need not add up to anything."""

    def step(raw: Amounts, worth: Worth) -> Amounts:
        return tuple(map(add, map(bases.__getitem__, raw), worth.added))

    return step


def absorbed_by_top_of_three(bases: Mapping[int, int]) -> Step:
    """Return the step of an account that rounds all bases but the top's, which takes what is left of the total."""

    def step(raw: Amounts, worth: Worth) -> Amounts:
        (x, y, z), total, top, _ = worth
        first, second, third = raw
        a, b, c = bases[first] + x, bases[second] + y, bases[third] + z
        if top == 0:
            return total - b - c, b, c
        if top == 1:
            return a, total - a - c, c
        return a, b, total - a - b

    return step


def absorbed_by_top_of_four(bases: Mapping[int, int]) -> Step:
    """Return the same for four."""

    def step(raw: Amounts, worth: Worth) -> Amounts:
        (w, x, y, z), total, top, _ = worth
        first, second, third, fourth = raw
        a, b, c, d = bases[first] + w, bases[second] + x, bases[third] + y, bases[fourth] + z
        if top == 0:
            return total - b - c - d, b, c, d
        if top == 1:
            return a, total - a - c - d, c, d
        if top == 2:
            return a, b, total - a - b - d, d
        return a, b, c, total - a - b - c

    return step


KEYS = {3: key_of_three, 4: key_of_four}
EXACT = {3: exact_of_three, 4: exact_of_four}
ABSORBED_BY_TOP = {3: absorbed_by_top_of_three, 4: absorbed_by_top_of_four}

# --- What is known of scores -----------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def scores_from(lowest: int) -> frozenset[int]:
    """Return the scores that sticks can show, from the lowest that is plain to the highest that is ordinary."""
    return frozenset(range(max(lowest, LOWEST), HIGHEST + 1, HUNDRED))


@lru_cache(maxsize=32)
def rounded_bases(rounding: Rounding, return_points: int) -> dict[int, int]:
    """Return the rounded base of every ordinary score."""
    basis, unit, mode = rounding.basis, rounding.unit, rounding.mode
    scores = range(LOWEST, HIGHEST + 1, HUNDRED)
    if basis is Basis.RAW:
        return {score: round_to(score, unit, mode, basis) - return_points for score in scores}
    return {score: round_to(score - return_points, unit, mode, basis) for score in scores}
