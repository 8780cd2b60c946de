"""One Redis for the queue and the cache, as compose.yaml starts it: a full cache makes room and refuses no task."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import current_app
from redis import Redis

from config.cache import PREFIX, ForgivingRedisCache
from league.http.caching import KEEP
from tests.processes import end, free_port, listens, spawn, wait_for
from tests.production.compose import command
from tests.services import redis_binary

TASK = "league.sweep_stale_periods"
PAGES = 200
PAGE = 100_000
"""Bytes of a rendered page; all of them are twice what fits."""


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A Redis that was started by the command of compose.yaml, only smaller: its address and its process."""
    port = free_port()
    said = command("broker", **{"redis-server": redis_binary(), "256mb": "8mb"})
    assert "8mb" in said
    server = spawn([*said, "--port", port, "--bind", "127.0.0.1", "--dir", tmp_path], tmp_path / "log", signal.SIGTERM)
    wait_for(server, lambda: listens(port), tmp_path / "log")
    yield f"redis://127.0.0.1:{port}/0", server
    end(server, signal.SIGTERM)


@pytest.fixture
def address(broker: tuple[str, subprocess.Popen[bytes]]) -> str:
    """Where that Redis listens."""
    return broker[0]


def test_a_full_cache_refuses_no_task(address: str, caplog: pytest.LogCaptureFixture) -> None:
    cache = ForgivingRedisCache(address, {})
    send(address)
    for number in range(PAGES):
        cache.set(f"html:{number}", os.urandom(PAGE), KEEP)
    send(address)
    cache.set("html:last", "kept")
    assert cache.get("html:last") == "kept"
    assert caplog.messages == []
    with Redis.from_url(address) as redis:
        assert redis.llen("boards") == 2, "a task is gone"
        assert 0 < redis.dbsize() < PAGES, "the cache was not full"
        kinds = {(key.startswith(f"{PREFIX}:".encode()), redis.ttl(key) > 0) for key in redis.scan_iter()}
    assert kinds == {(True, True), (False, False)}, "everything kept has its end, and nothing of the queue has one"


def send(address: str) -> None:
    with current_app.connection(address) as broker:
        current_app.send_task(TASK, connection=broker)
