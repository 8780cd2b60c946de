"""Who sits where in a row of the sheet: by the winds that are written, by the plan of the table, by the columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from league.forms.grid.cells import TypedCell
from league.services.entry import Seated
from scoring.core import ScoringRules

Cells = Mapping[str, TypedCell]
"""The typed cells of a row by their fields, in the order of the columns."""


def expected_order(cells: Cells, people: Mapping[str, Seated | None], planned: Sequence[int]) -> list[str]:
    """Return the fields of the cells as they sit where nothing is written: as planned, else as the columns stand.

    A plan holds where just those have scores who are `planned` (primary keys by seat).
    """
    by_player = {getattr(people[name], "pk", None): name for name in cells}
    if planned and by_player.keys() == set(planned):
        return [by_player[player] for player in planned]
    return list(cells)


def settled(cells: Cells, order: Sequence[str], rules: ScoringRules) -> dict[str, TypedCell]:
    """Return the cells, an only wind beside a score that is bust read as the seat that won it.

    It is the seat of that player all the same where the seats of the others are written as well and it is none of them,
    where it is the seat that follows from `order`, or where the rules do not ask who won.
    """
    open_ = {name for name, cell in cells.items() if cell.said.is_open and rules.is_bust(cell.score.points)}
    others = [cell.seat for name, cell in cells.items() if name not in open_ and cell.seat is not None]
    written = [cell.seat for cell in cells.values() if cell.seat is not None]
    if not rules.asks_busts or (others and len(set(written)) == len(written)):
        return dict(cells)
    return {
        name: replace(cell, said=cell.said.as_bust()) if name in open_ and cell.seat != order.index(name) else cell
        for name, cell in cells.items()
    }


def in_seats(fixed: Mapping[int, str], order: Sequence[str]) -> list[str]:
    """Return the fields of the cells by seat, first dealer first. `fixed` are those whose seat is written.

    Where these sit as in `order`, so do the others; else the others follow in that order into the seats that are left.
    """
    free = (name for name in order if name not in fixed.values())
    return [fixed.get(seat) or next(free) for seat in range(len(order))]
