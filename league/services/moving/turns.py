"""One process at a time moves a league: whoever does so has a lock at home, in a transaction that lasts as long."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DatabaseError, InterfaceError, connections

from league.databases import HOME

LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('tenbo.move', %s))"


class TurnTakenError(Exception):
    """Somebody else is moving the league."""


class TurnLostError(Exception):
    """The home database hung up, so that somebody else may be moving the league by now."""


class MoveTurn:
    """That nobody else moves a league, as long as its transaction lasts: no pooler gives its connection to others."""

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
def turn_of(league: int) -> Iterator[MoveTurn]:
    """Have nobody else move a league meanwhile. Raises TurnTakenError."""
    connection = connections[HOME].copy()
    try:
        connection.set_autocommit(False)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute(LOCK, [league])
            if not cursor.fetchone()[0]:
                raise TurnTakenError
        yield MoveTurn(connection)
    finally:
        connection.close()
