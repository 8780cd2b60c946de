import re
import signal
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg
import pytest

from tests.conftest import needs_postgresql
from tests.deadlines import wait_until
from tests.production.browsing import Answer
from tests.production.places import OWNER, PASSWORD, Place, Result, serving
from tests.production.servers import Servers, own_servers
from tests.production.stack import started_proxy

pytestmark = [pytest.mark.long, needs_postgresql]

SOON = 7.0
"""Seconds within which all clients get a response."""

AT_ONCE = 1.0

ROUNDS = 3
"""Number of attempts, as the machine may be slow for a moment."""


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with own_servers() as servers:
        yield servers


@pytest.fixture(scope="module")
def started(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with serving(tmp_path_factory.mktemp("hanging"), servers.database_url, servers.redis_url) as place:
        yield place


@pytest.fixture
def place(started: Place, servers: Servers) -> Iterator[Place]:
    yield started
    make_well(started, servers)


def make_well(place: Place, servers: Servers) -> None:
    servers.be_well()
    assert wait_until(lambda: are_well(place), 60), place.site.log("web")


def are_well(place: Place) -> bool:
    answer = place.site.visitor().get("/healthz")
    return answer.status == 200 and answer.said == {"database": True, "broker": True}


def together(count: int, ask: Callable[[], Answer]) -> list[tuple[Answer, float]]:
    def timed() -> tuple[Answer, float]:
        begun = time.monotonic()
        return ask(), time.monotonic() - begun

    with ThreadPoolExecutor(count) as pool:
        return [future.result() for future in [pool.submit(timed) for _ in range(count)]]


def one_by_one(place: Place, count: int) -> list[tuple[Result, float]]:
    taken = []
    for _ in range(count):
        result = place.result()
        ((answer, seconds),) = together(1, partial(place.site.visitor().send, *result))
        assert answer.status == 200, answer
        taken.append((result, seconds))
    return taken


def assert_away(answers: list[tuple[Answer, float]], within: float) -> None:
    assert {answer.status for answer, _ in answers} == {503}
    assert all(int(answer.headers["retry-after"]) > 0 for answer, _ in answers)
    assert max(seconds for _, seconds in answers) < within


@pytest.mark.timing
@pytest.mark.parametrize("way", ["hangs", "is gone"])
def test_site_without_database_answers_503_and_recovers(place: Place, servers: Servers, way: str) -> None:
    # With a session, to find pages that read it without need.
    visitor = place.site.visitor(OWNER, PASSWORD)
    files = re.findall(r'"(/static/[^"]+\.(?:css|js))"', visitor.get("/offline/").text)
    assert files
    if way == "hangs":
        servers.hang(servers.postgresql)
    else:
        servers.postgresql.stop(signal.SIGQUIT)
    assert_away(together(6, lambda: visitor.get("/l/camarade/")), SOON)
    japanese, english = visitor.get("/l/camarade/"), visitor.get("/en/l/camarade/")
    assert_away([(japanese, 0), (english, 0)], SOON)
    assert "ただいま応答できません" in japanese.text
    assert "You can keep entering results" in english.text
    for address in (*files, "/sw.js", "/offline/", "/en/offline/", "/e/outbox/"):
        ((answer, seconds),) = together(1, partial(visitor.get, address))
        assert (address, answer.status) == (address, 200)
        assert seconds < SOON
    health = together(3, lambda: visitor.get("/healthz"))
    assert {answer.body for answer, _ in health} == {b'{"database": false, "broker": true}'}
    assert max(seconds for _, seconds in health) < SOON

    result = place.result()
    sent = together(1, lambda: visitor.send(*result))
    assert_away(sent, SOON)
    assert sent[0][0].said["state"] == "away"

    make_well(place, servers)
    assert visitor.get("/l/camarade/").status == 200
    assert visitor.send(*result).status == 200
    assert place.count(result) == 1
    assert place.lines("Traceback") == []


def test_result_with_an_unanswered_commit_is_stored_once(place: Place, servers: Servers) -> None:
    visitor, relay, result = place.site.visitor(), servers.relay, place.result()
    relay.swallows_after = b"COMMIT"
    assert_away(together(1, lambda: visitor.send(*result)), SOON)
    assert relay.swallowed.is_set(), "the database was not asked to keep it"
    servers.be_well()
    assert place.count(result) == 1, "the database has kept it, though nobody heard"
    make_well(place, servers)
    again = visitor.send(*result).said
    assert (again["state"], again["new"]) == ("saved", False)
    assert place.count(result) == 1


def test_result_waiting_for_a_lock_gets_a_response_in_time(place: Place, servers: Servers) -> None:
    visitor, result = place.site.visitor(), place.result()
    with psycopg.connect(servers.database_url) as other:
        other.execute("LOCK TABLE league_hanchan IN ACCESS EXCLUSIVE MODE")
        assert_away(together(1, lambda: visitor.send(*result)), SOON)
        # The database is fine: others are served, with one log line.
        assert visitor.get("/glossary/").status == 200
    assert visitor.send(*result).status == 200
    assert place.lines("a statement took too long")
    assert place.lines("Traceback") == []


def lose_little(seconds: list[float]) -> bool:
    """Return whether at most one entry in each of three processes lost seconds, compared with the other entries."""
    usual = statistics.median(seconds)
    losses = sorted(each - usual for each in seconds)
    return losses[-1] < SOON and losses[-1 - 3] < AT_ONCE


@pytest.mark.parametrize("way", ["hangs", "is gone"])
def test_results_are_stored_in_time_without_redis(place: Place, servers: Servers, way: str) -> None:
    one_by_one(place, 3)
    for _ in range(ROUNDS):
        if way == "hangs":
            servers.hang(servers.redis)
        else:
            servers.redis.stop(signal.SIGKILL)
        results = one_by_one(place, 12)
        if lose_little([seconds for _, seconds in results]):
            break
        make_well(place, servers)
    else:
        pytest.fail(f"too much is lost each time: {results}")
    assert place.lines("The broker does not respond")
    health = place.site.visitor(OWNER, PASSWORD).get("/healthz")
    assert (health.status, health.said) == (200, {"database": True, "broker": False})
    make_well(place, servers)
    assert [place.count(result) for result, _ in results] == [1] * len(results)
    assert place.lines("Traceback") == []


def test_proxy_without_web_processes_answers_503(tmp_path: Path) -> None:
    with started_proxy(tmp_path) as site:
        page, told = site.visitor().get("/l/camarade/"), site.visitor().send("/e/code/", {"do": "save"})
    assert_away([(page, 0), (told, 0)], SOON)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "ただいま応答できません" in page.text
    assert "The site is not responding" in page.text
    assert told.said["state"] == "away"
