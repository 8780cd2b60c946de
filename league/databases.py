"""In which database a league lives, where a site has several; docs/adr/0072 has the reasons.

The home database has the people, what is theirs alone, and the register of where leagues live; other databases have whole leagues. A request
or a task works in one of them: there the connection that is otherwise to the home database leads to that one, for the
statements of Django and for our own alike. What belongs to the site goes home all the same.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections, models, transaction

T = TypeVar("T")

HOME = DEFAULT_DB_ALIAS

SITE = "site"
"""What the home database is called while another one stands in its place."""

OURS = frozenset({"league", "accounts", "stats", "tournaments"})
"""Apps whose tables are a league's, except for those that say `of_the_site`; others belong to the site."""

ALL_LEAGUES = 0


class LeagueMovedError(OperationalError):
    """The league lives in another database by now: nothing was stored, and the register knows where."""


MOVED = "The league lives in another database."


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where somebody works: in which database, and in which league of it.

    `league` is its number, ALL_LEAGUES for work that may touch any of them, None for what is no league's.
    """

    database: str
    league: int | None


AT_HOME = Whereabouts(HOME, ALL_LEAGUES)
_present = ContextVar("tenbo_place", default=AT_HOME)


def present_place() -> Whereabouts:
    """Return where somebody works now."""
    return _present.get()


def home() -> str:
    """Return what the home database is called from where somebody works."""
    return HOME if _present.get().database == HOME else SITE


def all_databases() -> tuple[str, ...]:
    """Return the databases in which leagues live, the home database first."""
    return (HOME, *settings.LEAGUE_DATABASES)


@contextmanager
def working_in(database: str, league: int | None = ALL_LEAGUES) -> Iterator[None]:
    """Work in a database, in one league of it if its number is given; nothing to do on a site that has only one."""
    if not settings.LEAGUE_DATABASES:
        yield
        return
    before = connections[HOME]
    if _present.get().database == HOME:
        connections[SITE] = before
    home: Any = connections[SITE]
    token = _present.set(Whereabouts(database, league))
    connections[HOME] = home if database == HOME else connections[database]
    try:
        yield
    finally:
        connections[HOME] = before
        _present.reset(token)


def go_on_in(league: int | None) -> None:
    """Work in a league of the database in which one works, until the block of `working_in` around it ends."""
    _present.set(replace(_present.get(), league=league))


class ReadThere(Iterator[T]):
    """What is read bit by bit, each bit in the database of a place, whatever happens between two of them."""

    def __init__(self, place: Whereabouts, parts: Iterable[T]) -> None:
        self._place = place
        self._parts = iter(parts)

    def __next__(self) -> T:
        with working_in(self._place.database, self._place.league):
            return next(self._parts)

    def close(self) -> None:
        """Read no more."""
        with working_in(self._place.database, self._place.league):
            if hasattr(self._parts, "close"):
                self._parts.close()


class Router:
    """Sends what belongs to the site home, and everything else to where somebody works, or to where a row came from."""

    def db_for_read(self, model: type[models.Model], **hints: Any) -> str:
        """Return the database for rows of a model."""
        present = _present.get().database
        if is_of_the_site(model):
            return HOME if present == HOME else SITE
        came_from = _came_from(hints.get("instance"))
        if came_from is None or came_from == present:
            return present
        return SITE if came_from == HOME else came_from

    db_for_write = db_for_read

    def allow_relation(self, _one: models.Model, _other: models.Model, **_hints: Any) -> bool:
        """Return that rows may refer to each other: of whom a league knows, its database has a copy."""
        return True


def _came_from(instance: models.Model | None) -> str | None:
    if instance is None or is_of_the_site(instance._meta.model):
        return None
    found = instance._state.db
    return HOME if found == SITE else found


def is_of_the_site(model: type[models.Model]) -> bool:
    """Return whether the rows of a model stand in the home database, whichever league they are about."""
    return model._meta.app_label not in OURS or getattr(model, "of_the_site", False)


# --- Nobody writes in a league that is just being moved ---------------------------------------------------------------

LOCK = "pg_advisory_xact_lock{how}(hashtextextended('tenbo.league', %s))"
"""Held by every transaction that stores something in a league, and by itself alone by whoever moves it."""

HAS_LEFT = "SELECT 1 FROM league_awayleague WHERE league_id = %s"


class Fence:
    """Stands around each statement: the first one that may store something holds the league where it is."""

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:  # noqa: FBT001
        """Execute a statement. Raises LeagueMovedError."""
        connection: Any = connections[HOME]
        place = _present.get()
        if place.league is None or context["connection"] is not connection or connection.is_held or not stores(sql):
            return execute(sql, params, many, context)
        if not connection.in_atomic_block:
            with transaction.atomic(using=HOME):
                return self(execute, sql, params, many, context)
        keep_here()
        return execute(sql, params, many, context)


def keep_here() -> None:
    """Have the league in which one works stay where it is until the transaction ends. Raises LeagueMovedError."""
    connection: Any = connections[HOME]
    league = _present.get().league
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {LOCK.format(how='_shared')}", [league])
        if league != ALL_LEAGUES:
            cursor.execute(HAS_LEFT, [league])
            if cursor.fetchone():
                raise LeagueMovedError(MOVED)
    connection.is_held = True


STORING = ("INSERT", "UPDATE", "DELETE", "COPY")


def stores(sql: Any) -> bool:
    """Return whether a statement may store rows, or keeps some for somebody who is about to."""
    text = str(sql).lstrip(" \n(").upper()
    if text.startswith("WITH"):
        return any(f"{word} " in text for word in STORING)
    return text.startswith(STORING) or (
        text.startswith("SELECT") and (" FOR UPDATE" in text or " FOR NO KEY UPDATE" in text)
    )


def put_up_fence(connection: Any, **_signal: object) -> None:
    """Have a connection fenced; connected to the signal of new ones."""
    if connection.vendor == "postgresql" and not any(isinstance(each, Fence) for each in connection.execute_wrappers):
        connection.execute_wrappers.insert(0, Fence())
