"""Whether an error of the database says that it is away or full now, or that something of ours is wrong."""

from django.db import DatabaseError, InterfaceError, OperationalError

BUSY_SQLITE = frozenset({"BUSY", "LOCKED", "FULL", "IOERR", "CANTOPEN", "READONLY"})
"""SQLite errors that mean the file is busy; any other is our fault."""

TOO_COMPLEX = "54"
"""PostgreSQL errors that a retry cannot solve."""

NOT_NOW = frozenset({"25006", "25P03", "25P04"})
"""How PostgreSQL says that it only reads (it follows another server, or is kept from writing), or ended a transaction
that took too long. The driver counts that among faults of the server itself, which stay: broken files, XX001."""


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
