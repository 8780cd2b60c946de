"""A site with a second database for leagues, in the process of a test: what commits in both is seen, and gone afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError, connections, router
from django.db.backends.signals import connection_created
from django.db.models.signals import post_save, pre_save

from league.apps import _keep_leagues_apart
from league.databases import HOME, SITE, Fence, Router, put_up_fence
from league.interchange.text import text_of
from league.models import League, LeagueMove
from league.selectors import places
from league.services import copies
from league.services.database_numbers import number_on_from
from league.services.moving import moving, tidying
from league.services.moving.moving import move_league
from league.services.moving.plans import Moving
from league.services.moving.turns import move_turn
from tests.production.databases import new_database
from tournaments.interchange.writing import write_file

EAST = "east"


@contextmanager
def second_database(folder: Path) -> Iterator[str]:
    """Give the name of a second database beside that of the test, which has to commit what it stores."""
    with new_database("postgresql", folder) as address, pytest.MonkeyPatch.context() as patched:
        # Beside the settings: Django lets tests connect to what is in them only if they say so before they begin.
        connections[EAST] = connections[HOME].copy(EAST)
        connections[EAST].settings_dict["NAME"] = urlsplit(address).path[1:]
        patched.setattr(settings, "LEAGUE_DATABASES", (EAST,))
        patched.setattr(router, "routers", [Router()])
        _keep_leagues_apart()
        put_up_fence(connections[HOME])
        number_on_from(EAST)
        try:
            yield EAST
        finally:
            _forget()


def _forget() -> None:
    connection_created.disconnect(dispatch_uid="league.fence")
    post_save.disconnect(sender=User, dispatch_uid="league.copies")
    pre_save.disconnect(dispatch_uid="league.copies")
    home: Any = connections[HOME]
    home.execute_wrappers[:] = [each for each in home.execute_wrappers if not isinstance(each, Fence)]
    connections[EAST].close()
    for name in (EAST, SITE):
        if hasattr(connections._connections, name):  # type: ignore[attr-defined]
            del connections[name]
    # The next test counts its keys anew.
    copies._copied.clear()
    places._known.clear()


HOW = Moving(lambda league: text_of(write_file(league)), lambda _said: None, timedelta(0))


def move(league: League, database: str) -> LeagueMove:
    """Have a league live in a database, with nothing of it left behind."""
    return move_league(league.slug, database, HOW)


def leave(league: League, database: str) -> LeagueMove:
    """Have a league live in a database, while all of it is still left behind where it was."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(moving, "take_away", lambda *_: None)
        return move(league, database)


def tidy(move: LeagueMove) -> None:
    """Take away what a league has left behind, after all."""
    with move_turn() as turn:
        tidying.take_away(move, turn, HOW)


@contextmanager
def away(database: str) -> Iterator[None]:
    """Have nobody reach a database meanwhile."""
    connection: Any = connections[database]
    connection.close()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(connection, "connect", _refuse)
        yield


def _refuse() -> None:
    raise OperationalError("The database is away.")
