"""Changes that the torture makes to a site: shorter delays, and safeguards that can be disabled.

An app that only `tests.torture.settings` installs. Flags set while the site runs remove locks, double messages or kill
workers. The product itself has no switch to weaken it.
"""

import os
import re
import signal
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from celery.signals import task_postrun, task_prerun
from django.apps import AppConfig
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from kombu.messaging import Producer

LOCKS_OFF = "locks-off"
"""Run statements without their locking clause."""

RETAKE_OFF = "retake-off"
"""Disable the sweep for jobs whose worker is gone."""

TWICE = "twice"
"""Deliver every message twice."""

IN_TASK = "die-in-{}"
"""The next task with this name kills its process at the statement whose number is in the flag."""

BEFORE_ACK = "die-before-ack-of-{}"
"""The next task with this name kills its process when done, before its message is acknowledged."""


def is_set(name: str) -> bool:
    return Path(os.environ["TORTURE_FLAGS"], name).exists()


def taken(name: str) -> str | None:
    flag = Path(os.environ["TORTURE_FLAGS"], name)
    mine = flag.with_name(f"{name}-taken-{os.getpid()}")
    try:
        flag.rename(mine)
    except FileNotFoundError:
        return None
    said = mine.read_text("utf-8")
    mine.unlink()
    return said


class Altered(AppConfig):
    name = "tests.torture.altered"
    label = "torture_altered"

    def ready(self) -> None:
        _hurry()
        _double_messages()
        task_prerun.connect(_begins, weak=False)
        task_postrun.connect(_is_done, weak=False)
        connection_created.connect(_stand_around, dispatch_uid="torture")


def _hurry() -> None:
    from league import background
    from league.services import jobs

    background.SWEEP_EVERY = 2.0
    vars(jobs).update(LOST_AFTER=timedelta(seconds=6), SILENT_AFTER=timedelta(seconds=15))
    sweep = jobs.sweep

    def sweep_unless_off() -> None:
        if not is_set(RETAKE_OFF):
            sweep()

    jobs.sweep = sweep_unless_off


def _double_messages() -> None:
    """While the flag is set, publish messages twice and run embedded tasks twice."""
    from league import background

    publish, run_here = Producer.publish, background.run_here

    def publish_twice(producer: Any, *args: Any, **named: Any) -> Any:
        _twice(partial(publish, producer, *args, **named))

    def run_twice(message: background.Message) -> None:
        _twice(partial(run_here, message))

    setattr(Producer, "publish", publish_twice)  # noqa: B010 - a method of a class with types
    background.run_here = run_twice


def _twice(do: partial[Any]) -> None:
    do()
    if is_set(TWICE):
        do()


LOCK = re.compile(
    r"\s+FOR\s+(NO\s+KEY\s+UPDATE|KEY\s+SHARE|UPDATE|SHARE)(\s+OF\s+[\w\".,\s]+?)?(?=\s*(;|\)|$))", re.IGNORECASE
)
_task = threading.local()


def _begins(task: Any, **_: object) -> None:
    said = taken(IN_TASK.format(task.name))
    _task.statements_left = None if said is None else int(said)


def _is_done(task: Any, **_: object) -> None:
    is_late = getattr(_task, "statements_left", None) is not None
    if is_late or taken(BEFORE_ACK.format(task.name)) is not None:
        os.kill(os.getpid(), signal.SIGKILL)


def _stand_around(connection: BaseDatabaseWrapper, **_: object) -> None:
    if _altered not in connection.execute_wrappers:
        connection.execute_wrappers.append(_altered)


def _altered(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    left = getattr(_task, "statements_left", None)
    if left is not None:
        _task.statements_left = left - 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
    return execute(LOCK.sub("", sql) if is_set(LOCKS_OFF) else sql, params, many, context)
