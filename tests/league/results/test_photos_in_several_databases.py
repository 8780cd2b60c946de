"""Photos of leagues that live in several databases: none of them counts as nobody's, and the command moves all of them."""

import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3
from django.core.management import CommandError, call_command
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.utils import timezone

from league import tasks
from league.databases import HOME, SITE, working_in
from league.models import DatabaseNumber, LeagueAddress, LeagueMove, Photo
from league.services.database_numbers import number_on_from
from league.services.leagues import take_address
from league.services.photo_moves import move_photos
from league.services.photo_store import ObjectRefusedError, put_object
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
            take_address(league, league.slug)
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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


# --- The command -----------------------------------------------------------------------------------------------------


def pictures() -> dict[str, bool]:
    """Return of each database whether the picture is in its row."""
    found = {}
    for database in (HOME, EAST):
        with working_in(database):
            found[database] = bool(Photo.objects.get().data)
    return found


def told(*words: str) -> str:
    output = io.StringIO()
    call_command("move_photos", "--quiet", *words, stdout=output)
    return output.getvalue()


@pytest.mark.long
def test_the_command_moves_the_photos_of_all_databases_there_and_back(
    store: PhotoStore, site: dict[str, Photo]
) -> None:
    assert "2 photos moved to the store." in told()
    assert pictures() == {HOME: False, EAST: False}
    assert len(store.keys) == 2
    assert "2 photos moved to the database." in told("--back")
    assert pictures() == {HOME: True, EAST: True}
    with working_in(EAST):
        assert bytes(Photo.objects.get().data) == bytes(site[EAST].data)


@pytest.mark.long
def test_pictures_that_are_not_in_the_store_are_counted_in_all_databases(
    store: PhotoStore, site: dict[str, Photo]
) -> None:
    del site
    told()
    for key in store.keys:
        store.file(key).unlink()
    store.notice()
    with pytest.raises(CommandError, match="2 pictures are not in the store"):
        told("--back")


@pytest.mark.long
def test_what_the_store_refuses_in_one_database_holds_back_no_other(
    store: PhotoStore, site: dict[str, Photo], monkeypatch: pytest.MonkeyPatch
) -> None:
    del store

    def put(key: str, data: bytes) -> None:
        if site[HOME].digest in key:
            raise ObjectRefusedError("no")
        put_object(key, data)

    monkeypatch.setattr("league.services.photo_moves.put_object", put)
    assert "1 photos moved to the store." in told()
    assert pictures() == {HOME: True, EAST: False}
    with pytest.raises(CommandError, match=r"0 of 1 photos moved\. no"):
        told()


@pytest.mark.long
@pytest.mark.parametrize("way", [(), ("--back",)], ids=["there", "back"])
def test_the_command_does_nothing_where_a_database_is_not_named_or_does_not_answer(
    store: PhotoStore, site: dict[str, Photo], settings: Any, way: tuple[str, ...]
) -> None:
    del store, site
    if way:
        all_moved()
    before = pictures()
    settings.LEAGUE_DATABASES = ()
    with pytest.raises(CommandError, match=r"0 of 0 photos moved\. LEAGUE_DATABASES of this process lacks east"):
        told(*way)
    settings.LEAGUE_DATABASES = (EAST,)
    assert pictures() == before
    east_is_away = connections[EAST].execute_wrapper(away)
    with east_is_away, pytest.raises(CommandError, match=r"0 of 0 photos moved\. The database east does not answer"):
        told(*way)
    assert pictures() == before


@pytest.mark.long
def test_the_command_is_not_done_while_a_league_goes_meanwhile(
    store: PhotoStore, site: dict[str, Photo], monkeypatch: pytest.MonkeyPatch
) -> None:
    del store, site
    all_moved()

    def gone(*_: object) -> None:
        LeagueMove.objects.create(league_number=1, slug="cinderella", target=EAST)

    monkeypatch.setattr("league.management.commands.move_photos.silent", gone)
    with pytest.raises(CommandError, match=r"2 of 2 photos moved\. A league has just gone .* Run the command again"):
        told("--back")
    LeagueMove.objects.update(state=LeagueMove.State.DONE)
    monkeypatch.undo()
    assert "0 photos moved to the database." in told("--back")


@pytest.mark.long
def test_photos_of_each_database_are_asked_for_there(
    store: PhotoStore, site: dict[str, Photo], monkeypatch: pytest.MonkeyPatch
) -> None:
    del store, site
    sent: list[tuple[str, str]] = []
    monkeypatch.setattr("league.background._dispatch", lambda each: sent.append((each.task, each.database)))
    tasks.sweep_stale_periods(database=EAST)
    assert ("league.move_photos", EAST) in sent
    assert not [task for task, _ in sent if task == "league.sweep_pictures"]
