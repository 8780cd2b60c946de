"""Whether an error of the database says that it is away or full now, or that something of ours is wrong."""

from django.db import InterfaceError, OperationalError

BUSY_SQLITE = frozenset({"BUSY", "LOCKED", "FULL", "IOERR", "CANTOPEN", "READONLY"})
"""How SQLite begins to say that the file cannot be read or written now; whatever else it says is a fault of ours."""

TOO_COMPLEX = "54"
"""How PostgreSQL begins to say that a statement is more than it can ever do: asking again helps nobody."""


def is_away(error: object) -> bool:
    """Return whether the same may go well in a moment: nobody answers, somebody else holds it, or there is no room."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    name = getattr(error.__cause__, "sqlite_errorname", None)
    if name is not None:
        return name.split("_")[1] in BUSY_SQLITE
    state = getattr(error.__cause__, "sqlstate", None) or ""
    return not state.startswith(TOO_COMPLEX)
