"""A block that plays at several tables: what players need against those whom they do not meet."""

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.core import ScoringRules
from tournaments.core.needs.case import Case, Totals


@dataclass(frozen=True, slots=True)
class Tables:
    """All players of a block, best first, with their totals: `goal` places are to be had among them.

    `left`: by player, how many hanchan are still to be played. `together`: who sits together in a last hanchan, as far as
    that is known; everybody there has one left and is there once. `earlier`: who is ahead when totals are level, best first.
    `is_closed`: whoever is at no known table plays against nobody but the others of whom this is so.
    """

    rules: ScoringRules
    totals: Totals
    left: Mapping[str, int]
    goal: int
    together: tuple[tuple[str, ...], ...] = ()
    earlier: tuple[str, ...] = ()
    last_decides: bool = True
    is_closed: bool = False

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(self.totals)

    def table_of(self, player: str) -> tuple[str, ...]:
        """Return who sits at a player's table in the last hanchan, the player among them; nobody where it is not known."""
        return next((table for table in self.together if player in table), ())

    def case_at(self, table: tuple[str, ...]) -> Case:
        """Return a table with those who have played everything as the others; who plays elsewhere is not in it."""
        elsewhere = {each: self.totals[each] for each in self.players if each not in table and not self.left[each]}
        totals = {each: self.totals[each] for each in table}
        return Case(self.rules, table, totals, self.goal, self.earlier, elsewhere, last_decides=self.last_decides)

    def is_last(self, table: tuple[str, ...]) -> bool:
        return all(each in table or not self.left[each] for each in self.players)


@dataclass(frozen=True, slots=True)
class Apart:
    """What decides between a player and a rival who do not meet: points of the last hanchan, in 1/1000 pt.

    The player ends above if their points less those of the rival are at least `least`, or more than that where not
    `level_is_enough`. Whoever has played everything has no points any more.
    """

    least: int
    level_is_enough: bool


def apart(tables: Tables, player: str, rival: str) -> Apart:
    """Return by how much the last hanchan of a player has to bring more than that of a rival.

    Totals are level where the player was behind by just that much, so the player has then more points in the last hanchan,
    which decides; whose last hanchan lies further back has unknown points, and level is no promise. Source: Cinderella
    League 2020, "補足1".
    """
    behind = tables.totals[rival] - tables.totals[player]
    both_play = bool(tables.left[player] and tables.left[rival])
    return Apart(behind, level_is_enough=both_play and tables.last_decides and behind > 0)


def places_missing(tables: Tables, player: str) -> int:
    """Return how many more than now a player has to be above; 0 or less: so many, less the sign, may pass."""
    return len(above_now(tables, player)) + 1 - tables.goal


def above_now(tables: Tables, player: str) -> tuple[str, ...]:
    own, order = tables.totals[player], tables.earlier
    return tuple(
        rival
        for rival, total in tables.totals.items()
        if total > own or (total == own and {player, rival} <= set(order) and order.index(rival) < order.index(player))
    )
