"""Statements without their locks, as if nobody had thought of them."""

import re
from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from tests.torture.altered import flags

LOCK = re.compile(
    r"\s+FOR\s+(NO\s+KEY\s+UPDATE|KEY\s+SHARE|UPDATE|SHARE)(\s+OF\s+[\w\".,\s]+?)?(?=\s*(;|\)|$))", re.IGNORECASE
)


def install() -> None:
    """Stand around every statement of every connection."""
    connection_created.connect(_stand_around, dispatch_uid="torture-locks")


def _stand_around(connection: BaseDatabaseWrapper, **_: object) -> None:
    if _without_locks not in connection.execute_wrappers:
        connection.execute_wrappers.append(_without_locks)


def _without_locks(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    return execute(LOCK.sub("", sql) if flags.is_set(flags.LOCKS_OFF) else sql, params, many, context)
