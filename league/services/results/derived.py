"""The seats of a result as plain values, for work on many results: what `derived_seats` says, without a model."""

from functools import lru_cache
from typing import NamedTuple

from league.core.derived import Derivation
from league.models import Player
from league.services.results.values import HanchanResult
from scoring.core import ScoringRules

RULE_SETS_AT_HAND = 8
"""Rule sets whose derivation is kept: a file has few."""


class DerivedSeat(NamedTuple):
    """A seat with everything that scoring derives from the result; the fields are called as those of `Seat`.

    From `placement` on they are the columns of `league.core.derived`, in their order.
    """

    player: Player
    seat: int
    raw_score: int | None
    chips: int
    deposits: int
    chombo: int
    placement: int
    sharing: int
    is_bust: bool
    points: int
    settlement: int
    base: int
    oka: int
    uma: int
    bust: int
    chip_points: int
    other: int
    total_only: int

    @property
    def player_id(self) -> int:
        """The player's primary key."""
        return self.player.pk


def plain_seats(result: HanchanResult, rules: ScoringRules) -> list[DerivedSeat]:
    """Return the seats of a result, the first dealer first, points in 1/1000 pt. Raises ScoringError."""
    game = result.game
    derived = _derivation(rules).seats(game)
    nothing = (0,) * game.size
    facts = zip(
        result.players,
        range(game.size),
        game.raw or (None,) * game.size,
        game.chips or nothing,
        game.deposits or nothing,
        game.chombo or nothing,
        strict=True,
    )
    return [DerivedSeat(*typed, *columns) for typed, columns in zip(facts, derived, strict=True)]


_derivation = lru_cache(RULE_SETS_AT_HAND)(Derivation)
