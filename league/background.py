"""Queues tasks: through Celery and Redis if configured, else in a thread of this process.

Messages are only hints: the work to do is recorded in the database (stale boards, jobs), so a lost message only delays
it until the next sweep.
"""

import logging
import os
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import count

from celery import Task, current_app
from django.conf import settings
from django.db import close_old_connections, connections, transaction
from kombu.exceptions import OperationalError as BrokerAwayError

from league.database_errors import is_away

logger = logging.getLogger(__name__)

SWEEP_EVERY = 60.0
"""Seconds between sweeps of the embedded worker; with Redis, Celery beat sends them."""

LEFT_ALONE = 5.0
"""Seconds without further attempts after the broker did not respond."""

RETIRES_WITHIN = 60.0
"""Seconds to wait for the embedded worker to finish."""


@dataclass(frozen=True, slots=True)
class Message:
    task: str
    args: tuple[object, ...] = ()

    def __str__(self) -> str:
        return f"{self.task}{self.args!r}"


def send(task: str, *args: object) -> None:
    """Queue a task when the current transaction is committed."""
    transaction.on_commit(partial(_dispatch, Message(task, args)))


_is_unsent = ContextVar("tenbo_unsent", default=False)


@contextmanager
def unsent() -> Iterator[None]:
    """Send no messages in this block, for commands that do the work themselves."""
    token = _is_unsent.set(True)
    try:
        yield
    finally:
        _is_unsent.reset(token)


def _dispatch(message: Message) -> None:
    if not _is_unsent.get():
        (_broker if settings.REDIS_URL else _embedded).put(message)


class _Broker:
    left_alone_until = 0.0

    def put(self, message: Message) -> None:
        if time.monotonic() < self.left_alone_until:
            return
        try:
            current_app.send_task(message.task, args=message.args)
        except (BrokerAwayError, OSError) as error:
            self.left_alone_until = time.monotonic() + LEFT_ALONE
            logger.warning("The broker does not respond; the sweep will find the work later: %s", error)


class _EmbeddedWorker:
    """A daemon thread that runs tasks, short ones first, and sweeps regularly.

    It is started on first use, and again after a fork.
    """

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._tasks: queue.PriorityQueue[tuple[int, int, Message | None]] = queue.PriorityQueue()
        self._count = count()
        self._thread: threading.Thread | None = None

    def put(self, message: Message | None) -> None:
        with self._lock:
            self._tasks.put((_turn(message), next(self._count), message))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="tenbo-background", daemon=True)
                self._thread.start()

    def retire(self) -> None:
        """Wait until all tasks, including those queued by tasks, are done and the thread has ended. Raise TimeoutError."""
        thread = self._thread
        if thread is not None:
            self.put(None)
            thread.join(RETIRES_WITHIN)
            if thread.is_alive():
                raise TimeoutError

    def _work(self) -> None:
        next_sweep = time.monotonic() + SWEEP_EVERY
        try:
            while True:
                try:
                    *_, message = self._tasks.get(timeout=max(0.0, next_sweep - time.monotonic()))
                except queue.Empty:
                    next_sweep = time.monotonic() + SWEEP_EVERY
                    sweep()
                    continue
                if message is not None:
                    run_here(message)
                elif self._may_go():
                    return
        finally:
            connections.close_all()

    def _may_go(self) -> bool:
        """Return whether the queue is empty; otherwise queue the request to retire again, behind the new tasks."""
        with self._lock:
            if self._tasks.empty():
                self._thread = None
                return True
            self._tasks.put((_turn(None), next(self._count), None))
            return False


def _turn(message: Message | None) -> int:
    """Return the priority of a message: short tasks before long ones, retiring last."""
    return 2 if message is None else int(message.task in settings.LONG_WORK)


def sweep() -> None:
    for task in settings.SWEEPS:
        _embedded.put(Message(task))


def wake() -> None:
    """Make the embedded worker sweep now, and regularly from then on; with Redis, beat does this."""
    if settings.REDIS_URL:
        # Imports the Redis client now, not with the first result.
        _ = current_app.producer_pool
    else:
        sweep()


def retire() -> None:
    """Let the embedded worker finish all tasks and stop. Raise TimeoutError."""
    _embedded.retire()


def run_here(message: Message) -> None:
    """Run a task in this thread; if it fails, the error is only logged."""
    current_app.loader.import_default_modules()
    task: Task[..., object] = current_app.tasks[message.task]
    close_old_connections()
    try:
        outcome = task.apply(args=message.args)
        if is_away(outcome.result):
            logger.warning("Background task %s waits for the database: %s", message, outcome.result)
        elif outcome.failed():
            logger.error("Background task %s failed: %s", message, outcome.traceback)
    finally:
        close_old_connections()


_broker, _embedded = _Broker(), _EmbeddedWorker()
