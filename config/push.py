"""Tells nchan in an edge that a channel has another version. Nobody waits: a thread of its own does it, and may fail.

Of one channel only the newest version is told. One that does not answer is left alone until it does (config/breaker.py);
what was to be told meanwhile is told then, as the newest version of each channel.
"""

import json
import logging
import os
import threading
import time
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from django.conf import settings

from config.breaker import Breaker

logger = logging.getLogger(__name__)

PATIENCE = 0.3
"""Seconds for which an answer is waited for."""

MOST_WAITING = 10_000
"""Channels whose versions wait at most; pages of others find out by asking."""

ASKED = "answers"
"""A channel on which nobody listens: whether the publisher answers is asked by telling it something."""

AWAY = (HTTPException, OSError)
"""What says that the publisher did not take something."""

LOOK_EVERY = 0.5
"""Seconds between two looks whether a publisher that was left alone answers again."""


class Publisher:
    """Tells versions in the order in which they come, in a daemon thread that is begun on first use and after a fork."""

    def __init__(self) -> None:
        self.breaker = Breaker("The publisher", _answers)
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._changed = threading.Condition()
        self._waiting: dict[str, str] = {}
        self._thread: threading.Thread | None = None

    def publish(self, channel: str, version: str) -> None:
        """Have whoever listens told. Comes back at once, whatever becomes of it."""
        with self._changed:
            if channel in self._waiting or len(self._waiting) < MOST_WAITING:
                self._waiting[channel] = version
            if self._thread is None or not self._thread.is_alive():
                self._begin()
            self._changed.notify()

    def _begin(self) -> None:
        self._thread = threading.Thread(target=self._work, name="tenbo-push", daemon=True)
        try:
            self._thread.start()
        except (RuntimeError, MemoryError):
            logger.warning("There is no thread to tell open pages of something new; they find out by asking.")
            self._thread = None

    def _work(self) -> None:
        while True:
            with self._changed:
                while self.breaker.is_open or not self._waiting:
                    self._changed.wait(LOOK_EVERY if self.breaker.is_open else None)
                channel = next(iter(self._waiting))
                version = self._waiting.pop(channel)
            try:
                post(channel, version)
            except AWAY as error:
                with self._changed:
                    self._waiting.setdefault(channel, version)
                self.breaker.note(error, keeps_waiting=True)
                # Also where there is no thread that could find out when it is back.
                time.sleep(LOOK_EVERY)


def _answers() -> bool:
    try:
        post(ASKED, "")
    except AWAY:
        return False
    return True


def post(channel: str, version: str) -> None:
    """Have the publisher take a version. Raises OSError or HTTPException where it does not."""
    address = urlsplit(settings.PUSH_URL)
    connection = HTTPConnection(address.hostname or "127.0.0.1", address.port or 80, timeout=PATIENCE)
    try:
        body = json.dumps({"version": version})
        connection.request("POST", f"{address.path.rstrip('/')}/{channel}", body, {"Content-Type": "application/json"})
        status = connection.getresponse().status
    finally:
        connection.close()
    if status not in {HTTPStatus.CREATED, HTTPStatus.ACCEPTED}:
        message = f"it answered {status}"
        raise HTTPException(message)


_publisher = Publisher()
publish = _publisher.publish
