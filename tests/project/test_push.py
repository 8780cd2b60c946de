"""Telling a publisher that is well, that refuses, that is dead and that hangs: whoever saves never waits for it."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic

import pytest
from pytest_django import Settings

from config.push import ASKED, Publisher
from tests.deadlines import wait_until
from tests.processes import free_port

AT_ONCE = 0.1
"""Seconds in which nobody has waited for a publisher, who gets 0.3 to answer."""


class Heard(ThreadingHTTPServer):
    """A publisher that answers with `status`, and what it was told."""

    status = 202
    allow_reuse_address = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Taking)
        self.told: list[tuple[str, str]] = []


class Taking(BaseHTTPRequestHandler):
    server: Heard

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        channel = self.path.rpartition("/")[2]
        if self.server.status == 202 and channel != ASKED:
            self.server.told.append((channel, said["version"]))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        return


@contextmanager
def heard(port: int = 0) -> Iterator[Heard]:
    with Heard(port) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def publish_many(publisher: Publisher) -> None:
    """Publish a thousand versions of one channel."""
    for number in range(1000):
        publisher.publish("board", f"{number}.1")


def seconds(work: Callable[[], object]) -> float:
    begun = monotonic()
    work()
    return monotonic() - begun


@pytest.fixture
def publisher() -> Publisher:
    return Publisher()


def test_a_publisher_is_told_the_newest_version_of_each_channel(publisher: Publisher, settings: Settings) -> None:
    with heard() as server:
        settings.PUSH_URL = f"http://127.0.0.1:{server.server_port}/publish/"
        publisher.publish("board", "17.1")
        assert wait_until(lambda: server.told == [("board", "17.1")])
        # While the lock is held nothing is taken away: both come at the same time.
        with publisher._changed:
            publisher._waiting |= {"wall": "18.2", "board": "18.2"}
            publisher._waiting["board"] = "19.3"
        publisher.publish("wall", "19.3")
        assert wait_until(lambda: server.told[1:] == [("wall", "19.3"), ("board", "19.3")])


@pytest.mark.timing
@pytest.mark.parametrize("hangs", [True, False])
def test_nobody_waits_for_one_that_hangs_or_is_gone_and_it_is_told_when_it_is_back(
    publisher: Publisher, settings: Settings, *, hangs: bool
) -> None:
    port = free_port()
    settings.PUSH_URL = f"http://127.0.0.1:{port}/publish"
    with closing(socket.socket()) as door:
        if hangs:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            door.bind(("127.0.0.1", port))
            door.listen()
        assert seconds(lambda: publisher.publish("board", "1.1")) < AT_ONCE
        assert wait_until(lambda: publisher.breaker.is_open)
        assert seconds(lambda: publish_many(publisher)) < AT_ONCE
    with heard(port) as server:
        assert wait_until(lambda: server.told == [("board", "999.1")])
    assert not publisher.breaker.is_open


def test_one_that_refuses_is_left_alone_and_no_more_waits_than_fits(
    publisher: Publisher, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.push.MOST_WAITING", 2)
    with heard() as server:
        server.status = 403
        settings.PUSH_URL = f"http://127.0.0.1:{server.server_port}/publish/"
        publisher.publish("board", "1.1")
        assert wait_until(lambda: publisher.breaker.is_open)
        for channel in ("wall", "third", "board"):
            publisher.publish(channel, "2.2")
        server.status = 202
        assert wait_until(lambda: len(server.told) == 2)
        assert sorted(server.told) == [("board", "2.2"), ("wall", "2.2")]


def test_without_a_thread_to_tell_nothing_breaks(
    publisher: Publisher, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_thread: threading.Thread) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    with heard() as server:
        settings.PUSH_URL = f"http://127.0.0.1:{server.server_port}/publish/"
        with monkeypatch.context() as crowded:
            crowded.setattr(threading.Thread, "start", start)
            publisher.publish("board", "1.1")
        publisher.publish("wall", "1.1")
        assert wait_until(lambda: sorted(server.told) == [("board", "1.1"), ("wall", "1.1")])
