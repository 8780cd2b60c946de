"""The connection to PostgreSQL: nobody waits for a database that hangs."""

import logging
import select
import time
from contextlib import suppress
from functools import cache, partial
from typing import Any, TypeVar

import psycopg
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import IsolationLevel
from django.db.backends.utils import CursorDebugWrapper, CursorWrapper
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout
from psycopg.pq import TransactionStatus
from psycopg.waiting import READY_NONE

from config.breaker import AT_ONCE, Breaker
from config.patience import Patience, having, present_patience

Value = TypeVar("Value")

logger = logging.getLogger(__name__)

REPLICA = "replica"
"""What a standby is called in the settings."""

PROBE = Patience(statement=1, lock=1, idle=1)

PROBE_CONNECT_TIMEOUT = 2
"""Seconds; the drivers know no less."""

DOUBT = 2.0
"""Seconds before somebody would give up in which a new connection finds out whether the server answers at all."""

KNOWN_SOON = 0.5
"""Seconds that whoever gives up waits for what the new connection has found."""


class PatientConnection(psycopg.Connection[Any]):
    """A connection that gives up once the server has been silent for longer than whoever asks can wait.

    What the server makes of the statement is unknown then, so the connection ends with it. `statements`: how many the next
    message holds; the server gives each of them its time. `replayed`: how far a standby has got that was asked on it.
    """

    statements = 1
    replayed = 0
    breaker: Breaker

    def wait(self, gen: PQGen[Value], interval: float = 0.1, timeout: float | None = None) -> Value:
        """Return what the server answers. Raises OperationalError if it does not in time."""
        patience = present_patience()
        if patience is None or timeout is not None:
            return super().wait(gen, interval, timeout)
        before = max(patience.silence - DOUBT, patience.silence / 3)
        try:
            return super().wait(gen, interval, before)
        except _WaitTimeout:
            return self._wait_in_doubt(_resumed(gen), interval, patience, before)

    def _wait_in_doubt(self, gen: PQGen[Value], interval: float, patience: Patience, before: float) -> Value:
        error = psycopg.OperationalError(f"The database has said nothing for {patience.silence:g} seconds.")
        known = self.breaker.doubt(error)
        try:
            return super().wait(gen, interval, patience.silence - before)
        except _WaitTimeout:
            known.wait(KNOWN_SOON)
        more = 0 if patience.hurry or self.breaker.is_open else (self.statements - 1) * patience.statement
        with suppress(_WaitTimeout):
            if more:
                return super().wait(_resumed(gen), interval, more)
        self.pgconn.finish()
        if not self.breaker.is_open:
            logger.warning("The database says nothing more on one connection, which was given up.")
        raise error


def _resumed(gen: PQGen[Value]) -> PQGen[Value]:
    """Return the rest of what was waited for: nothing has come so far."""
    try:
        wanted = gen.send(READY_NONE)
        while True:
            ready = yield wanted
            wanted = gen.send(ready)
    except StopIteration as end:
        value: Value = end.value
        return value


class _Probe(psycopg.Connection[Any]):
    """A connection that finds out whether the server answers anybody."""

    def wait(self, gen: PQGen[Value], interval: float = 0.1, timeout: float | None = None) -> Value:
        return super().wait(gen, interval, PROBE.silence if timeout is None else timeout)


def _answers(alias: str) -> bool:
    try:
        with having(PROBE):
            asked = connections[alias].get_connection_params() | {"connect_timeout": PROBE_CONNECT_TIMEOUT}
        connection = _Probe.connect(**asked)
        try:
            # A standby that was promoted is none any more.
            found = connection.execute("SELECT pg_is_in_recovery()" if alias == REPLICA else "SELECT true").fetchone()
        finally:
            connection.close()
    except (psycopg.Error, _WaitTimeout):
        return False
    return bool(found and found[0])


@cache
def breaker_of(alias: str) -> Breaker:
    """Return the breaker of a database of the settings: each of them is left alone for itself."""
    name = {DEFAULT_DB_ALIAS: "The database", REPLICA: "The standby"}.get(alias, f"The database {alias}")
    return Breaker(name, partial(_answers, alias))


breaker = breaker_of(DEFAULT_DB_ALIAS)

LEFT_ALONE = "The database does not answer and is left alone for a moment."


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own. A server that hangs up says so, and that lies in the socket: looking there costs no question."""

    def __init__(self, settings_dict: dict[str, Any], alias: str = DEFAULT_DB_ALIAS) -> None:
        super().__init__(settings_dict, alias)
        self.breaker = breaker_of(alias)

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
        if self.breaker.is_open:
            raise psycopg.OperationalError(LEFT_ALONE)
        self.isolation_level = IsolationLevel.READ_COMMITTED
        begun = time.monotonic()
        try:
            connection = PatientConnection.connect(**conn_params)
        except psycopg.OperationalError as error:
            self.breaker.note(error, keeps_waiting=time.monotonic() - begun > AT_ONCE)
            raise
        connection.breaker = self.breaker
        return connection

    def is_usable(self) -> bool:
        """Return whether the server is still there; it is asked after an error, or where something unasked has come."""
        if self.breaker.is_open:
            # Whoever was served on it until now is served on it again.
            return self._is_silent() and self._is_idle()
        if not self.errors_occurred and self._is_silent():
            return True
        with having(present_patience() or PROBE):
            return super().is_usable()

    def make_cursor(self, cursor: Any) -> CursorWrapper:
        """Return a cursor. Raises OperationalError at once while the server is known to hang."""
        self._must_be_answered()
        return super().make_cursor(cursor)

    def make_debug_cursor(self, cursor: Any) -> CursorDebugWrapper:
        """Return a cursor that remembers its statements. Raises OperationalError as the other one does."""
        self._must_be_answered()
        return super().make_debug_cursor(cursor)

    def _must_be_answered(self) -> None:
        """Whoever has begun something may still find the end of it."""
        if self.breaker.is_open and self._is_idle():
            raise OperationalError(LEFT_ALONE)

    def _is_idle(self) -> bool:
        return self.connection is not None and self.connection.info.transaction_status == TransactionStatus.IDLE

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
