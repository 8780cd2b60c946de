"""Nobody is sent to what a league left behind, no address is two leagues', and who has nothing to do with a move waits for none."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from tests.conftest import needs_postgresql
from tests.deadlines import wait_until
from tests.production.several import Several, several
from tests.production.standbys import OWNER, PASSWORD, Web, serving
from tests.production.test_several_databases import manage

pytestmark = [pytest.mark.long, needs_postgresql]

OTHER = """
from league.databases import working_in
from league.models import League, LeagueAddress
from league.services.history import SYSTEM
from league.services.leagues import AddressTakenError, LeagueFacts, create_league
from django.contrib.auth.models import User
from django.db import transaction

def make(slug, database="default"):
    with working_in(database, None):
        owner = User.objects.get(username="ueno")
        facts = LeagueFacts(slug, slug, "Asia/Tokyo", "camarade", "camarade")
        try:
            return create_league(facts=facts, owner=owner, by=SYSTEM).pk
        except AddressTakenError:
            return "taken"
"""


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Several]:
    with several(tmp_path_factory.mktemp("where")) as found:
        yield found


@pytest.fixture(scope="module")
def web(databases: Several, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A site on three databases, with a league at home."""
    with serving(tmp_path_factory.mktemp("web"), databases.home, 0, **databases.named) as web:
        manage(web, "prepare_databases")
        manage(web, "shell", "-c", f"{OTHER}\nmake('east-club', 'east')\nmake('home-club')")
        yield web


def told(web: Web, script: str) -> str:
    """Return the last word that a script says which knows how to make leagues."""
    return manage(web, "shell", "-c", f"{OTHER}\n{script}").split()[-1]


@contextmanager
def between(databases: Several, database: str, target: str) -> Iterator[None]:
    """Have the league just on its way: the one side says that it has left, the other one does not have it yet."""
    league = "SELECT id FROM league_league WHERE slug = 'camarade'"
    databases.ask(
        database,
        f"INSERT INTO league_awayleague (league_id, database, at) SELECT id, '{target}', now() FROM ({league}) AS x "
        "RETURNING id",
    )
    try:
        yield
    finally:
        databases.ask(database, "DELETE FROM league_awayleague RETURNING id")


@contextmanager
def held(databases: Several, number: int) -> Iterator[None]:
    """Have a league, or all for 0, stand still, as while it is moved."""
    with psycopg.connect(databases.home, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(hashtextextended('tenbo.league', %s))", [number])
        yield


def number_of(databases: Several) -> int:
    [(number,)] = databases.ask("home", "SELECT id FROM league_league WHERE slug = 'camarade'")
    return int(str(number))


def test_a_result_that_comes_while_a_league_is_on_its_way_is_not_stored_in_what_it_left(
    web: Web, databases: Several
) -> None:
    visitor, table, result = web.visitor(), web.table, web.result()
    with between(databases, "home", "east"):
        assert visitor.send(table, result).status == 503
        assert visitor.get(table).status == 503
        arrived = threading.Timer(0.8, databases.ask, ["home", "DELETE FROM league_awayleague RETURNING id"])
        assert databases.ask("home", "SELECT count(*) FROM league_hanchan") == [(0,)]
        arrived.start()
        # Whoever comes at that moment waits for it.
        assert visitor.send(table, result).status == 200
    assert databases.ask("home", "SELECT count(*) FROM league_hanchan") == [(1,)]


def test_the_use_of_a_link_is_not_noted_in_a_league_that_stands_still(web: Web, databases: Several) -> None:
    visitor, table = web.visitor(), web.table
    used = "SELECT count(*) FROM league_tablelink WHERE used_at IS NOT NULL"
    unused = "UPDATE league_tablelink SET used_at = NULL RETURNING id"
    databases.ask("home", unused)
    with held(databases, number_of(databases)):
        assert visitor.get(table).status == 503
        assert databases.ask("home", used) == [(0,)]
    assert visitor.get(table).status == 200
    assert databases.ask("home", used) == [(1,)]
    # Where the table was a moment ago is known still, and holds no more.
    databases.ask("home", unused)
    with between(databases, "home", "east"):
        arrived = threading.Timer(0.8, databases.ask, ["home", "DELETE FROM league_awayleague RETURNING id"])
        arrived.start()
        assert visitor.get(table).status == 200
    assert databases.ask("home", used) == [(1,)]
    databases.ask("home", unused)
    with between(databases, "home", "east"):
        assert visitor.get(table).status == 503
    assert databases.ask("home", used) == [(0,)]


@pytest.mark.timing
def test_whoever_logs_in_waits_for_no_league(web: Web, databases: Several) -> None:
    with held(databases, 0):
        begun = time.monotonic()
        web.visitor().log_in(OWNER, PASSWORD)
        assert time.monotonic() - begun < 1.5


def test_the_admin_waits_for_a_league_and_knows_nothing_of_what_it_left(web: Web, databases: Several) -> None:
    host = web.visitor()
    host.log_in(OWNER, PASSWORD)
    number, name = number_of(databases), "SELECT name FROM league_league WHERE slug = 'camarade'"
    before = databases.ask("home", name)
    page = f"/en/admin/league/league/{number}/change/"
    session = databases.ask("home", "SELECT id FROM league_session")[0][0]
    fields = {
        "name": "Renamed",
        "name_en": "",
        "description": "",
        "is_public": "on",
        "time_zone": "Asia/Tokyo",
        "day_boundary": "06:00",
        "first_month": "1",
        "ledger": "ranking",
        "metric": "points",
        "minimum_month": "0",
        "minimum_year": "0",
        "minimum_all": "0",
        "tiebreak": '["last_hanchan", "shared"]',
        "entry_mode": "fast",
    }
    with held(databases, 0):
        assert host.get(page).status == 200
        assert host.fill_in(page, fields).status == 503
    member = "/en/admin/league/membership/add/"
    [(user,)] = databases.ask("home", f"SELECT id FROM auth_user WHERE username = '{OWNER}'")
    assert host.get(member).status == 200
    with between(databases, "home", "east"):
        assert host.get(page).status == 302
        assert host.get(f"/en/admin/league/session/{session}/change/").status == 302
        assert host.get("/en/admin/league/seat/").status == 200
        answer = host.fill_in(member, {"league": str(number), "user": str(user), "role": "player"})
        assert answer.status == 200
        assert "Select a valid choice" in answer.text
    assert databases.ask("home", name) == before
    assert host.fill_in(page, fields).status == 302
    assert databases.ask("home", name) == [("Renamed",)]


def test_a_copy_of_a_league_elsewhere_is_found(web: Web, databases: Several) -> None:
    owner = web.visitor()
    owner.log_in(OWNER, PASSWORD)
    answer = owner.fill_in("/l/east-club/manage/copy/", {"name": "Copy", "slug": "copy-of-east"})
    assert answer.status == 302, answer.text
    assert databases.ask("east", "SELECT name FROM league_league WHERE slug = 'copy-of-east'") == [("Copy",)]
    assert web.visitor().get("/l/copy-of-east/").status == 200
    assert told(web, "print(make('Copy-of-East'))") == "taken"


def test_an_address_that_is_noted_for_one_is_no_others(web: Web, databases: Several) -> None:
    """Wherever the other one begins, and though the first is stored nowhere yet."""
    assert told(web, "print(make('east-club'))") == "taken"
    assert told(web, "print(make('east-club', 'west'))") == "taken"
    assert told(web, "print(make('home-club', 'west'))") == "taken"
    script = """
import threading
found = []
def other(database):
    found.append(make("begun", database))
with working_in("east", None), transaction.atomic():
    make("begun", "east")
    threads = [threading.Thread(target=other, args=(each,)) for each in ("default", "west")]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
print("-".join(found))
"""
    assert told(web, script) == "taken-taken"
    assert web.visitor().get("/l/begun/").status == 200


def test_a_league_at_home_that_is_just_begun_is_not_shadowed(web: Web, databases: Several) -> None:
    script = """
import threading, time
found = []
thread = threading.Thread(target=lambda: found.append(make("shadow", "east")))
with transaction.atomic():
    make("shadow")
    thread.start()
    time.sleep(1)
thread.join()
print(found[0])
"""
    assert told(web, script) == "taken"
    assert databases.ask("home", "SELECT slug FROM league_leagueaddress WHERE slug = 'shadow'") == []


@pytest.mark.parametrize("database", ["default", "east", "west"])
def test_an_address_of_a_league_that_was_not_stored_is_free(web: Web, databases: Several, database: str) -> None:
    slug = f"undone-{database}"
    undone = f"""
try:
    with working_in("east", None), transaction.atomic():
        make("{slug}", "east")
        raise KeyError
except KeyError:
    pass
print(make("{slug}", "{database}"))
"""
    assert told(web, undone).isdecimal()
    assert web.visitor().get(f"/l/{slug}/").status == 200


def test_how_far_an_import_is_stands_where_its_league_lives(web: Web) -> None:
    script = """
from league.databases import present_place
from league.services.imports.running import beside
with working_in("east", 7), beside(lambda progress: print(present_place().database)) as on_progress:
    on_progress(None)
"""
    assert told(web, script) == "east"


def test_a_page_without_a_database_is_not_kept(web: Web, databases: Several) -> None:
    visitor = web.visitor()
    assert wait_until(lambda: "east-club" in visitor.get("/").text, 30)
    databases.shut("east")
    try:
        answer = visitor.get("/")
        assert answer.status == 200
        assert "east-club" not in answer.text
        assert "no-store" in answer.headers["cache-control"]
        assert "etag" not in answer.headers
    finally:
        databases.shut("east", is_open=True)
    assert wait_until(lambda: "east-club" in visitor.get("/").text, 30)
