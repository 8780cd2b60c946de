"""The seats of a result as plain values, for work on many results: what `derived_seats` says, without a model."""

from collections.abc import Iterable, Mapping
from operator import add
from typing import NamedTuple

from league.models import Player
from league.services.results.rows import PART_COLUMNS
from league.services.results.values import HanchanResult
from scoring.core import Ledger, Part, ScoringRules, score

Amounts = tuple[int, ...]

_COLUMNS = ("base", "oka", "uma", "bust", "chip_points", "other")


class DerivedSeat(NamedTuple):
    """A seat with everything that scoring derives from the result; the fields are called as those of `Seat`."""

    player: Player
    seat: int
    raw_score: int
    chips: int
    deposits: int
    chombo: int
    placement: int
    sharing: int
    is_bust: bool
    points: int
    settlement: int
    total_only: int
    base: int
    oka: int
    uma: int
    bust: int
    chip_points: int
    other: int

    @property
    def player_id(self) -> int:
        """The player's primary key."""
        return self.player.pk


def plain_seats(result: HanchanResult, rules: ScoringRules) -> list[DerivedSeat]:
    """Return the seats of a result, the first dealer first, points in 1/1000 pt. Raises ScoringError."""
    game = result.game
    scored = score(game, rules)
    busted = {bust.seat for bust in game.busts}
    nothing = (0,) * len(game.raw)
    columns = zip(
        result.players,
        range(len(game.raw)),
        game.raw,
        game.chips or nothing,
        game.deposits or nothing,
        game.chombo or nothing,
        scored.order.placements,
        scored.order.sharing,
        [seat in busted or rules.is_bust(raw) for seat, raw in enumerate(game.raw)],
        scored.ranking,
        scored.settlement,
        scored.total_only,
        *_by_column(scored.accounts[Ledger.RANKING].parts, nothing),
        strict=True,
    )
    return list(map(DerivedSeat._make, columns))


def _by_column(parts: Mapping[Part, Amounts], nothing: Amounts) -> Iterable[Amounts]:
    sums = dict.fromkeys(_COLUMNS, nothing)
    for part, amounts in parts.items():
        column = PART_COLUMNS[part]
        sums[column] = amounts if sums[column] is nothing else tuple(map(add, sums[column], amounts))
    return sums.values()
