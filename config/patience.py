"""How long the database may take: little while somebody waits for a page, more for work in the background.

Commands that a person starts (a migration, an export) may take what they take.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.http import HttpRequest
from django.http.response import HttpResponseBase

ON_THE_WAY = 0.5
"""Seconds more than the database itself has: it says that something took too long, where it can say anything."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that a statement, a lock, and a transaction in which nothing happens may take.

    `hurry`: seconds after which somebody goes who cannot wait for the database to say that itself.
    """

    statement: float
    lock: float
    idle: float
    hurry: float | None = None

    @property
    def silence(self) -> float:
        """Seconds after which a database that says nothing at all is not waited for any more."""
        return self.statement + ON_THE_WAY if self.hurry is None else self.hurry


_present: ContextVar[Patience | None] = ContextVar("tenbo_patience", default=None)


def present_patience() -> Patience | None:
    """Return the patience of whoever works now, None for somebody who has time."""
    return _present.get()


def have(patience: Patience | None) -> None:
    """Have this patience from now on."""
    _present.set(patience)


@contextmanager
def having(patience: Patience) -> Iterator[None]:
    """Have this patience in a block. A connection that is made in it keeps what the database was told."""
    token = _present.set(patience)
    try:
        yield
    finally:
        _present.reset(token)


def of_a_request() -> Patience:
    """Return the patience of somebody who waits for a page."""
    return Patience(settings.DATABASE_TIMEOUT, settings.DATABASE_LOCK_TIMEOUT, settings.DATABASE_IDLE_TIMEOUT)


def of_work() -> Patience:
    """Return the patience of work in the background."""
    seconds = settings.DATABASE_WORK_TIMEOUT
    return Patience(seconds, seconds, seconds)


class PatienceMiddleware:
    """Answers with the patience of somebody who waits for a page, to the last part of an answer that is sent in parts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer."""
        with having(of_a_request()):
            answer = self.get_response(request)
        if answer.streaming and not getattr(answer, "is_async", False):
            answer.streaming_content = _patiently(answer.streaming_content)  # type: ignore[attr-defined]
        return answer


def _patiently(parts: Iterable[Any]) -> Iterator[Any]:
    parts = iter(parts)
    while True:
        with having(of_a_request()):
            try:
                part = next(parts)
            except StopIteration:
                return
        yield part


def _limit_sqlite(connection: BaseDatabaseWrapper, **_more: object) -> None:
    """SQLite has one time limit: how long somebody waits for whoever writes."""
    patience = present_patience()
    if connection.vendor == "sqlite" and patience is not None:
        with connection.cursor() as cursor:
            # Without the hurry of the request that opened it: later requests use the same connection.
            cursor.execute(f"PRAGMA busy_timeout = {round((patience.statement + ON_THE_WAY) * 1000)}")


connection_created.connect(_limit_sqlite, dispatch_uid="tenbo.patience")
