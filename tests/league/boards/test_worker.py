"""Board refreshes with a real worker, Redis and PostgreSQL, also when one of them fails.

Every safeguard has a control: the same scenario without it, where the board stays wrong.
"""

import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from typing import Any

import psycopg
import pytest
import redis
from celery import current_app
from django.conf import settings
from django.db import connection, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league import background
from league.background import retire, wake
from league.core.periods import parse_period
from league.models import Board, League, Session, StalePeriod, Standing
from league.selectors import standings_sql
from league.selectors.boards import live_lines
from league.selectors.standings_sql import STATEMENT
from league.services import board_refreshing, boards
from league.services.boards import mark_all_stale
from league.tasks import refresh_standings
from tests.conftest import database_url
from tests.deadlines import patience, wait_until
from tests.league.factories import make_league, make_players, make_session, play, settle
from tests.league.races import somebody_waits_for_a_lock
from tests.processes import free_port

pytestmark = pytest.mark.django_db(transaction=True)

MONTH = parse_period("2025-11")
StartWorker = Callable[[], "subprocess.Popen[bytes]"]


@pytest.fixture(autouse=True)
def broker() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(settings.REDIS_URL) as queue:
        queue.flushdb()
        yield queue
        queue.flushdb()


def counted(league: League) -> dict[str, int]:
    return dict(Board.objects.filter(league=league, computed_at__isnull=False).values_list("period", "hanchan"))


def is_right(league: League) -> bool:
    stored = {line.player_id: line.total for line in Standing.objects.filter(league=league, period=MONTH.key)}
    return stored == {line.player_id: line.total for line in live_lines(league, MONTH)}


@pytest.mark.merge
def test_sweep_refreshes_boards_after_the_worker_was_killed(broker: redis.Redis, start_worker: StartWorker) -> None:
    session = make_session(make_league())
    play(session)
    settle()
    broker.flushdb()
    worker = start_worker()
    with psycopg.connect(database_url()) as holder:
        # The boards are locked, so the worker dies while it holds the message.
        holder.execute("SELECT id FROM league_board FOR UPDATE")
        play(session, (50000, 30000, 15000, 5000))
        assert wait_until(somebody_waits_for_a_lock)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert counted(session.league) == {"2025-11": 1, "2025": 1, "all": 1}
    assert not is_right(session.league)
    settle()
    assert is_right(session.league)


def in_thread(work: Callable[[], object]) -> threading.Thread:

    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_concurrent_refreshes_make_one_board(session: Session) -> None:
    for raw in ((31700, 31300, 25500, 11500), (50000, 30000, 15000, 5000), (25000, 25000, 26000, 24000)):
        play(session, raw)
    for thread in [in_thread(lambda: boards.refresh_board(session.league, MONTH)) for _ in range(8)]:
        thread.join()
    assert is_right(session.league)
    board = Board.objects.get(league=session.league, period=MONTH.key)
    assert (board.version, board.hanchan) == (1, 3)
    assert Standing.objects.filter(period=MONTH.key).count() == 4


@pytest.mark.merge
@pytest.mark.parametrize("has_lock", [True, False])
def test_slow_refresh_never_overwrites_a_newer_one(monkeypatch: pytest.MonkeyPatch, *, has_lock: bool) -> None:
    session = make_session(make_league())
    play(session)
    settle()
    play(session, (30000, 30000, 20000, 20000))
    if not has_lock:
        monkeypatch.setattr(board_refreshing, "lock_boards", lambda league: None)
    monkeypatch.setattr(standings_sql, "STATEMENT", asleep(2))
    first = in_thread(lambda: boards.refresh_board(session.league, MONTH))
    assert wait_until(_a_query_sleeps)
    # The slow refresh has read the facts by now; another fact follows, with a refresh that overtakes if it can.
    monkeypatch.setattr(standings_sql, "STATEMENT", STATEMENT)
    play(session, (50000, 30000, 15000, 5000))
    second = in_thread(lambda: boards.refresh_board(session.league, MONTH))
    for thread in (first, second):
        thread.join()
    assert is_right(session.league) == has_lock


def asleep(seconds: int) -> str:
    """Return the query that sums seats, with a sleep after it has taken its snapshot."""
    slow = STATEMENT.replace(") AS line", f") AS line CROSS JOIN (SELECT pg_sleep({seconds})) AS nap")
    assert slow != STATEMENT
    return slow


def _a_query_sleeps() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
        return bool(cursor.fetchone()[0])


@pytest.mark.merge
def test_result_saved_during_a_refresh_leaves_a_stale_board(monkeypatch: pytest.MonkeyPatch, session: Session) -> None:
    play(session)
    with monkeypatch.context() as slowed:
        slowed.setattr(standings_sql, "STATEMENT", asleep(1))
        refresh = in_thread(lambda: boards.refresh_board(session.league, MONTH))
        assert wait_until(_a_query_sleeps)
        play(session, (50000, 30000, 15000, 5000))
        refresh.join()
    assert StalePeriod.objects.filter(period=MONTH.key).count() == 1
    settle()
    assert is_right(session.league)
    assert not StalePeriod.objects.exists()


@pytest.mark.merge
def test_entry_works_without_redis_and_the_sweep_catches_up(monkeypatch: pytest.MonkeyPatch, session: Session) -> None:
    play(session)
    settle()
    away = current_app.connection(f"redis://127.0.0.1:{free_port()}/0")
    monkeypatch.setattr(background._broker, "left_alone_until", 0.0)
    monkeypatch.setattr(current_app, "send_task", partial(current_app.send_task, connection=away))
    begun = time.monotonic()
    wake()
    play(session, (50000, 30000, 15000, 5000))
    assert time.monotonic() - begun < patience(1)
    assert background._broker.left_alone_until > begun
    assert session.hanchan.count() == 2
    assert not is_right(session.league)
    # The page shows the age of its numbers while the board is stale.
    page = Client().get("/en/l/camarade/standings/2025-11/").content.decode()
    assert "As of" in page
    assert "recalculating" in page
    settle()
    assert is_right(session.league)
    page = Client().get("/en/l/camarade/standings/2025-11/").content.decode()
    assert "recalculating" not in page


@pytest.mark.merge
def test_embedded_worker_refreshes_stale_boards_at_startup(settings: Any, session: Session) -> None:
    # With Redis but without a worker nothing happens; then the site starts its embedded worker.
    play(session)
    settings.REDIS_URL = ""
    wake()
    assert wait_until(lambda: counted(session.league) == {"2025-11": 1, "2025": 1, "all": 1})
    assert wait_until(lambda: not StalePeriod.objects.exists())


def embedded_workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("tenbo-background")]


@pytest.mark.merge
def test_embedded_worker_finishes_its_work_and_restarts(settings: Any) -> None:
    settings.REDIS_URL = ""
    session = make_session(make_league())
    play(session)
    retire()
    assert not embedded_workers()
    assert counted(session.league) == {"2025-11": 1, "2025": 1, "all": 1}
    play(session)
    assert embedded_workers()
    retire()
    assert counted(session.league) == {"2025-11": 2, "2025": 2, "all": 2}


def test_tasks_sent_by_tasks_finish_before_embedded_workers_do(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = ""
    done, may_end = [], threading.Event()

    def run_here(message: background.Message) -> None:
        may_end.wait(20)
        done.append(message.task)
        if message.task == "first":
            background.send("second")

    monkeypatch.setattr(background, "run_here", run_here)
    background.send("first")
    ending = in_thread(retire)
    may_end.set()
    ending.join(20)
    assert done == ["first", "second"]
    assert not embedded_workers()


def test_embedded_worker_does_quick_tasks_before_long_tasks(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = ""
    done, may_go_on = [], threading.Event()

    def run_here(message: background.Message) -> None:
        may_go_on.wait(20)
        done.append(message.task)

    monkeypatch.setattr(background, "run_here", run_here)
    for task in ("begun", "league.run_job", "league.refresh_standings"):
        background.send(task)
    may_go_on.set()
    retire()
    assert done[-2:] == ["league.refresh_standings", "league.run_job"]


def test_sweep_only_sends_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = make_session(make_league()), make_session(make_league("other"))
    for session in (first, first, second):
        play(session)
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr(background, "send", lambda *message: sent.append(message))
    with CaptureQueriesContext(connection) as queries:
        boards.sweep()
    assert len(queries) == 1
    assert sorted(sent) == [(boards.REFRESH_TASK, first.league_id), (boards.REFRESH_TASK, second.league_id)]
    assert not Board.objects.exists()


ROUND = 40
"""Number of tables that finish at the same time."""


@pytest.mark.merge
def test_worker_refreshes_concurrent_results_without_the_sweep(start_worker: StartWorker, session: Session) -> None:
    make_players(session.league)
    play(session)
    time.sleep(0.5)
    assert counted(session.league) == {}, "it is the worker that refreshes, not the entry"
    start_worker()

    def enter() -> None:
        for _ in range(ROUND // 4):
            play(session)

    for writer in [in_thread(enter) for _ in range(4)]:
        writer.join()
    # No sweep here, as there is no beat.
    assert wait_until(lambda: not StalePeriod.objects.exists())
    assert counted(session.league) == dict.fromkeys(("2025-11", "2025", "all"), ROUND + 1)
    assert is_right(session.league)


@pytest.mark.long
def test_league_of_many_stale_boards_lets_others_first(broker: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    large, small = make_league(), make_session(make_league("other"))
    for month in range(boards.TOGETHER):
        play(make_session(large, day=date(2024, 1, 15) + timedelta(days=31 * month)))
    settle()
    mark_all_stale(large)
    broker.flushdb()
    stale = StalePeriod.objects.filter(league=large).count()
    assert stale > boards.TOGETHER
    monkeypatch.setattr(boards, "TURN", 0)
    play(small)
    refresh_standings(large.pk)
    assert StalePeriod.objects.filter(league=large).count() == stale - 1
    # Queued behind the other league's task.
    assert broker.llen("boards") == 2
    for _ in range(stale):
        refresh_standings(large.pk)
    assert not StalePeriod.objects.filter(league=large).exists()


def test_failing_board_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    for month in range(boards.TOGETHER):
        play(make_session(league, day=date(2024, 1, 15) + timedelta(days=31 * month)))
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr(background, "send", lambda *message: sent.append(message))
    monkeypatch.setattr(boards, "TURN", 0)
    monkeypatch.setattr(boards, "_is_refreshed", lambda _, key: key == "2024-03")
    assert boards.refresh_in_turn(league.pk) == 1
    monkeypatch.setattr(boards, "_is_refreshed", lambda *_: False)
    sent.clear()
    assert boards.refresh_in_turn(league.pk) == 0
    assert sent == []
