"""One league at a time is moved, by one process: it has a lock at home, in a transaction that lasts as long.

Two at a time would give keys in no order, and may wait for each other on two servers, of which neither sees it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError, InterfaceError, connections

from league.databases import HOME

LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('tenbo.move', 0))"

NOTICED_GONE = (
    "SET LOCAL tcp_keepalives_idle = 10; SET LOCAL tcp_keepalives_interval = 5; SET LOCAL tcp_keepalives_count = 3"
)
"""A mover whose machine is gone says nothing: the server finds out within half a minute, and undoes what it had begun."""


class TurnTakenError(Exception):
    """Somebody else is moving a league."""


class TurnLostError(Exception):
    """The home database hung up, so that somebody else may be moving a league by now."""


class MoveTurn:
    """That nobody else moves any league, as long as its transaction lasts: no pooler gives its connection to others."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def check(self) -> None:
        """Raise TurnLostError if it does not hold any more."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except (DatabaseError, InterfaceError) as error:
            raise TurnLostError(str(error)) from error


@contextmanager
def move_turn() -> Iterator[MoveTurn]:
    """Have nobody else move a league meanwhile. Raises TurnTakenError."""
    connection = connections[HOME].copy()
    try:
        connection.set_autocommit(False)
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL idle_in_transaction_session_timeout = 0; {NOTICED_GONE}")
            cursor.execute(LOCK)
            if not cursor.fetchone()[0]:
                raise TurnTakenError
        yield MoveTurn(connection)
    finally:
        connection.close()
