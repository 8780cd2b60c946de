"""Sends tasks to Celery: through Redis if available, else to a thread of this process.

Messages are hints. The work is recorded in the database (stale boards, jobs), so a lost message only causes a delay
until the sweep.
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

from league.selectors.away import is_away

logger = logging.getLogger(__name__)

SWEEP_EVERY = 60.0
"""Seconds between two sweeps of the embedded worker; with Redis, beat does it."""

LEFT_ALONE = 5.0
"""Seconds without messages to a broker that did not respond."""

RETIRES_WITHIN = 60.0
"""Seconds for which the end of the embedded worker is waited for."""


@dataclass(frozen=True, slots=True)
class Message:
    task: str
    args: tuple[object, ...] = ()

    def __str__(self) -> str:
        return f"{self.task}{self.args!r}"


def send(task: str, *args: object) -> None:
    """Have the named task run with these arguments once the present transaction is committed."""
    transaction.on_commit(partial(_dispatch, Message(task, args)))


_is_unsent = ContextVar("tenbo_unsent", default=False)


@contextmanager
def unsent() -> Iterator[None]:
    """Send no messages in this block: a command that ends soon does the work itself instead of leaving it behind."""
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
            logger.warning("The broker does not answer, the sweep will find what is to be done: %s", error)


class _EmbeddedWorker:
    """One daemon thread that runs tasks, quick ones first, and sweeps now and then; begun on first use, and again after a fork."""

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
        """Wait until everything that was put is done, by others or by the tasks themselves, and the thread is gone."""
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
        """Return whether nothing was put behind the wish to retire; else the wish is put behind that."""
        with self._lock:
            if self._tasks.empty():
                self._thread = None
                return True
            self._tasks.put((_turn(None), next(self._count), None))
            return False


def _turn(message: Message | None) -> int:
    """Return when the embedded worker does something: quick work before long work, and going home last."""
    return 2 if message is None else int(message.task in settings.LONG_WORK)


def sweep() -> None:
    for task in settings.SWEEPS:
        _embedded.put(Message(task))


def wake() -> None:
    """Make the embedded worker sweep now and regularly; with Redis, beat does this."""
    if settings.REDIS_URL:
        # Import the Redis client before the first result needs it.
        _ = current_app.producer_pool
    else:
        sweep()


def retire() -> None:
    """Let the embedded worker finish and stop. Raises TimeoutError."""
    _embedded.retire()


def run_here(message: Message) -> None:
    """Run a task in this thread; a task that fails is logged and leaves the next ones alone."""
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
