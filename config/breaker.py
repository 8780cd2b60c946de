"""Leaves a server alone that does not answer: whoever needs it is told so at once, and nobody waits for it again.

While a server is away a thread asks it now and then, so that no visitor pays for finding out. The log has one line when it
goes and one when it comes back.
"""

import logging
import os
import threading
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

LEAST_PAUSE = 0.5
MOST_PAUSE = 5.0
"""Seconds between two questions. One that answers a greeting and then hangs again is asked ever more rarely."""

LASTING = 10.0
"""Seconds after which a server that came back counts as well."""


class Breaker:
    """Knows whether a server is away. `answers` asks it, in a thread, and must come back by itself.

    Of a server that refuses at once the log is told, but everybody may go on asking: that costs nothing, and those who are
    connected already may be served. One that keeps people waiting is left alone.
    """

    def __init__(self, name: str, answers: Callable[[], bool]) -> None:
        self._name = name
        self._answers = answers
        self._forget()
        # The thread that asks does not go along into another process.
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._is_away = self._is_open = False
        self._pause = LEAST_PAUSE
        self._came_back_at = float("-inf")

    @property
    def is_open(self) -> bool:
        """Whether the server is to be left alone now."""
        return self._is_open

    def note(self, error: Exception, *, keeps_waiting: bool) -> None:
        """Take note that the server did not answer somebody."""
        with self._lock:
            self._is_open |= keeps_waiting
            if self._is_away:
                return
            self._is_away = True
            is_back_for_long = time.monotonic() - self._came_back_at > LASTING
            self._pause = LEAST_PAUSE if is_back_for_long else min(2 * self._pause, MOST_PAUSE)
        logger.error("%s does not answer: %s", self._name, _line(error))
        threading.Thread(target=self._ask, name=f"tenbo-asks-{self._name}", daemon=True).start()

    def _ask(self) -> None:
        time.sleep(self._pause)
        while not self._answers():
            time.sleep(max(1.0, self._pause))
        with self._lock:
            self._is_away = self._is_open = False
            self._came_back_at = time.monotonic()
        logger.warning("%s answers again.", self._name)


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
