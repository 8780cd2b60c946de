"""Whole leagues live in several databases: every page says the same, results arrive, and leagues move while people play."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from tests.budget import budget
from tests.conftest import ROOT, needs_postgresql
from tests.deadlines import wait_until
from tests.photo_store import start_photo_store
from tests.processes import tied
from tests.production import crawl
from tests.production.browsing import Visitor
from tests.production.compose import environment
from tests.production.several import Several, copied, several
from tests.production.stack import INVENTED, Site, started_alone
from tests.production.standbys import OWNER, PASSWORD, Web, serving

pytestmark = [pytest.mark.long, needs_postgresql]

HANCHAN = 30
KEYS_BEGIN = 2**36


def manage(environment: dict[str, str] | Web, *words: str) -> str:
    """Return what a command of manage.py says."""
    given = environment.environment if isinstance(environment, Web) else environment
    line = [sys.executable, "manage.py", *words]
    done = subprocess.run(line, cwd=ROOT, env=dict(given), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Several]:
    with several(tmp_path_factory.mktemp("several")) as found:
        yield found


@pytest.fixture(scope="module")
def web(databases: Several, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A site on three databases, with a league that begins at home."""
    with serving(tmp_path_factory.mktemp("web"), databases.home, HANCHAN, **databases.named) as web:
        manage(web, "prepare_databases")
        yield web


def test_every_page_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sites with the invented leagues, of which one has them in three databases, are walked side by side."""
    monkeypatch.setattr(crawl, "CLICKS", 1)
    with ExitStack() as stack:
        found = stack.enter_context(several(tmp_path))
        redis = os.environ["REDIS_URL"]
        load = Site("load", 0, {}, tmp_path, environment(tmp_path, found.home, redis))
        load.manage("load_demo", DEMO="on")
        plain = stack.enter_context(copied(found.home))
        given = {**load.environment, **found.named}
        manage(given, "prepare_databases")
        manage(given, "move_league", "camarade", "--to", "east", "--settle", "1")
        manage(given, "move_league", "cinderella", "--to", "west", "--settle", "1")
        many = stack.enter_context(
            started_alone(_made(tmp_path / "many"), found.home, redis, **found.named, **INVENTED)
        )
        one = stack.enter_context(started_alone(_made(tmp_path / "one"), plain, f"{redis[:-1]}7", **INVENTED))
        for name in ("", "aoki"):
            visitors = [site.visitor(name, "tenbo-demo") if name else site.visitor() for site in (many, one)]
            starts = ["/", "/l/camarade/", "/l/cinderella/", "/l/cinderella/t/cinderella-2026/"]
            starts += ["/me/", "/account/", "/account/notices/", "/account/delete/"] if name else []
            seen = crawl.walk(visitors[0], visitors[1], starts, leave_out="/account/data/")
            assert seen.faults == []
            assert seen.pages > 40
        here, there = (_own_data(visitor) for visitor in visitors)
        assert here == there
        assert len(here) > 100


def _own_data(visitor: Visitor) -> list[str]:
    """Return the lines of somebody's own data, without when they logged in."""
    lines = (line.strip(",") for line in visitor.get("/account/data/").text.splitlines())
    return sorted(line for line in lines if "last_seen_at" not in line and "last_login" not in line)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_what_is_entered_stands_where_the_league_lives(web: Web, databases: Several) -> None:
    visitor = web.visitor()
    manage(web, "move_league", "camarade", "--to", "east", "--settle", "1")
    assert databases.ask("home", "SELECT count(*) FROM league_hanchan") == [(0,)]
    assert visitor.send(web.table, web.result()).status == 200
    numbers = [number for (number,) in databases.ask("east", "SELECT id FROM league_hanchan ORDER BY id")]
    assert len(numbers) == HANCHAN + 1
    assert int(str(numbers[-1])) >= KEYS_BEGIN > int(str(numbers[-2]))
    page = f"/l/camarade/g/{numbers[-1]}/"
    assert visitor.get(page).status == 200
    assert wait_until(lambda: databases.ask("east", "SELECT count(*) FROM league_staleperiod") == [(0,)], 60)
    assert visitor.get("/l/camarade/standings/all/").status == 200
    assert "camarade" in visitor.get("/").text
    # The commands find it there, too.
    assert '"camarade"' in manage(web, "export_league", "camarade")
    manage(web, "verify", "--quiet")
    manage(web, "check_chain", "camarade")


def test_who_may_not_take_away_what_is_left_behind_moves_nothing(web: Web, databases: Several) -> None:
    mover = f"mover_{os.getpid()}"
    there = {"LEAGUE_DATABASES": databases.named["LEAGUE_DATABASES"].replace("//tenbo@", f"//{mover}@", 1)}
    line = [sys.executable, "manage.py", "move_league", "camarade", "--to", "home", "--settle", "1"]
    given = {**web.environment, **there}
    with psycopg.connect(databases.east, autocommit=True) as server:
        server.execute(f"CREATE ROLE {mover} LOGIN IN ROLE tenbo".encode())
        try:
            done = subprocess.run(line, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
        finally:
            server.execute(f"DROP ROLE {mover}".encode())
    assert f"GRANT SET ON PARAMETER session_replication_role TO {mover}" in done.stderr
    assert (_where(databases), _count(databases, "east"), _count(databases, "home")) == ("east", HANCHAN + 1, 0)


def test_people_are_known_where_they_play(web: Web, databases: Several) -> None:
    owner = web.visitor()
    owner.log_in(OWNER, PASSWORD)
    answer = owner.fill_in("/l/camarade/manage/players/new/", {"name": "佐倉 みお", "visibility": "public"})
    assert answer.status == 302, answer.text
    assert databases.ask("east", f"SELECT password, email FROM auth_user WHERE username = '{OWNER}'") == [("!", "")]
    told = databases.ask("east", "SELECT count(*) FROM league_revision JOIN auth_user ON auth_user.id = by_id")
    assert int(str(told[0][0])) >= 1
    manage(web, "shell", "-c", f"u = User.objects.get(username='{OWNER}'); u.first_name = 'Anew'; u.save()")
    assert databases.ask("east", f"SELECT first_name FROM auth_user WHERE username = '{OWNER}'") == [("Anew",)]


def test_a_league_moves_while_people_play(web: Web, databases: Several) -> None:
    """Home, to the one and to the other, with four phones that enter results: what was acknowledged is there once."""
    before = _count(databases, _where(databases))
    sent: list[str] = []
    statuses: list[int] = []
    is_over = threading.Event()

    def play() -> None:
        visitor = Visitor(web.port, {"Host": "localhost"})
        while not is_over.is_set():
            result = web.result()
            answer = 0
            while answer != 200:
                answer = visitor.send(web.table, result).status
                statuses.append(answer)
                time.sleep(0 if answer == 200 else 0.2)
            sent.append(result["client_key"])
            time.sleep(0.4)

    phones = [threading.Thread(target=play) for _ in range(4)]
    for phone in phones:
        phone.start()
    try:
        for target in ("west", "home", "east"):
            manage(web, "move_league", "camarade", "--to", target, "--settle", "1")
    finally:
        is_over.set()
        for phone in phones:
            phone.join(60)
    # A link that is used too often says so, too.
    assert set(statuses) <= {200, 429, 503}
    assert len(sent) > 20
    stored = databases.ask("east", "SELECT client_key FROM league_hanchan WHERE client_key IS NOT NULL")
    keys = [str(key) for (key,) in stored]
    assert set(sent) <= set(keys)
    assert len(keys) == len(set(keys))
    assert _count(databases, "east") == before + len(sent)
    for other in ("home", "west"):
        assert databases.ask(other, "SELECT count(*) FROM league_seat") == [(0,)]
    still = databases.ask("home", "SELECT max(still) FROM league_leaguemove")
    assert int(str(still[0][0])) < 5_000
    manage(web, "verify", "--quiet", "camarade")
    manage(web, "check_chain", "camarade")


def _where(databases: Several) -> str:
    [(found,)] = databases.ask("home", "SELECT coalesce(max(database), 'home') FROM league_leagueaddress") or [
        ("home",)
    ]
    return str(found)


def _count(databases: Several, database: str) -> int:
    return int(str(databases.ask(database, "SELECT count(*) FROM league_hanchan")[0][0]))


def test_whoever_is_killed_on_the_way_has_moved_all_or_nothing(web: Web, databases: Several) -> None:
    random.seed(20261124)
    count = _count(databases, _where(databases))
    for turn in range(budget(6, least=3)):
        target = ("home", "west", "east")[turn % 3]
        line = [sys.executable, "manage.py", "move_league", "camarade", "--to", target, "--settle", "2"]
        process = subprocess.Popen(tied(line), cwd=ROOT, env=dict(web.environment), stdout=subprocess.DEVNULL)
        time.sleep(random.uniform(1.5, 4.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        lives = _where(databases)
        assert _count(databases, lives) == count
        assert web.visitor().get("/l/camarade/").status == 200
        manage(web, "move_league", "camarade", "--to", target, "--settle", "1")
        assert _where(databases) == target
        assert [_count(databases, each) for each in ("home", "east", "west") if each != target] == [0, 0]
        assert web.visitor().send(web.table, web.result()).status == 200
        count += 1
    manage(web, "verify", "--quiet", "camarade")


PHOTOGRAPHED = """
from league.databases import working_in
from league.selectors.places import place_of_address
from tests.league.results.test_photo_store import added
with working_in(place_of_address("camarade").database):
    for shade, hanchan in enumerate(Hanchan.objects.order_by("pk")[:12]):
        added(hanchan, 10 * shade)
"""

SWEEPS = """
from datetime import timedelta
import django
django.setup()
from django.utils import timezone
from league.selectors.places import UnsureError
from league.services import photo_moves
photo_moves.ORPHANED = -timedelta(days=1)
while True:
    try:
        photo_moves.sweep_pictures("", timezone.now())
    except UnsureError as error:
        print(error, flush=True)
"""


def test_photos_of_a_league_that_moves_are_never_nobodys(web: Web, tmp_path: Path) -> None:
    """The store is swept without a pause, every object being old, while the league goes through all databases."""
    store = start_photo_store(tmp_path / "store")
    given = {**web.environment, **store.environment}
    manage(given, "shell", "-c", PHOTOGRAPHED)
    assert "12 photos moved to the store." in manage(given, "move_photos", "--quiet")
    pictures = store.keys
    assert len(pictures) == 12
    sweeps = subprocess.Popen(tied([sys.executable, "-c", SWEEPS]), cwd=ROOT, env=given, stdout=subprocess.PIPE)
    try:
        for target in ("west", "home", "east"):
            manage(given, "move_league", "camarade", "--to", target, "--settle", "0")
        orphan = store.file(f"photos/1/{'a' * 64}.jpg")
        orphan.parent.mkdir(parents=True, exist_ok=True)
        orphan.write_bytes(b"x")
        assert wait_until(lambda: not orphan.exists(), 30)
    finally:
        sweeps.kill()
        said, _ = sweeps.communicate()
    assert said.decode().replace("A league has just gone from one database to another.\n", "") == ""
    assert store.keys == pictures
    lacking = [sys.executable, "manage.py", "move_photos", "--back"]
    refused = subprocess.run(lacking, cwd=ROOT, env={**given, "LEAGUE_DATABASES": ""}, capture_output=True, check=False)
    assert "LEAGUE_DATABASES of this process lacks east, west" in refused.stderr.decode()
    assert "12 photos moved to the database." in manage(given, "move_photos", "--quiet", "--back")
    store.process.kill()
    store.process.wait()


def test_a_database_that_is_away_keeps_the_others_from_nothing(web: Web, databases: Several) -> None:
    manage(web, "move_league", "camarade", "--to", "east", "--settle", "1")
    visitor = web.visitor()
    databases.shut("east")
    try:
        assert visitor.get("/l/camarade/").status == 503
        # A phone keeps its result: the table is not gone.
        assert visitor.send(web.table, web.result()).status == 503
        assert visitor.get("/").status == 200
        assert "camarade" not in visitor.get("/").text
        owner = web.visitor()
        owner.log_in(OWNER, PASSWORD)
        assert owner.get("/me/").status == 200
        host = owner.get("/en/host/").text
        assert host.count("does not answer") == 1
        assert host.index("Database east") < host.index("does not answer") < host.index("Database west")
    finally:
        databases.shut("east", is_open=True)
    assert wait_until(lambda: visitor.get("/l/camarade/").status == 200, 30)
    assert wait_until(lambda: "camarade" in visitor.get("/").text, 30)
    databases.shut("home")
    try:
        # Where the league lives is known, and whoever brings no log-in needs nobody at home.
        assert visitor.get("/l/camarade/").status == 200
        assert visitor.get("/").status == 503
    finally:
        databases.shut("home", is_open=True)
    assert wait_until(lambda: visitor.get("/").status == 200, 30)


def test_a_database_is_brought_back_by_itself(web: Web, databases: Several, tmp_path: Path) -> None:
    """As it was some time ago: what has left it since counts for nothing there."""
    manage(web, "move_league", "camarade", "--to", "east", "--settle", "1")
    file = str(tmp_path / "east.zip")
    count = _count(databases, "east")
    manage(web, "backup", file, "--quiet", "--database", "east")
    visitor = web.visitor()
    assert visitor.send(web.table, web.result()).status == 200
    manage(web, "restore", file, "--quiet", "--replace", "--database", "east")
    assert _count(databases, "east") == count
    assert visitor.send(web.table, web.result()).status == 200
    assert _count(databases, "east") == count + 1
    manage(web, "move_league", "camarade", "--to", "west", "--settle", "1")
    said = manage(web, "restore", file, "--quiet", "--replace", "--database", "east")
    assert "camarade has moved since: it lives in west" in said
    assert wait_until(lambda: visitor.send(web.table, web.result()).status == 200, 10)
    assert (_count(databases, "east"), _count(databases, "west")) == (count, count + 2)
    largest = _largest(databases, "west")
    manage(web, "move_league", "camarade", "--to", "east", "--settle", "1")
    assert _count(databases, "east") == count + 2
    assert visitor.send(web.table, web.result()).status == 200
    assert _largest(databases, "east") > largest


def test_home_is_brought_back_and_leagues_that_have_moved_since_stay_where_they_are(
    web: Web, databases: Several, tmp_path: Path
) -> None:
    manage(web, "move_league", "camarade", "--to", "home", "--settle", "1")
    file = str(tmp_path / "home.zip")
    manage(web, "backup", file, "--quiet")
    manage(web, "move_league", "camarade", "--to", "west", "--settle", "1")
    visitor = web.visitor()
    assert visitor.send(web.table, web.result()).status == 200
    count, largest = _count(databases, "west"), _largest(databases, "west")
    said = manage(web, "restore", file, "--quiet", "--replace")
    assert "camarade has moved since: it lives in west" in said
    assert _where(databases) == "west"
    assert wait_until(lambda: visitor.send(web.table, web.result()).status == 200, 10)
    assert _count(databases, "west") == count + 1
    assert visitor.get("/l/camarade/").status == 200
    manage(web, "move_league", "camarade", "--to", "home", "--settle", "1")
    assert _count(databases, "home") == count + 1
    assert visitor.send(web.table, web.result()).status == 200
    assert _largest(databases, "home") > largest
    manage(web, "verify", "--quiet", "camarade")


def _largest(databases: Several, database: str) -> int:
    return int(str(databases.ask(database, "SELECT max(id) FROM league_hanchan")[0][0]))


def test_the_host_is_told_which_database_is_behind_the_program(web: Web, databases: Several) -> None:
    owner = web.visitor()
    owner.log_in(OWNER, PASSWORD)
    told = "east: run manage.py prepare_databases"
    assert told not in owner.get("/en/host/").text
    databases.ask("east", "UPDATE django_migrations SET app = 'none' WHERE app = 'stats' RETURNING id")
    try:
        assert told in owner.get("/en/host/").text
    finally:
        databases.ask("east", "UPDATE django_migrations SET app = 'stats' WHERE app = 'none' RETURNING id")


def test_a_copy_that_was_written_in_past_tenbo_is_not_taken_away(web: Web, databases: Several) -> None:
    """What somebody changed in what a league left behind is for a person to look at."""
    lives = _where(databases)
    target = "west" if lives != "west" else "home"
    line = [sys.executable, "manage.py", "move_league", "camarade", "--to", target, "--settle", "5"]
    process = subprocess.Popen(tied(line), cwd=ROOT, env=dict(web.environment), stderr=subprocess.PIPE, text=True)
    assert wait_until(lambda: _where(databases) == target, 60)
    with psycopg.connect(getattr(databases, lives), autocommit=True) as connection:
        connection.execute("UPDATE league_tablelink SET used_at = now()")
        connection.execute("UPDATE league_hanchan SET note = 'past Tenbo'")
    _, said = process.communicate(timeout=90)
    assert process.returncode == 1
    assert "past Tenbo" in said
    assert _count(databases, lives) == _count(databases, target)
