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

AT_ONCE = 1.0
"""Seconds within which a server that refuses costs nobody anything."""

LASTING = 10.0
"""Seconds after which a server that came back counts as well."""


class Breaker:
    """Knows whether a server is away. `answers` asks it, in a thread, and must come back by itself.

    Of a server that refuses at once the log is told, but everybody may go on asking: that costs nothing, and those who are
    connected already may be served. One that keeps people waiting is left alone. Whoever does not know whether it is the
    server or their own question that takes so long doubts first.
    """

    def __init__(self, name: str, answers: Callable[[], bool]) -> None:
        self._name = name
        self._answers = answers
        self._forget()
        # The thread that asks does not go along into another process.
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._doubt: threading.Event | None = None
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
        if not self._begins(self._ask):
            # Nobody would find out that it is back.
            with self._lock:
                self._is_away = self._is_open = False

    def doubt(self, error: Exception) -> threading.Event:
        """Have the server asked, once for everybody who doubts now; take note of `error` if that keeps waiting, too.

        What comes back is set when that is known.
        """
        with self._lock:
            if self._doubt is not None:
                return self._doubt
            known = threading.Event()
            if self._is_open:
                known.set()
                return known
            self._doubt = known
        if not self._begins(lambda: self._settle(known, error)):
            self._end_doubt(known)
        return known

    def _settle(self, known: threading.Event, error: Exception) -> None:
        begun = time.monotonic()
        if not self._is_answered() and time.monotonic() - begun > AT_ONCE:
            self.note(error, keeps_waiting=True)
        self._end_doubt(known)

    def _end_doubt(self, known: threading.Event) -> None:
        with self._lock:
            self._doubt = None
        known.set()

    def _begins(self, work: Callable[[], None]) -> bool:
        try:
            threading.Thread(target=work, name=f"tenbo-asks-{self._name}", daemon=True).start()
        except (RuntimeError, MemoryError):
            logger.warning("There is no thread to ask %s; everybody goes on asking.", self._name)
            return False
        return True

    def _ask(self) -> None:
        time.sleep(self._pause)
        while not self._is_answered():
            time.sleep(max(1.0, self._pause))
        with self._lock:
            self._is_away = self._is_open = False
            self._came_back_at = time.monotonic()
        logger.warning("%s answers again.", self._name)

    def _is_answered(self) -> bool:
        try:
            return self._answers()
        except Exception as error:  # noqa: BLE001 - whatever it was, the next question may be answered
            logger.warning("%s could not be asked: %s", self._name, _line(error))
            return False


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
