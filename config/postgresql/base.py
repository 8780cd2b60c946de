"""Django's PostgreSQL connection with a client-side timeout for a server that does not respond at all."""

from functools import partial
from typing import Any, TypeVar

import psycopg
from django.db.backends.postgresql import base
from psycopg.abc import PQGen
from psycopg.errors import _WaitTimeout

Value = TypeVar("Value")


class DatabaseWrapper(base.DatabaseWrapper):
    """Adds the option `silence`: client-side timeout in seconds, for a server too broken for `statement_timeout`."""

    def get_connection_params(self) -> dict[str, Any]:
        params = super().get_connection_params()
        self.silence: float | None = params.pop("silence", None)
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> psycopg.Connection[Any]:
        connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        if self.silence is not None:
            connection.wait = partial(_wait, connection, self.silence)  # type: ignore[method-assign]
        return connection


def _wait(
    connection: psycopg.Connection[Any],
    silence: float,
    gen: PQGen[Value],
    interval: float = 0.1,
    timeout: float | None = None,
) -> Value:
    """Wait for the server.

    Raise OperationalError after `silence` seconds; the outcome of the statement is then unknown.
    """
    try:
        return psycopg.Connection.wait(connection, gen, interval, silence if timeout is None else timeout)
    except _WaitTimeout:
        if timeout is not None:
            raise
        connection.pgconn.finish()
        raise psycopg.OperationalError(f"The database has not responded for {silence:g} seconds.") from None
