"""Public pages read from a standby: nobody misses what they wrote, nobody notices that it is gone, and it can take over."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tests.conftest import needs_postgresql
from tests.deadlines import wait_until
from tests.postgresql import TEMPLATE, address
from tests.production.browsing import Visitor
from tests.production.servers import children_of
from tests.production.standbys import OWNER, PASSWORD, Pair, Web, own_pair, serving

pytestmark = [pytest.mark.long, needs_postgresql]

KILLS = int(os.environ.get("KILLS", "3"))
"""How often the standby is killed while people read; KILLS=100 for the long form."""

LATE = 2.0
"""Seconds that a page may be late at most, as docs/operating.md says."""

BACK_WITHIN = 30.0
"""Seconds after a promotion."""


@dataclass(frozen=True)
class Place:
    """A site that reads from a standby."""

    pair: Pair
    web: Web

    def statements(self, which: int) -> int:
        """Return how many statements a server was asked since it writes them down."""
        log = self.pair.folder / ("primary", "standby")[which] / "log"
        lines = log.read_text("utf-8", "replace").splitlines()
        return sum("LOG:  statement: " in line or "LOG:  execute " in line for line in lines)

    def saved(self, visitor: Visitor) -> str:
        """Save a result and return the address of its page."""
        answer = visitor.send(self.web.table, self.web.result())
        assert answer.status == 200, answer
        return f"/l/camarade/g/{json.loads(answer.body)['hanchan']}/"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with own_pair() as pair:
        standby = address(pair.ports[1], TEMPLATE)
        with serving(tmp_path_factory.mktemp("standby"), pair.both, REPLICA_URL=standby) as web:
            place = Place(pair, web)
            warm(place)
            yield place


def warm(place: Place) -> None:
    """Have every thread of the site look at both servers."""
    with reading(place, 8):
        time.sleep(1)


@contextmanager
def reading(place: Place, readers: int) -> Iterator[list[tuple[int, float]]]:
    """Have so many people look at pages in a block; give the status of each answer and after how many seconds it came."""
    seen: list[tuple[int, float]] = []
    is_over = threading.Event()

    def read(number: int) -> None:
        pages = (place.web.page, "/l/camarade/", "/l/camarade/players/", "/")
        for turn in range(1_000_000):
            if is_over.is_set():
                return
            begun = time.monotonic()
            # What is asked for is not kept: the servers have to be asked.
            answer = place.web.visitor().get(pages[(turn + number) % len(pages)])
            seen.append((answer.status, time.monotonic() - begun))
            is_over.wait(0.05)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(readers)]
    for thread in threads:
        thread.start()
    try:
        yield seen
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


@pytest.mark.timing
def test_a_reader_sees_what_they_wrote_though_the_standby_has_it_not(place: Place) -> None:
    writer, stranger = place.web.visitor(), place.web.visitor()
    stranger.get(place.web.page)
    place.pair.ask(1, "SELECT pg_wal_replay_pause()")
    try:
        address = place.saved(writer)
        begun = time.monotonic()
        assert address in writer.get(place.web.page).text
        assert writer.get(address).status == 200
        # Nobody else waits for long either; a page that is not there yet is looked for where it is.
        assert stranger.get(address).status == 200
        assert wait_until(lambda: address in stranger.get(place.web.page).text)
        assert time.monotonic() - begun < LATE + 1
    finally:
        place.pair.ask(1, "SELECT pg_wal_replay_resume()")


def test_public_pages_cost_the_primary_nothing(place: Place) -> None:
    """But where it stands, once in a while; somebody whose last write the standby lacks is answered by the primary."""
    place.pair.say("SET log_statement = 'all'")
    writer, stranger = place.web.visitor(), place.web.visitor()
    place.saved(writer)
    place.pair.ask(1, "SELECT pg_wal_replay_pause()")
    place.saved(writer)
    assert min(asked(place, writer)[0] for _ in range(3)) >= PAGES
    place.pair.ask(1, "SELECT pg_wal_replay_resume()")
    assert wait_until(place.pair.is_level)
    assert wait_until(lambda: asked(place, stranger)[1] >= PAGES)
    # In the background something is done now and then, on the primary alone.
    on_primary, on_standby = min(asked(place, stranger) for _ in range(5))
    assert on_primary <= 1, "where it stands"
    assert on_standby <= 3 * PAGES
    place.pair.say("RESET log_statement")


PAGES = 5


def asked(place: Place, visitor: Visitor) -> tuple[int, int]:
    """Return how many statements the servers are asked for so many times the same page."""
    before = [place.statements(which) for which in (0, 1)]
    for _ in range(PAGES):
        assert visitor.get(place.web.page).status == 200
    after = [place.statements(which) for which in (0, 1)]
    return after[0] - before[0], after[1] - before[1]


def test_the_host_is_told_how_far_the_standby_is_behind(place: Place) -> None:
    host = place.web.visitor()
    host.log_in(OWNER, PASSWORD)

    def says(words: str) -> bool:
        return words in host.get("/en/host/").text

    assert wait_until(lambda: says("has everything"))
    place.pair.ask(1, "SELECT pg_wal_replay_pause()")
    try:
        place.saved(place.web.visitor())
        assert wait_until(lambda: says("bytes behind") or says("KB behind"))
    finally:
        place.pair.ask(1, "SELECT pg_wal_replay_resume()")
    assert wait_until(lambda: says("has everything"))


@pytest.mark.timing
def test_nobody_notices_that_the_standby_is_killed(place: Place) -> None:
    gone = len(place.web.lines("The standby does not answer"))
    with reading(place, 4) as seen:
        for turn in range(KILLS):
            place.pair.kill(place.pair.standby)
            time.sleep(0.1)
            place.pair.begin_standby()
            back = gone + turn + 1
            assert wait_until(lambda back=back: len(place.web.lines("The standby answers again")) >= back)  # type: ignore[misc]
            # Somebody must be reading from it before it is killed again.
            assert wait_until(lambda: place.pair.ask(1, BUSY) != 0)
    assert {status for status, _ in seen} == {200}
    assert len(seen) > 10 * KILLS
    assert max(seconds for _, seconds in seen) < SOON
    assert place.web.lines("Traceback") == []


BUSY = f"SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '{TEMPLATE}' AND pid <> pg_backend_pid()"

SOON = 5.0


@pytest.mark.timing
def test_a_standby_that_hangs_costs_a_moment_once(place: Place) -> None:
    server = place.pair.standby
    with reading(place, 4) as seen:
        stopped = [server.pid, *children_of(server.pid)]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(SOON)
            at_last = time.monotonic(), len(seen)
            time.sleep(1)
        finally:
            for pid in stopped:
                os.kill(pid, signal.SIGCONT)
    assert {status for status, _ in seen} == {200}
    assert max(seconds for _, seconds in seen) < SOON
    assert max(seconds for _, seconds in seen[at_last[1] :]) < 1


@dataclass
class Phone(threading.Thread):
    """Sends results, each again until it is acknowledged."""

    place: Place
    is_over: threading.Event
    acknowledged: dict[str, float]

    def __post_init__(self) -> None:
        super().__init__()

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        while not self.is_over.is_set():
            result, table = self.place.web.result(), self.place.web.table
            while True:
                answer = self.place.web.visitor().send(table, result)
                if answer.status == 200:
                    break
                assert answer.status in {0, 503}, answer
                time.sleep(0.5)
            self.acknowledged[result["client_key"]] = time.monotonic()
            time.sleep(0.3)


def test_a_standby_takes_over_while_results_are_sent(place: Place) -> None:
    """The last test of this file: the primary is gone afterwards."""
    pair = place.pair
    pair.ask(0, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    pair.ask(0, "SELECT pg_reload_conf()")
    assert wait_until(lambda: pair.ask(0, "SELECT sync_state FROM pg_stat_replication") == "sync")
    acknowledged: dict[str, float] = {}
    is_over = threading.Event()
    phones = [Phone(place, is_over, acknowledged) for _ in range(3)]
    with reading(place, 2) as seen:
        for phone in phones:
            phone.start()
        try:
            assert wait_until(lambda: len(acknowledged) >= 10)
            pair.kill(pair.primary)
            gone = time.monotonic()
            time.sleep(1)
            pair.ask(1, "SELECT pg_promote()")
            promoted = time.monotonic()
            assert wait_until(lambda: sum(at > promoted for at in acknowledged.values()) >= 10, 2 * BACK_WITHIN)
        finally:
            is_over.set()
            for phone in phones:
                phone.join()
    back = min(at for at in acknowledged.values() if at > gone) - promoted
    assert back < BACK_WITHIN
    keys = "', '".join(acknowledged)
    stored = f"SELECT COUNT(*) FROM league_hanchan WHERE client_key IN ('{keys}')"
    assert pair.ask(1, stored) == len(acknowledged), "nothing that was acknowledged is lost, and nothing counts twice"
    # Whoever only reads was answered all the while.
    assert {status for status, _ in seen} == {200}
