import os
import signal
from pathlib import Path

import pytest
from celery import current_app
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from redis import Redis

from config.cache import PREFIX, ForgivingRedisCache
from league.exports.hanchan import FileLayout, hanchan_table, hanchan_within
from league.http.caching import KEEP
from tests.conftest import needs_postgresql
from tests.league.factories import make_league, make_session, play
from tests.postgresql import INITDB
from tests.processes import end, free_port, listens, spawn, wait_for
from tests.production.compose import SERVICES, command
from tests.services import redis_binary

PAGES = 200
PAGE = 100_000
"""Bytes of a rendered page; all of them are twice what fits."""


def test_full_cache_evicts_pages_and_keeps_tasks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    port = free_port()
    said = command("broker", **{"redis-server": redis_binary(), "256mb": "8mb"})
    assert "8mb" in said
    server = spawn([*said, "--port", port, "--bind", "127.0.0.1", "--dir", tmp_path], tmp_path / "log", signal.SIGTERM)
    wait_for(server, lambda: listens(port), tmp_path / "log")
    try:
        assert_room_is_made(f"redis://127.0.0.1:{port}/0")
    finally:
        end(server, signal.SIGTERM)
    assert caplog.messages == []


def assert_room_is_made(address: str) -> None:
    cache = ForgivingRedisCache(address, {})
    send(address)
    for number in range(PAGES):
        cache.set(f"html:{number}", os.urandom(PAGE), KEEP)
    send(address)
    cache.set("html:last", "kept")
    assert cache.get("html:last") == "kept"
    with Redis.from_url(address) as redis:
        assert redis.llen("boards") == 2, "a task is gone"
        assert 0 < redis.dbsize() < PAGES, "the cache was not full"
        kinds = {(key.startswith(f"{PREFIX}:".encode()), redis.ttl(key) > 0) for key in redis.scan_iter()}
    assert kinds == {(True, True), (False, False)}, "everything kept has its end, and nothing of the queue has one"


def send(address: str) -> None:
    with current_app.connection(address) as broker:
        current_app.send_task("league.sweep_stale_periods", connection=broker)


def test_production_database_sorts_by_code_point() -> None:
    assert "--no-locale" in SERVICES["database"]["environment"]["POSTGRES_INITDB_ARGS"].split()
    assert "--no-locale" in INITDB


@needs_postgresql
@pytest.mark.django_db
@pytest.mark.parametrize(("is_pooled", "cursors"), [(True, 0), (False, 1)])
def test_export_leaves_no_cursor_in_a_pool(monkeypatch: pytest.MonkeyPatch, *, is_pooled: bool, cursors: int) -> None:
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", is_pooled)
    monkeypatch.setattr("league.selectors.plain_rows.HANCHAN_AT_ONCE", 1)
    session = make_session(league := make_league())
    play(session)
    play(session)
    rows = hanchan_table(league, hanchan_within(league), AnonymousUser(), FileLayout()).rows()
    assert next(rows)
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_cursors WHERE statement ILIKE 'declare%'")
        assert cursor.fetchone() == (cursors,)
    assert len(list(rows)) == 7
