"""Tables that stay together for a whole session, and the winds inside them."""

from tournaments.core.seating.problem import Round, Table, Wishes
from tournaments.core.seating.seat import seat

FOUR = (
    ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 1, 0), (3, 2, 0, 1)),
    ((0, 2, 1, 3), (3, 1, 2, 0), (1, 3, 0, 2), (2, 0, 3, 1)),
)
"""Latin squares of four hanchan: everybody sits once on each wind, and the neighbours change."""

THREE = (((0, 1, 2), (1, 2, 0), (2, 0, 1)), ((0, 2, 1), (2, 1, 0), (1, 0, 2)))


def session_tables(
    players: int, sessions: int, *, table_size: int = 4, seed: int = 1, wishes: Wishes | None = None
) -> tuple[Round, ...]:
    """Return the tables of each session, for players who keep their table all session.

    Who shares a table meets in every hanchan of the session, so the session is what is dealt evenly. Eight players in
    two sessions meet five others each, one of them twice. Raises SeatingError.
    """
    return seat(players, sessions, table_size=table_size, seed=seed, wishes=wishes).rounds


def rotate_winds(table: Table, hanchan: int) -> tuple[Table, ...]:
    """Return the seats of each hanchan at a table that stays together, East first.

    After every four hanchan (three at a table of three) each player has had each wind once.
    """
    squares = THREE if len(table) == len(THREE[0]) else FOUR
    size = len(squares[0])
    orders = [squares[number // size % len(squares)][number % size] for number in range(hanchan)]
    return tuple(tuple(table[place] for place in order) for order in orders)
