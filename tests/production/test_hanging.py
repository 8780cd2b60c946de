"""Servers that hang or are gone, under a site that runs: nobody waits long, nothing is lost, and all is well again by itself."""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg
import pytest

from tests.conftest import ROOT, needs_postgresql
from tests.deadlines import wait_until
from tests.processes import end
from tests.production.browsing import Answer
from tests.production.servers import Servers, own_servers
from tests.production.stack import Site, started_alone, started_proxy

pytestmark = [pytest.mark.long, needs_postgresql]

PASSWORD = "only for tests of what hangs"

SOON = 7.0
"""Seconds within which everybody has an answer, whatever hangs."""

AT_ONCE = 1.0

ROUNDS = 3
"""A machine may be slow for a moment; what is lost by waiting is lost each time."""

MADE = f"""
import json
import django
django.setup()
from datetime import UTC, datetime
from django.contrib.auth.models import User
from league.services.links import code_of
from tests.league.entry_contexts import link_of, typed
from tests.league.factories import make_league, make_players, make_session
league = make_league()
make_players(league, 4)
User.objects.create_superuser("ueno", "", {PASSWORD!r})
link = link_of(make_session(league, league.day_of(datetime.now(UTC)), tables=2))
print(json.dumps({{"code": code_of(link), "fields": typed(league)}}))
"""


@dataclass(frozen=True)
class Place:
    """A site, its servers, and a table of a league on it."""

    site: Site
    servers: Servers
    table: str
    fields: dict[str, str]

    def result(self) -> dict[str, str]:
        """Return a result that is like no other, and has a key of its own."""
        return {**self.fields, "client_key": str(uuid.uuid4()), "do": "another"}

    def count(self, key: str) -> int:
        """Return how many hanchan are stored under a key."""
        address = self.servers.database_url
        with psycopg.connect(address) as database:
            found = database.execute("SELECT COUNT(*) FROM league_hanchan WHERE client_key = %s", [key]).fetchone()
        assert found
        return int(found[0])

    def lines(self, words: str) -> list[str]:
        """Return the lines in the log of the web processes that hold these words."""
        return [line for line in self.site.log("web").splitlines() if words in line]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("hanging")
    with own_servers() as servers, started_alone(folder, servers.database_url, servers.redis_url) as site:
        environment = os.environ | {**site.environment, "DJANGO_SETTINGS_MODULE": "config.settings"}
        environment["PYTHONPATH"] = str(ROOT)
        made = subprocess.run([sys.executable, "-c", MADE], cwd=ROOT, env=environment, check=True, capture_output=True)
        told = json.loads(made.stdout)
        yield Place(site, servers, f"/e/{told['code']}/", told["fields"])


@pytest.fixture
def place(started: Place) -> Iterator[Place]:
    """The site, well; whatever a test stopped goes on after it."""
    yield started
    started.servers.be_well()
    assert wait_until(lambda: are_well(started), 60), started.site.log("web")


def are_well(place: Place) -> bool:
    """Return whether the site answers, and its servers do."""
    answer = place.site.visitor().get("/healthz")
    return answer.status == 200 and json.loads(answer.body) == {"database": True, "broker": True}


def together(count: int, ask: Callable[[], Answer]) -> list[tuple[Answer, float]]:
    """Return what is answered to so many at once, and after how many seconds."""

    def timed() -> tuple[Answer, float]:
        begun = time.monotonic()
        return ask(), time.monotonic() - begun

    with ThreadPoolExecutor(count) as pool:
        return [future.result() for future in [pool.submit(timed) for _ in range(count)]]


def one_by_one(place: Place, count: int) -> list[tuple[str, float]]:
    """Save so many results; return their keys, and after how many seconds each was saved."""
    taken = []
    for _ in range(count):
        result = place.result()
        ((answer, seconds),) = together(1, partial(place.site.visitor().send, place.table, result))
        assert answer.status == 200, answer
        taken.append((result["client_key"], seconds))
    return taken


def assert_away(answers: list[tuple[Answer, float]], within: float) -> None:
    assert {answer.status for answer, _ in answers} == {503}
    assert all(int(answer.headers["retry-after"]) > 0 for answer, _ in answers)
    assert max(seconds for _, seconds in answers) < within


@pytest.mark.timing
@pytest.mark.parametrize("way", ["hangs", "is gone"])
def test_without_its_database_a_site_says_what_still_works_and_comes_back(place: Place, way: str) -> None:
    # With a session, so that a page which looks at it without need is found out.
    site, servers, visitor = place.site, place.servers, place.site.visitor("ueno", PASSWORD)
    files = re.findall(r'"(/static/[^"]+\.(?:css|js))"', visitor.get("/offline/").text)
    assert files
    if way == "hangs":
        servers.hang(servers.postgresql)
    else:
        end(servers.postgresql, signal.SIGQUIT)
    assert_away(together(6, lambda: visitor.get("/l/camarade/")), SOON)
    japanese, english = visitor.get("/l/camarade/"), visitor.get("/en/l/camarade/")
    assert_away([(japanese, 0), (english, 0)], SOON)
    assert "ただいま応答できません" in japanese.text
    assert "Entering goes on" in english.text
    for address in (*files, "/sw.js", "/offline/", "/en/offline/", "/e/outbox/"):
        ((answer, seconds),) = together(1, partial(visitor.get, address))
        assert (address, answer.status) == (address, 200)
        assert seconds < SOON
    health = together(3, lambda: visitor.get("/healthz"))
    assert {answer.body for answer, _ in health} == {b'{"database": false, "broker": true}'}
    assert max(seconds for _, seconds in health) < SOON

    result = place.result()
    sent = together(1, lambda: visitor.send(place.table, result))
    assert_away(sent, SOON)
    assert json.loads(sent[0][0].body)["state"] == "away"

    servers.be_well()
    assert wait_until(lambda: are_well(place), 60), site.log("web")
    assert visitor.get("/l/camarade/").status == 200
    assert visitor.send(place.table, result).status == 200
    assert place.count(result["client_key"]) == 1
    assert place.lines("Traceback") == []


def test_a_result_whose_commit_was_not_answered_counts_once(place: Place) -> None:
    visitor, relay, result = place.site.visitor(), place.servers.relay, place.result()
    relay.swallows_after = b"COMMIT"
    assert_away(together(1, lambda: visitor.send(place.table, result)), SOON)
    assert relay.swallowed.is_set(), "the database was not asked to keep it"
    place.servers.be_well()
    assert place.count(result["client_key"]) == 1, "the database has kept it, though nobody heard"
    assert wait_until(lambda: are_well(place), 60), place.site.log("web")
    again = json.loads(visitor.send(place.table, result).body)
    assert (again["state"], again["new"]) == ("saved", False)
    assert place.count(result["client_key"]) == 1


def test_a_result_that_waits_for_a_lock_is_told_so_in_time(place: Place) -> None:
    visitor, result = place.site.visitor(), place.result()
    with psycopg.connect(place.servers.database_url) as other:
        other.execute("LOCK TABLE league_hanchan IN ACCESS EXCLUSIVE MODE")
        assert_away(together(1, lambda: visitor.send(place.table, result)), SOON)
        # The database is well: everybody else is served, and one line tells what happened.
        assert visitor.get("/glossary/").status == 200
    assert visitor.send(place.table, result).status == 200
    assert place.lines("a statement took too long")
    assert place.lines("Traceback") == []


def lose_little(seconds: list[float]) -> bool:
    """Return whether few entries lost some seconds, one in each of three processes, and no other any.

    What is usual is told by the others of the same run.
    """
    usual = statistics.median(seconds)
    losses = sorted(each - usual for each in seconds)
    return losses[-1] < SOON and losses[-1 - 3] < AT_ONCE


@pytest.mark.parametrize("way", ["hangs", "is gone"])
def test_without_redis_results_and_log_ins_are_taken_in_time(place: Place, way: str) -> None:
    servers, visitor = place.servers, place.site.visitor()
    one_by_one(place, 3)
    for _ in range(ROUNDS):
        if way == "hangs":
            servers.hang(servers.redis)
        else:
            end(servers.redis, signal.SIGKILL)
        results = one_by_one(place, 12)
        if lose_little([seconds for _, seconds in results]):
            break
        servers.be_well()
        assert wait_until(lambda: are_well(place), 60), place.site.log("web")
    else:
        pytest.fail(f"too much is lost each time: {results}")
    assert place.lines("The broker does not answer")
    place.site.visitor("ueno", PASSWORD)
    health = visitor.get("/healthz")
    assert (health.status, health.body) == (200, b'{"database": true, "broker": false}')
    servers.be_well()
    assert wait_until(lambda: are_well(place), 60), place.site.log("web")
    assert [place.count(key) for key, _ in results] == [1] * len(results)
    assert place.lines("Traceback") == []


def test_a_proxy_whose_web_processes_are_gone_says_what_still_works(tmp_path: Path) -> None:
    with started_proxy(tmp_path) as site:
        page, told = site.visitor().get("/l/camarade/"), site.visitor().send("/e/code/", {"do": "save"})
    assert_away([(page, 0), (told, 0)], SOON)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "ただいま応答できません" in page.text
    assert "The site does not answer just now" in page.text
    assert json.loads(told.body)["state"] == "away"
