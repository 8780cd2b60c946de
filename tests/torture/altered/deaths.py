"""Points at which a task worker dies: at a statement of its task, or done but not yet acknowledged."""

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

from celery.signals import task_postrun, task_prerun
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tests.torture.altered import flags

_task = threading.local()


def install() -> None:
    """Listen to the worker and to its statements."""
    task_prerun.connect(_begins, weak=False)
    task_postrun.connect(_is_done, weak=False)
    connection_created.connect(_count_statements, dispatch_uid="torture-deaths")


def _begins(task: Any, **_: object) -> None:
    said = flags.taken(flags.IN_TASK.format(task.name))
    _task.statements_left = None if said is None else int(said)


def _is_done(task: Any, **_: object) -> None:
    if (
        getattr(_task, "statements_left", None) is not None
        or flags.taken(flags.BEFORE_ACK.format(task.name)) is not None
    ):
        _die()


def _count_statements(connection: BaseDatabaseWrapper, **_: object) -> None:
    if _counted not in connection.execute_wrappers:
        connection.execute_wrappers.append(_counted)


def _counted(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    left = getattr(_task, "statements_left", None)
    if left is not None:
        _task.statements_left = left - 1
        if left <= 0:
            _die()
    return execute(sql, params, many, context)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
