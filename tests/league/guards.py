from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from league.models.triggers import drop_triggers, make_triggers
from tests.torture.altered import LOCK


@contextmanager
def unguarded() -> Iterator[None]:
    """Disable the database triggers that protect history, within the block."""
    drop_triggers()
    yield
    make_triggers()


@contextmanager
def unlocked() -> Iterator[None]:
    connection_created.connect(_stand_around, dispatch_uid="tests.unlocked")
    try:
        with connection.execute_wrapper(_without_locks):
            yield
    finally:
        connection_created.disconnect(dispatch_uid="tests.unlocked")


def _stand_around(connection: BaseDatabaseWrapper, **_: object) -> None:
    connection.execute_wrappers.append(_without_locks)


def _without_locks(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    return execute(LOCK.sub("", sql), params, many, context)
