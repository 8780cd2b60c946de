"""Wild cards: places for the best of those who hold one rank in the blocks of a stage.

Whoever needs one has to end at that rank in the own block, and to be among the best of all who hold it; the blocks that still
play may change both. Source: Cinderella League 2018, as its published results show it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tournaments.core.needs.bounds import points_of_a_hanchan
from tournaments.core.needs.proofs import Proofs, above_of, above_total
from tournaments.core.needs.tables import Tables


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the rank in another block now. `left`: how many hanchan somebody of that block has at most; 0: they stay."""

    block: str
    player: str
    total: int
    left: int


@dataclass(frozen=True, slots=True)
class WildCard:
    """Places for the best `count` of the holders of a rank, from inside one block. Who is better ranked there goes on anyhow.

    `own`: the block, whose goal is the rank; `others`: the other blocks; `holders` of the rank there, best total first.
    """

    count: int
    own: Tables
    others: tuple[Tables, ...]
    holders: tuple[Holder, ...]

    @property
    def rank(self) -> int:
        return self.own.goal

    @property
    def is_for_all(self) -> bool:
        """Return whether there is a place for everybody who holds the rank."""
        return self.count > len(self.others)

    @property
    def is_settled(self) -> bool:
        return not any(any(tables.left.values()) for tables in self.others)

    @property
    def target(self) -> int | None:
        """The total that has to be beaten as the other blocks stand; None where nobody has to be."""
        if self.count > len(self.holders):
            return None
        return self.holders[self.count - 1].total


def proofs_of_wild_card(wild: WildCard) -> Proofs:
    """Return who of the own block is through by this rank or a better one, and who cannot be any more, whatever is played."""
    secured, out = [], []
    for player in wild.own.players:
        most, least = above_of(wild.own, player)
        low, high = _totals(wild.own, player)
        if most < wild.rank - 1 or (most < wild.rank and _ahead(wild, low)[0] < wild.count):
            secured.append(player)
        elif least >= wild.rank or (least == wild.rank - 1 and _ahead(wild, high)[1] >= wild.count):
            out.append(player)
    return Proofs(tuple(secured), tuple(out))


def _totals(tables: Tables, player: str) -> tuple[float, float]:
    total, left = tables.totals[player], tables.left[player]
    if not left:
        return total, total
    points = points_of_a_hanchan(tables.rules)
    return total + left * points.low, total + left * points.high


def _ahead(wild: WildCard, total: float) -> tuple[int, int]:
    """Return how many holders of the rank in other blocks can end above a total, and how many must. Level may end either way.

    A holder is above just when so many of the block as the rank says are.
    """
    found: Sequence[tuple[int, int]] = [above_total(tables, total) for tables in wild.others]
    return sum(most >= wild.rank for most, _ in found), sum(least >= wild.rank for _, least in found)
