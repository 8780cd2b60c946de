"""Fixed tables: the same players stay together for a whole session and only change their winds."""

from collections.abc import Iterable, Sequence

from tournaments.core.seating.problem import Round, SeatingError, Table, Wishes
from tournaments.core.seating.seat import PROPOSALS, seat

_TURNS = {
    4: ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 1, 0), (3, 2, 0, 1)),
    3: ((0, 1, 2), (1, 2, 0), (2, 0, 1)),
}
"""The seat order of one hanchan after another: everybody sits once on every wind.

With four players everybody sits right behind everybody else once or twice, which going round would not give.
"""

_ORDERS = {
    4: ((0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2)),
    3: ((0, 1, 2), (0, 2, 1)),
}
"""Who takes part as whom in further cycles, so that after all of them everybody has followed everybody equally often."""


def session_tables(
    players: int,
    sessions: int,
    *,
    table_size: int = 4,
    seed: int = 1,
    history: Sequence[Iterable[Iterable[int]]] = (),
    proposals: int = PROPOSALS,
) -> tuple[Round, ...]:
    """Return the tables of every session; their players in the seat order of the first hanchan.

    What is made even is how many sessions two players share, so all bounds hold with sessions for rounds. `history`:
    the tables of earlier sessions, in any order of seats. Raises SeatingError like `seat`.
    """
    before = tuple(tuple(tuple(sorted(table)) for table in tables) for tables in history)
    wishes = Wishes(history=before)
    return seat(players, sessions, table_size=table_size, seed=seed, wishes=wishes, proposals=proposals).rounds


def rotate_winds(table: Table, hanchan: int) -> tuple[Table, ...]:
    """Return the seat order of each hanchan at one table, East first: each wind once in as many hanchan as players."""
    if len(table) not in _TURNS or hanchan < 0:
        message = "Three or four players change their winds, hanchan by hanchan."
        raise SeatingError(message)
    turns, orders = _TURNS[len(table)], _ORDERS[len(table)]
    rounds = []
    for number in range(hanchan):
        cycle, turn = divmod(number, len(turns))
        order = orders[cycle % len(orders)]
        rounds.append(tuple(table[order[place]] for place in turns[turn]))
    return tuple(rounds)
