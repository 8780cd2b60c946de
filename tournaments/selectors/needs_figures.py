"""What is needed against each rival in figures: margins at the own table, and differences to those who play elsewhere."""

from dataclasses import dataclass

from tournaments.core.needs.case import Case
from tournaments.core.needs.margins import Margin, margins_of, ordinary
from tournaments.core.needs.patterns import FinishPlace
from tournaments.core.needs.tables import Apart, Tables, apart
from tournaments.models import Entry
from tournaments.selectors.state import CurrentState

MOST_APART = 12
"""So many who play elsewhere, the nearest, are listed for each player."""


@dataclass(frozen=True, slots=True)
class MarginTable:
    """A player's margins against a rival at the table: a row for each own place, a cell for each place of the rival.

    A cell is None where both would have the same place.
    """

    rival: Entry
    rows: tuple[tuple[Margin | None, ...], ...]


@dataclass(frozen=True, slots=True)
class RivalApart:
    """What decides between a player and a rival who do not meet in the last hanchan. `plays`: the rival has it before them."""

    rival: Entry
    apart: Apart
    plays: bool


def margin_tables(current: CurrentState, tables: Tables, player: str) -> tuple[MarginTable, ...]:
    """Return a player's margins against everybody at the table; nothing where it is not known."""
    table = tables.table_of(player)
    if not table:
        return ()
    case = tables.case_at(table)
    margins = margins_of(case, player)
    places = [FinishPlace(number) for number in range(1, len(table) + 1)]
    found = (
        MarginTable(
            current.entries[int(rival)],
            tuple(
                tuple(_cell(case, margins.get(own, {}).get(rival, {}).get(theirs)) for theirs in places)
                for own in places
            ),
        )
        for rival in case.rivals(player)
    )
    # Where every place is enough, or none, the figures say nothing more.
    return tuple(each for each in found if len({cell for row in each.rows for cell in row if cell is not None}) > 1)


def _cell(case: Case, margin: Margin | None) -> Margin | None:
    return None if margin is None else ordinary(case, margin)


def rivals_apart(current: CurrentState, tables: Tables, player: str) -> tuple[RivalApart, ...]:
    """Return what decides against those, the nearest, whom a player does not meet in the last hanchan."""
    if tables.left[player] > 1:
        return ()
    table = tables.table_of(player)
    elsewhere = [
        (rival, apart(tables, player, rival))
        for rival in tables.players
        if rival not in {player, *table} and tables.left[rival] <= 1 and (tables.left[player] or tables.left[rival])
    ]
    nearest = sorted(elsewhere, key=lambda found: abs(found[1].least))[:MOST_APART]
    return tuple(
        RivalApart(current.entries[int(rival)], found, bool(tables.left[rival]))
        for rival, found in sorted(nearest, key=lambda found: -tables.totals[found[0]])
    )
