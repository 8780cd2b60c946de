"""Public pages are read from a standby, as late as two seconds at most; whatever it cannot tell, the primary does.

While a standby answers, its connection stands in the place of the primary's: the edition, the tag and everything on the
page come from one server, whoever asks and by whichever way. It can only be read, so whatever would write is refused there
and done by the primary. docs/adr/0069 has the reasons.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import DEFAULT_DB_ALIAS, DatabaseError, InterfaceError, OperationalError, connections
from django.http import Http404, HttpRequest, HttpResponse

from config.patience import having, of_a_request
from config.postgresql.base import REPLICA, breaker_of

logger = logging.getLogger(__name__)

READING = frozenset({"GET", "HEAD"})

TOLD_BY_A_STANDBY = frozenset({HTTPStatus.OK, HTTPStatus.NOT_MODIFIED})
"""What is not there yet may be there by now, and who may not read may do so by now: then the primary is asked."""

LATE = 2.0
"""Seconds that a page may be late."""

KEPT = 60
"""Seconds for which somebody who has written something is asked what it was: by then no standby in use is without it."""

HURRY = 1.0
"""Seconds after which a server that says nothing is not waited for where another one can answer, or nothing need be known."""

COOKIE = SALT = "tenbo-written"

FLUSHED = "SELECT pg_current_wal_flush_lsn()::text"
"""Everything that somebody was told of is behind this, where commits are waited for. What comes after it may stay on the
primary for long: reading writes notes of its own there, which nobody waits for."""

WRITTEN = "SELECT pg_current_wal_insert_lsn()::text"
"""Everything that was committed before is behind this, be it on disk or not."""

REPLAYED = "SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn()::text"

KNOWN_AWAY = 30.0
"""Seconds for which a primary that did not answer counts as away without being asked again: somebody asks each second."""

NEVER = 2**64
"""No server gets so far."""


class StandbyMiddleware:
    """Answers from the standby where that is late enough for this reader; remembers how far who writes has to be followed.

    It stands innermost: sessions, messages and whoever is logged in are read from the primary and written there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._marks = Marks()
        self._connecting = threading.Lock()
        self._is_behind = False

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer; of whoever has written something, or has just logged in, with the place where that stands."""
        answer = self.get_response(request)
        if request.method not in READING or request.session.modified:
            _remember(answer)
        return answer

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: tuple[Any, ...], named: dict[str, Any]
    ) -> HttpResponse | None:
        """Return the answer of the standby, None where the primary is to be asked."""
        if not _may_be_late(request, view) or breaker_of(REPLICA).is_open:
            return None
        needed = self._marks.needed()
        if needed is None:
            return None
        known = _known_by_the_primary(request)
        try:
            if self._has_replayed(max(needed, _written_by(request))):
                with instead_of_the_primary():
                    answer = view(request, *args, **named)
                if answer.status_code in TOLD_BY_A_STANDBY and not answer.streaming:
                    return answer
        except (DatabaseError, InterfaceError) as error:
            _note(error)
        except (Http404, PermissionDenied):
            pass
        if known is not None:
            # Which role somebody has is read again, too.
            vars(known[0]).clear()
            vars(known[0]).update(known[1])
        return None

    def _has_replayed(self, needed: int) -> bool:
        """Return whether the standby has got so far. No statement if it had when this connection last asked."""
        standby = _standby()
        is_new = standby.connection is None
        if is_new and not self._connecting.acquire(blocking=False):
            # One at a time finds out whether it is there.
            return False
        try:
            with having(replace(of_a_request(), hurry=HURRY)), standby.cursor() as cursor:
                own = standby.connection
                if own.replayed < needed:
                    cursor.execute(REPLAYED)
                    is_standby, position = cursor.fetchone()
                    if not is_standby:
                        raise OperationalError(NO_STANDBY)
                    own.replayed = number_of(position)
                is_behind = bool(own.replayed < needed)
        except (DatabaseError, InterfaceError) as error:
            breaker_of(REPLICA).note(error, keeps_waiting=True)
            return False
        finally:
            if is_new:
                self._connecting.release()
        self._tell(is_behind=is_behind)
        return not is_behind

    def _tell(self, *, is_behind: bool) -> None:
        if is_behind != self._is_behind:
            self._is_behind = is_behind
            logger.info(
                "The standby is %s.", "behind: what it lacks is read from the primary" if is_behind else "up to date"
            )


NO_STANDBY = "REPLICA_URL leads to a server that follows no other one."


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the primary stood, and when it was asked: by the clock of this process, in seconds."""

    asked_at: float
    position: int


class Marks:
    """How far a standby must have got so that nothing on a page is later than LATE.

    The primary is asked once in half that time, by one of those who want to know: no clock of another machine is believed,
    and a standby that has lost its primary is found out as one that is slow. While the primary does not answer this process
    the last mark holds, however long that takes: it is gone, and nothing new is stored, or it is gone from here alone, and
    the standby goes on following it.
    """

    def __init__(self, position: Callable[[], int] | None = None) -> None:
        self._position = position or (lambda: position_of_the_primary(FLUSHED))
        self._asking = threading.Lock()
        self._asked_at = float("-inf")
        self._away_at = float("-inf")
        self._marks: tuple[Mark, ...] = ()

    def needed(self) -> int | None:
        """Return the position that a standby needs; None where none is known that is new enough."""
        self._ask_if_due()
        now = time.monotonic()
        if self._marks and now - self._away_at < KNOWN_AWAY:
            return self._marks[-1].position
        oldest = now - LATE
        return next((mark.position for mark in self._marks if mark.asked_at >= oldest), None)

    def _ask_if_due(self) -> None:
        now = time.monotonic()
        if now - self._asked_at < LATE / 2 or not self._asking.acquire(blocking=False):
            return
        try:
            self._asked_at = now
            self._marks = (*self._marks[-1:], Mark(now, self._position()))
            self._away_at = float("-inf")
        except (DatabaseError, InterfaceError):
            self._away_at = time.monotonic()
        finally:
            self._asking.release()


def position_of_the_primary(question: str) -> int:
    """Return where the primary stands. One short statement. Raises DatabaseError if it does not answer."""
    with having(replace(of_a_request(), hurry=HURRY)), connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(question)
        return number_of(cursor.fetchone()[0])


def bytes_behind() -> int | None:
    """Return how much of the primary's log the standby has still to replay; None for one that does not answer or follows nobody.

    Two short statements. Raises DatabaseError if the primary does not answer.
    """
    written = position_of_the_primary(FLUSHED)
    try:
        with having(replace(of_a_request(), hurry=HURRY)), connections[REPLICA].cursor() as cursor:
            cursor.execute(REPLAYED)
            is_standby, position = cursor.fetchone()
    except (DatabaseError, InterfaceError):
        return None
    return max(0, written - number_of(position)) if is_standby else None


def number_of(position: str) -> int:
    """Return a position in PostgreSQL's log, which it writes as two numbers to the base of sixteen: "16/B374D848"."""
    upper, lower = position.split("/")
    return (int(upper, 16) << 32) + int(lower, 16)


@contextmanager
def instead_of_the_primary() -> Iterator[None]:
    """Have every question of this thread answered by the standby."""
    primary = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = _standby()
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


def _standby() -> Any:
    standby: Any = connections[REPLICA]
    # Rows that are read through it belong to the one database there is, also where they are kept.
    standby.alias = DEFAULT_DB_ALIAS
    return standby


def _may_be_late(request: HttpRequest, view: Callable[..., HttpResponse]) -> bool:
    return (
        request.method in READING
        and getattr(view, "may_be_late", False)
        # Whoever has begun something sees what they did.
        and not connections[DEFAULT_DB_ALIAS].in_atomic_block
    )


def _known_by_the_primary(request: HttpRequest) -> tuple[Any, dict[str, Any]] | None:
    """Return who is logged in, as the primary says, with what is known of them; None for nobody. Two statements, or none."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
        return None
    user = getattr(request, "_cached_user", request.user)
    return user, dict(vars(user))


def _written_by(request: HttpRequest) -> int:
    """Return how far somebody has to be followed who has written something within the last minute, 0 for others."""
    return int(request.get_signed_cookie(COOKIE, default="0", salt=SALT, max_age=KEPT) or 0)


def _remember(answer: HttpResponse) -> None:
    try:
        position = position_of_the_primary(WRITTEN)
    except (DatabaseError, InterfaceError):
        # Perhaps something was stored just before.
        position = NEVER
    answer.set_signed_cookie(
        COOKIE,
        str(position),
        salt=SALT,
        max_age=KEPT,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


def _note(error: Exception) -> None:
    """Leave a standby alone that hung up. What it refused, or gave up because it had to go on replaying, says nothing."""
    own = _standby().connection
    if own is None or own.closed:
        breaker_of(REPLICA).note(error, keeps_waiting=True)
