"""The connection to PostgreSQL: nobody waits for a database that hangs."""

import select
import time
from typing import Any, TypeVar

import psycopg
from django.db import connections
from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import IsolationLevel
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout

from config.breaker import Breaker
from config.patience import Patience, having, present_patience

Value = TypeVar("Value")

PROBE = Patience(statement=1, lock=1, idle=1)

AT_ONCE = 1.0
"""Seconds within which a refused connection costs nobody anything."""


class PatientConnection(psycopg.Connection[Any]):
    """A connection that gives up once the server has been silent for longer than whoever asks can wait.

    What the server makes of the statement is unknown then, so the connection ends with it.
    """

    def wait(self, gen: PQGen[Value], interval: float = 0.1, timeout: float | None = None) -> Value:
        """Return what the server answers. Raises OperationalError if it does not in time."""
        patience = present_patience()
        if patience is None or timeout is not None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, patience.silence)
        except _WaitTimeout:
            self.pgconn.finish()
            error = psycopg.OperationalError(f"The database has said nothing for {patience.silence:g} seconds.")
            breaker.note(error, keeps_waiting=True)
            raise error from None


def _answers() -> bool:
    try:
        with having(PROBE):
            connection = PatientConnection.connect(**connections["default"].get_connection_params())
            try:
                connection.execute("SELECT 1")
            finally:
                connection.close()
    except psycopg.Error:
        return False
    return True


breaker = Breaker("The database", _answers)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own. A server that hangs up says so, and that lies in the socket: looking there costs no question."""

    def get_connection_params(self) -> dict[str, Any]:
        """Return what a connection is made with: the server is told how long it may take, unless a pooler is in between.

        A pooler would give the connection with its limits to somebody else; docs/operating.md says what to set there.
        """
        params = super().get_connection_params()
        patience = present_patience()
        if patience is not None and not self.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
            params["options"] = f"{params.get('options', '')} {_limits(patience)}".strip()
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> PatientConnection:
        """Return a connection. Raises OperationalError at once while the server is known to hang."""
        if breaker.is_open:
            message = "The database does not answer and is left alone for a moment."
            raise psycopg.OperationalError(message)
        self.isolation_level = IsolationLevel.READ_COMMITTED
        begun = time.monotonic()
        try:
            return PatientConnection.connect(**conn_params)
        except psycopg.OperationalError as error:
            breaker.note(error, keeps_waiting=time.monotonic() - begun > AT_ONCE)
            raise

    def is_usable(self) -> bool:
        """Return whether the server is still there; it is asked after an error, or where something unasked has come."""
        if breaker.is_open:
            return False
        if not self.errors_occurred and self._is_silent():
            return True
        return super().is_usable()

    def _is_silent(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        listening = select.poll()
        listening.register(self.connection.fileno(), select.POLLIN)
        # Errors and a hang-up are told, too, though nobody asks for them.
        return not listening.poll(0)


def _limits(patience: Patience) -> str:
    milliseconds = {
        "statement_timeout": patience.statement,
        "lock_timeout": patience.lock,
        "idle_in_transaction_session_timeout": patience.idle,
    }
    return " ".join(f"-c {name}={round(seconds * 1000)}" for name, seconds in milliseconds.items())
