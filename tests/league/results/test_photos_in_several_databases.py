"""Photos of leagues that live in several databases: none of them counts as nobody's."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.utils import timezone

from league import tasks
from league.databases import HOME, SITE, working_in
from league.models import DatabaseNumber, LeagueAddress, LeagueMove, Photo
from league.selectors.places import note_address
from league.services.database_numbers import number_on_from
from league.services.photo_moves import move_photos
from league.services.photo_store import put_object
from tests.conftest import needs_postgresql
from tests.league.factories import make_league, make_session, play
from tests.league.results.test_photo_store import added
from tests.photo_store import PhotoStore, start_photo_store
from tests.production.databases import new_database

pytestmark = [pytest.mark.django_db, needs_postgresql]

EAST = "east"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PhotoStore]:
    store = start_photo_store(tmp_path_factory.mktemp("store"))
    yield store
    store.process.kill()
    store.process.wait()


@pytest.fixture
def store(running: PhotoStore, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[PhotoStore]:
    """A store in which every object is old."""
    settings.PHOTO_STORE = running.settings
    monkeypatch.setattr("league.services.photo_store._http", urllib3.PoolManager(timeout=60, retries=False))
    monkeypatch.setattr("league.services.photo_moves.ORPHANED", -timedelta(days=1))
    yield running
    for key in running.keys:
        running.file(key).unlink()
    running.notice()


@pytest.fixture
def site(settings: Any, tmp_path: Path, db: None) -> Iterator[dict[str, Photo]]:
    """A site with a league at home and one in another database, each with a photo that waits for the store."""
    del db
    with new_database("postgresql", tmp_path.with_name(f"{tmp_path.name}_east")) as address:
        connections[EAST] = connections[DEFAULT_DB_ALIAS].copy(EAST)
        connections[EAST].settings_dict["NAME"] = urlsplit(address).path[1:]
        settings.LEAGUE_DATABASES, settings.DATABASE_ROUTERS = (EAST,), ["league.databases.Router"]
        number_on_from(EAST)
        here = added(play(make_session(make_league())), 10)
        with working_in(EAST):
            league = make_league("cinderella")
            note_address(league.pk, league.slug)
            there = added(play(make_session(league)), 20)
        yield {HOME: here, EAST: there}
        for name in (EAST, SITE):
            if hasattr(connections._connections, name):  # type: ignore[attr-defined]
                if name == EAST:
                    connections[EAST].close()
                del connections[name]


def all_moved() -> None:
    for database in (HOME, EAST):
        with working_in(database):
            assert move_photos(timezone.now(), None) == 1


def put_orphan() -> str:
    """Have an object in the store that is nobody's, and return its name."""
    key = f"photos/1/{'a' * 64}.jpg"
    put_object(key, b"x")
    return key


def away(*_: object) -> None:
    """Do not answer."""
    raise OperationalError("gone")


# --- Nobody's --------------------------------------------------------------------------------------------------------


def test_only_what_no_database_leads_to_is_nobodys(store: PhotoStore, site: dict[str, Photo]) -> None:
    del site
    all_moved()
    orphan = put_orphan()
    assert len(store.keys) == 3
    tasks.sweep_pictures("")
    assert len(store.keys) == 2
    assert orphan not in store.keys
    put_orphan()
    tasks.remove_pictures([orphan, *store.keys], database=EAST)
    assert len(store.keys) == 2


@pytest.mark.parametrize(
    "left",
    [
        pytest.param(DatabaseNumber, id="a database that was prepared"),
        pytest.param(LeagueAddress, id="where a league lives"),
        pytest.param(LeagueMove, id="where a league is just going"),
    ],
)
def test_nothing_is_nobodys_to_a_process_that_does_not_name_a_database(
    store: PhotoStore, site: dict[str, Photo], settings: Any, caplog: pytest.LogCaptureFixture, left: Any
) -> None:
    """Whichever part of the register is `left` to tell of it."""
    del site
    all_moved()
    LeagueMove.objects.create(league_number=1, slug="cinderella", target=EAST)
    for part in {DatabaseNumber, LeagueAddress, LeagueMove} - {left}:
        part._default_manager.all().delete()
    put_orphan()
    kept = store.keys
    settings.LEAGUE_DATABASES = ()
    tasks.sweep_pictures("")
    tasks.remove_pictures(kept)
    assert store.keys == kept
    told = (
        "LEAGUE_DATABASES of this process lacks east: set it to all databases of the site, the same for every process."
    )
    assert caplog.text.count(told) == 2


def test_nothing_is_nobodys_while_a_database_does_not_answer(
    store: PhotoStore, site: dict[str, Photo], caplog: pytest.LogCaptureFixture
) -> None:
    del site
    all_moved()
    put_orphan()
    kept = store.keys
    with connections[EAST].execute_wrapper(away):
        tasks.sweep_pictures("")
        tasks.remove_pictures(kept)
    assert store.keys == kept
    assert caplog.text.count("The database east does not answer") == 2


def test_a_league_that_has_just_gone_wherever_it_is_looked_for_keeps_its_pictures(
    store: PhotoStore, site: dict[str, Photo], caplog: pytest.LogCaptureFixture
) -> None:
    """It goes home, to the east and home again, each time just before it would be found."""
    all_moved()
    with working_in(EAST):
        photo = Photo.objects.get()
    seats = {database: each.hanchan_id for database, each in site.items()}
    ways = [EAST]

    def goes(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        here = EAST if context["connection"].alias == EAST else HOME
        if sql.startswith('SELECT "league_photo"') and here == ways[-1]:
            ways.append(HOME if here == EAST else EAST)
            with working_in(ways[-1]):
                Photo.objects.create(hanchan_id=seats[ways[-1]], key=photo.key, digest=photo.digest, width=1, height=1)
            done = LeagueMove.State.DONE
            LeagueMove.objects.create(league_number=1, slug="cinderella", source=here, target=ways[-1], state=done)
            with working_in(here):
                Photo.objects.filter(key=photo.key).delete()
        return execute(sql, params, many, context)

    with connections[HOME].execute_wrapper(goes), connections[EAST].execute_wrapper(goes):
        tasks.sweep_pictures("")
        assert len(ways) > 1
        tasks.remove_pictures([photo.key])
    assert photo.key in store.keys
    assert caplog.text.count("A league has just gone from one database to another") == 2
