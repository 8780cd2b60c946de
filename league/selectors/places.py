"""Where leagues are found on a site with several databases: by their address, or by a secret that opens a part of one."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections, transaction

from league.databases import (
    HOME,
    MOVED,
    LeagueMovedError,
    Whereabouts,
    all_databases,
    home,
    present_place,
    working_in,
)
from league.models import AwayLeague, DatabaseNumber, LeagueAddress, LeagueMove

T = TypeVar("T")

logger = logging.getLogger(__name__)

KNOWN_FOR = 2.0
"""Seconds for which a page may be read where a league was; whoever stores something there is told that it has left."""

MOST_KNOWN = 20_000

Finder = Callable[[str], int | None]
"""Returns the number of the league, in the database in which one works, of which a secret opens a part; None for none."""

_finders: dict[str, Finder] = {}


def opened_by(finder: Finder, *pages: str) -> None:
    """Have pages, by their names, found by the secret in their address."""
    _finders.update(dict.fromkeys(pages, finder))


@dataclass(frozen=True, slots=True)
class _Known:
    place: Whereabouts
    at: float

    @property
    def is_new(self) -> bool:
        """Whether it may still be believed without asking."""
        return time.monotonic() - self.at < KNOWN_FOR


_left_out: ContextVar[list[str] | None] = ContextVar("tenbo_left_out", default=None)

_known: dict[object, _Known] = {}
"""By address, and by a finder with the secret that it found. Secrets stand here alone, and are never written anywhere."""

BY_ADDRESS = """
    SELECT league_number, database, 1 AS turn FROM league_leagueaddress WHERE slug = %s
    UNION ALL SELECT id, '', 2 FROM league_league WHERE slug = %s
    UNION ALL SELECT league_id, '', 3 FROM league_formeraddress WHERE slug = %s
    ORDER BY turn LIMIT 1
"""
"""What a league has left behind at home counts for nothing, so the register is believed first."""


def place_of_address(slug: str, *, anew: bool = False) -> Whereabouts | None:
    """Return where the league with an address lives; None if there is no such league. A query now and then.

    While the home database does not answer, what was known last holds, unless the league has left there since: then its
    error is raised, as for an address of which nothing is known. `anew`: what is known does not do.
    """
    known = _known.get(slug)
    if known is not None and not anew and known.is_new:
        return known.place
    try:
        with connections[home()].cursor() as cursor:
            cursor.execute(BY_ADDRESS, 3 * [slug])
            row = cursor.fetchone()
    except (DatabaseError, InterfaceError):
        if known is None or _has_left_since(known.place):
            raise
        return known.place
    if row is None:
        _known.pop(slug, None)
        return None
    return _note(slug, Whereabouts(row[1] or HOME, row[0]))


def _has_left_since(place: Whereabouts) -> bool:
    """Return whether a league is gone from where it was known to be. The home database, which is away, is not asked."""
    if place.database == HOME or place.league is None:
        return False
    with working_in(place.database):
        return has_left(place.league)


def _note(key: object, place: Whereabouts) -> Whereabouts:
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known[key] = _Known(place, time.monotonic())
    return place


def place_of_secret(page: str, secret: str, *, anew: bool = False) -> Whereabouts | None:
    """Return where the league lives of which a secret opens a part; None where there is none, or the page needs no secret.

    The databases are asked in turn, now and then. Raises LeagueMovedError where a league has left and is nowhere else yet,
    and what a database raised that does not answer, unless another one knows the secret: nobody is told that a table is
    gone whose league is only away. `anew`: what is known does not do.
    """
    finder = _finders.get(page)
    if finder is None:
        return None
    known = _known.get((finder, secret))
    if known is not None and not anew and known.is_new:
        return known.place
    place = _opened(finder, secret)
    return place and _note((finder, secret), place)


def _opened(finder: Finder, secret: str) -> Whereabouts | None:
    away: Exception | None = None
    for database in all_databases():
        try:
            with working_in(database):
                league = finder(secret)
                if league is not None and not has_left(league):
                    return Whereabouts(database, league)
            if league is not None:
                away = LeagueMovedError(MOVED)
        except (DatabaseError, InterfaceError) as error:
            if database == HOME:
                raise
            away = error
    if away is not None:
        raise away
    return None


def has_left(league: int) -> bool:
    """Return whether a league lives in another database than the present one, whatever is left of it here."""
    return AwayLeague.objects.filter(league_id=league).exists()


def is_free_elsewhere(slug: str, besides: int | None = None) -> bool:
    """Return whether no league of another database has an address, big and small letters being the same."""
    if not settings.LEAGUE_DATABASES:
        return True
    if any(each.league_number != besides and _leads(each) for each in LeagueAddress.objects.filter(slug__iexact=slug)):
        return False
    if present_place().database == HOME:
        return True
    with connections[home()].cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM league_league WHERE upper(slug) = upper(%s)"
            " UNION ALL SELECT 1 FROM league_formeraddress WHERE upper(slug) = upper(%s)",
            [slug, slug],
        )
        return cursor.fetchone() is None


ADDRESS_LOCK = "SELECT pg_{how}(hashtextextended('tenbo.address ' || upper(%s), 0))"
"""Held by whoever takes an address, at home and where the league lives, until the transaction ends."""

HAS_ADDRESS = """
    SELECT 1 FROM league_league WHERE slug = %s AND id = %s
    UNION ALL SELECT 1 FROM league_formeraddress WHERE slug = %s AND league_id = %s
"""


def _leads(noted: LeagueAddress) -> bool:
    """Return whether an address leads to a league, or will in a moment; it does not where storing the league was undone."""
    if noted.database not in settings.LEAGUE_DATABASES:
        return True
    try:
        with working_in(noted.database), transaction.atomic(), connections[HOME].cursor() as cursor:
            cursor.execute(ADDRESS_LOCK.format(how="try_advisory_xact_lock_shared"), [noted.slug])
            if cursor.fetchone() == (False,):
                return True
            cursor.execute(HAS_ADDRESS, [noted.slug, noted.league_number, noted.slug, noted.league_number])
            return cursor.fetchone() is not None
    except (DatabaseError, InterfaceError):
        return True


@contextmanager
def noting_left_out() -> Iterator[list[str]]:
    """Give the databases that are left out in this block; the list grows as that happens."""
    left_out: list[str] = []
    token = _left_out.set(left_out)
    try:
        yield left_out
    finally:
        _left_out.reset(token)


def from_each_database(read: Callable[[], Iterable[T]], league_of: Callable[[T], int] | None = None) -> list[T]:
    """Return what is read in each database in turn; one that does not answer, other than the home one, is left out.

    `league_of` tells the league of a row: rows that a league has left behind count for nothing.
    """
    found: list[T] = []
    for database in all_databases():
        try:
            with working_in(database):
                found += living_here(list(read()), league_of)
        except (DatabaseError, InterfaceError) as error:
            if database == HOME:
                raise
            logger.warning("The database %s is left out of a page: %s", database, error)
            if (left_out := _left_out.get()) is not None:
                left_out.append(database)
    return found


class UnsureError(Exception):
    """What holds for the leagues of all databases cannot be known now. Says why, and what to do."""


def in_all_databases(do: Callable[[], T]) -> list[T]:
    """Return what comes back in each database, the home one first, so that no league of the site is left out.

    Raises UnsureError where one does not answer, where the register knows one that the settings do not name, and where a league
    has gone from one to another meanwhile: it may have been in none of them when each had its turn.
    """
    moves = _moves()
    found: list[T] = []
    for database in all_databases():
        try:
            with working_in(database):
                found.append(do())
        except (DatabaseError, InterfaceError) as error:
            if database == HOME:
                raise
            raise UnsureError(f"The database {database} does not answer: {error}") from error
    # Asked last: where a league is gone from, the register knows by now where to.
    if unnamed := _registered() - set(all_databases()):
        raise UnsureError(
            f"LEAGUE_DATABASES of this process lacks {', '.join(sorted(unnamed))}: set it to all databases of the site, "
            "the same for every process."
        )
    if _moves() != moves:
        raise UnsureError("A league has just gone from one database to another.")
    return found


def _registered() -> set[str]:
    """Return the databases that the site ever prepared, those where leagues live, and those on which one is on its way."""
    on_the_way = LeagueMove.objects.exclude(state=LeagueMove.State.DONE).order_by()
    rows = DatabaseNumber.objects.values_list("name").union(
        LeagueAddress.objects.values_list("database"),
        on_the_way.values_list("source"),
        on_the_way.values_list("target"),
    )
    return {name for (name,) in rows}


def _moves() -> list[tuple[int, str]]:
    """Return how far each move of a league is: what it left is taken away only once this tells that it lives elsewhere."""
    return list(LeagueMove.objects.values_list("pk", "state"))


def living_here(rows: list[T], league_of: Callable[[T], int] | None) -> list[T]:
    """Return those of the rows of this database whose league has not left it."""
    if league_of is None or not rows or not settings.LEAGUE_DATABASES:
        return rows
    left = set(
        AwayLeague.objects.filter(league_id__in={league_of(row) for row in rows}).values_list("league_id", flat=True)
    )
    return [row for row in rows if league_of(row) not in left]
