"""Tells temporary database errors (unreachable, busy, full) from bugs."""

from django.db import DatabaseError, InterfaceError, OperationalError

BUSY_SQLITE = frozenset({"BUSY", "LOCKED", "FULL", "IOERR", "CANTOPEN", "READONLY"})
"""SQLite errors that are temporary; any other is a bug."""

TOO_COMPLEX = "54"
"""Class of PostgreSQL errors (program limit exceeded) that a retry cannot solve."""

NOT_NOW = frozenset({"25006", "25P03", "25P04"})
"""PostgreSQL errors outside OperationalError that are temporary: read-only transactions, and transaction timeouts.

psycopg counts them as internal errors, most of which are permanent (such as XX001, data corrupted).
"""


def is_away(error: object) -> bool:
    """Return whether an error is temporary: connection lost, locked, or too many connections."""
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    state = getattr(error.__cause__, "sqlstate", None) or ""
    if not isinstance(error, OperationalError | InterfaceError):
        return state in NOT_NOW
    name = getattr(error.__cause__, "sqlite_errorname", None)
    if name is not None:
        return name.split("_")[1] in BUSY_SQLITE
    return not state.startswith(TOO_COMPLEX)
