"""The connection to PostgreSQL."""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own. A server that hangs up says so, and that lies in the socket: looking there costs no question."""

    def is_usable(self) -> bool:
        """Return whether the server is still there; it is asked after an error, or where something unasked has come."""
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
