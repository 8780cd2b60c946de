"""Who sat at a table with whom in a session, and how often."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from league.models import Player
from league.selectors.games import seats_of
from league.selectors.sheets import Sheet

MAX_PLAYERS = 32
"""Beyond this nobody reads a table of all pairs, and the page grows with their square."""


@dataclass(frozen=True, slots=True)
class Meetings:
    """How often each pair met: a row per player with one count per player, None for themselves."""

    players: tuple[Player, ...]
    rows: tuple[tuple[Player, tuple[int | None, ...]], ...]

    @property
    def least(self) -> int:
        """How often the pair met that met least."""
        return min(self._counts)

    @property
    def most(self) -> int:
        """How often the pair met that met most."""
        return max(self._counts)

    @property
    def _counts(self) -> Iterable[int]:
        return (count for _player, counts in self.rows for count in counts if count is not None)


def meetings_of(sheet: Sheet) -> Meetings | None:
    """Return who met whom in the hanchan of a sheet; None where one table holds everybody, or for too many. No queries."""
    if not sheet.is_split or len(sheet.columns) > MAX_PLAYERS:
        return None
    players = tuple(column.player for column in sheet.columns)
    met = Counter(
        frozenset(pair)
        for row in sheet.rows
        for _table, hanchan in row.hanchan
        for pair in combinations((seat.player_id for seat in seats_of(hanchan)), 2)
    )
    rows = (
        (one, tuple(None if one == other else met[frozenset((one.pk, other.pk))] for other in players))
        for one in players
    )
    return Meetings(players, tuple(rows))
