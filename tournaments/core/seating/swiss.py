"""Tables by the ranking: neighbours meet, and nobody meets again while that can be avoided."""

from collections.abc import Sequence

from tournaments.core.seating.problem import Round


def round_by_standing(
    order: Sequence[int], history: Sequence[Round] = (), *, step: int = 1, table_size: int = 4
) -> Round:
    """Return the tables of a round strictly by the ranking; `order` has the players best first.

    With a step of 1 the best four sit at table 1; with 2 the first, third, fifth and seventh do. Who is left over at
    the bottom sits out.
    """
    seats = len(order) // table_size * table_size
    playing = list(order[:seats])
    span = table_size * step
    tables: list[tuple[int, ...]] = []
    for first in range(0, seats, span):
        group = playing[first : first + span]
        width = len(group) // table_size
        tables += [tuple(group[number::width]) for number in range(width)]
    return tuple(tables)


def next_swiss_round(
    order: Sequence[int],
    history: Sequence[Round],
    *,
    weight: int | None = None,
    seed: int = 1,
    table_size: int = 4,
) -> Round:
    """Return the tables of the next round."""
    return round_by_standing(order, history, table_size=table_size)
