"""Hands work to Celery: over Redis when there is one, else to threads of this process, one for each of Celery's queues.

A message is only a hint. What must be done stands in the database (stale periods, jobs), so a message that is lost
with its broker or its process costs time, never a result: the sweep finds what was left. So one is enough while it waits.
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

from celery import Task, current_app
from django.conf import settings
from django.db import close_old_connections, connections, transaction
from kombu.exceptions import OperationalError as BrokerAwayError

from league.selectors.away import is_away

logger = logging.getLogger(__name__)

SWEEP_TASK = "league.sweep_stale_periods"
SWEEP_EVERY = 60.0
"""Seconds between two sweeps of the embedded worker; with Redis, beat does it."""


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


@dataclass(frozen=True, slots=True)
class Message:
    """The name of a task and its arguments."""

    task: str
    args: tuple[object, ...] = ()

    def __str__(self) -> str:
        return f"{self.task}{self.args!r}"


def _dispatch(message: Message) -> None:
    if _is_unsent.get():
        return
    (_broker if settings.REDIS_URL else _embedded[queue_of(message.task)]).put(message)


def queue_of(task: str) -> str:
    """Return the name of the queue in which a task waits: long work never stands before quick work."""
    route: dict[str, str] = settings.CELERY_TASK_ROUTES.get(task, {})
    return route.get("queue", settings.CELERY_TASK_DEFAULT_QUEUE)


def wake() -> None:
    """Have the embedded worker look now, and from now on, for what a crash left behind; with Redis, beat does it."""
    if not settings.REDIS_URL:
        _embedded[queue_of(SWEEP_TASK)].put(Message(SWEEP_TASK))


RETIRES_WITHIN = 60.0
"""Seconds for which the end of an embedded worker's thread is waited for."""


class _Broker:
    """Redis through Celery, which notices one that does not answer and leaves it alone (config/celery.py)."""

    def put(self, message: Message) -> None:
        try:
            current_app.send_task(message.task, args=message.args, unless_waiting=True)
        except (BrokerAwayError, OSError) as error:
            logger.debug("The broker did not take %s, the sweep will find it: %s", message, error)


class _EmbeddedWorker:
    """One daemon thread that runs the tasks of a queue in order; begun on first use, begun anew after a fork."""

    def __init__(self, name: str, *, sweeps: bool) -> None:
        self._name = f"tenbo-background-{name}"
        self._sweeps = sweeps
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._tasks: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._waiting: set[Message] = set()
        self._thread: threading.Thread | None = None

    def put(self, message: Message) -> None:
        with self._lock:
            if message not in self._waiting:
                self._waiting.add(message)
                self._tasks.put(message)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()

    @property
    def is_working(self) -> bool:
        """Whether there is a thread, which may have something to do."""
        with self._lock:
            return self._thread is not None and self._thread.is_alive()

    def retire(self) -> None:
        """Wait until everything that was put is done, by others or by the tasks themselves, and the thread is gone."""
        with self._lock:
            thread = self._thread
            if thread is not None and thread.is_alive():
                self._tasks.put(None)
        if thread is not None:
            thread.join(RETIRES_WITHIN)
            if thread.is_alive():
                raise TimeoutError

    def _work(self) -> None:
        try:
            next_sweep = time.monotonic() + SWEEP_EVERY
            while True:
                try:
                    pause = max(0.0, next_sweep - time.monotonic()) if self._sweeps else None
                    message = self._tasks.get(timeout=pause)
                except queue.Empty:
                    next_sweep = time.monotonic() + SWEEP_EVERY
                    message = Message(SWEEP_TASK)
                if message is not None:
                    with self._lock:
                        self._waiting.discard(message)
                    run_here(message)
                elif self._may_go():
                    return
        finally:
            connections.close_all()

    def _may_go(self) -> bool:
        """Return whether nothing was put behind the wish to retire; else the wish is put behind that."""
        with self._lock:
            if not self._tasks.empty():
                self._tasks.put(None)
                return False
            self._thread = None
            return True


def retire() -> None:
    """Let the embedded worker finish what was sent and end. Raises TimeoutError if that takes too long."""
    # What one queue's last task sends to another begins that one anew.
    while any(worker.is_working for worker in _embedded.values()):
        for worker in _embedded.values():
            worker.retire()


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


_broker = _Broker()
_embedded = {name: _EmbeddedWorker(name, sweeps=name == queue_of(SWEEP_TASK)) for name in settings.CELERY_TASK_QUEUES}
