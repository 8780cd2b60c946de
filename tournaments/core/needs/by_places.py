"""Where places rank and points do not (Cinderella System): the place itself is what a hanchan brings.

A placement counts as so many points less, so that whoever has the smaller sum of placements has the higher total, and everything
that is known of totals holds. A place that is shared is the upper one of those it covers, as in the ranking.
"""

from collections.abc import Sequence
from dataclasses import replace

from scoring.core import ScoringRules
from scoring.core.ruleset import TieAnswer, TieRule

PLACE = 1000
"""What a placement costs, in the unit of totals."""

MISSED = 1_000_000
"""What a hanchan that somebody will not have played costs: whoever has played more is ranked first."""

_BASIS = "place taken"


def by_places(rules: ScoringRules) -> ScoringRules:
    """Return rules under which a hanchan is played as under these, and brings its place alone.

    Who is ahead when raw scores are level is shared where these leave it open.
    """
    shared = TieRule(TieAnswer.SHARED, TieAnswer.SHARED, TieAnswer.SHARED)
    return replace(
        rules,
        score_basis=_BASIS,
        oka=0,
        uma=(0,) * (rules.players or 4),
        uma_floating=None,
        tie=rules.tie or shared,
        rounding=None,
        below_zero_floor=None,
        bust=None,
        fees=None,
        ledgers=None,
    )


def counts_places(rules: ScoringRules) -> bool:
    """Return whether the rules come from `by_places`."""
    return rules.score_basis == _BASIS


def points_of_places(placements: Sequence[int]) -> tuple[int, ...]:
    return tuple(-PLACE * placement for placement in placements)


def total_of_places(placements: Sequence[int], missed: int = 0) -> int:
    """Return the total of somebody with these placements who will have played so many hanchan less than the others."""
    return sum(points_of_places(placements)) - MISSED * missed
