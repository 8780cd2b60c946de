"""Nobody's boards wait behind another league's: one message while one waits, and a turn that ends."""

import threading
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import pytest
import redis
from django.conf import settings
from django.db import connections

from league import background
from league.models import Board, StalePeriod
from league.services import boards
from league.services.boards import REFRESH_TASK, mark_all_stale
from league.tasks import refresh_standings, sweep_stale_periods
from tests.deadlines import wait_until
from tests.league.factories import make_league, make_session, play, settle

pytestmark = pytest.mark.django_db(transaction=True)

QUEUE = "boards"


@pytest.fixture(autouse=True)
def broker() -> Iterator[redis.Redis]:
    """The queue, empty before and after."""
    with redis.Redis.from_url(settings.REDIS_URL) as queue:
        queue.flushdb()
        yield queue
        queue.flushdb()


def test_one_message_waits_for_each_league(broker: redis.Redis) -> None:
    first, second = make_session(make_league()), make_session(make_league("other"))
    for session in (first, first, second, first):
        play(session)
    boards.sweep()
    assert broker.llen(QUEUE) == 2


def test_what_comes_once_a_message_is_begun_sends_another(broker: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    session = make_session(make_league())
    play(session)
    broker.delete(QUEUE)
    waiting: list[int] = []

    def refresh(league_id: int) -> int:
        play(session)
        waiting.append(broker.llen(QUEUE))
        return 0

    monkeypatch.setattr(boards, "refresh_in_turn", refresh)
    background.run_here(background.Message(REFRESH_TASK, (session.league_id,)))
    assert waiting == [1]


def test_a_message_that_was_lost_holds_back_none_for_long(broker: redis.Redis) -> None:
    play(make_session(make_league()))
    [note] = broker.scan_iter("*:waits:*")
    # Else most sweeps would find the note of a lost message, and leave the boards to the next one.
    assert 0 < broker.ttl(note) <= boards_are_swept_every() / 4


def boards_are_swept_every() -> float:
    """Seconds between two sweeps."""
    return float(settings.CELERY_BEAT_SCHEDULE["sweep"]["schedule"])


def test_a_queue_that_keeps_no_notes_takes_messages(broker: redis.Redis) -> None:
    session = make_session(make_league())
    broker.config_set("maxmemory", 1)
    try:
        with pytest.raises(redis.ResponseError):
            broker.set("anything", 1)
    finally:
        broker.config_set("maxmemory", 0)
    play(session)
    assert broker.llen(QUEUE) == 1


def test_the_embedded_worker_keeps_one_message(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = ""
    may_go_on, begun, done = threading.Event(), threading.Event(), []

    def run_here(message: background.Message) -> None:
        begun.set()
        may_go_on.wait(20)
        done.append((message.task, message.args))

    monkeypatch.setattr(background, "run_here", run_here)
    background.send("work", 1)
    assert begun.wait(20)
    for _ in range(3):
        background.send("work", 1)
        background.send("work", 2)
    may_go_on.set()
    background.retire()
    assert done == [("work", (1,)), ("work", (1,)), ("work", (2,))]


# --- Turns ----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_league_with_much_to_do_lets_others_go_first(broker: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
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
    # Behind that of the other league.
    assert broker.llen(QUEUE) == 2
    for _ in range(stale):
        refresh_standings(large.pk)
    assert not StalePeriod.objects.filter(league=large).exists()


def test_a_board_that_fails_ends_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the league would ask for its turn again and again, and never come further."""
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


def test_sums_of_many_sessions_have_turns_too(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    for day in range(3):
        play(make_session(league, day=date(2025, 11, 1 + day)))
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr(background, "send", lambda *message: sent.append(message))
    monkeypatch.setattr(boards, "SESSIONS_IN_TURN", 2)
    boards.refresh_in_turn(league.pk)
    assert sent == [(REFRESH_TASK, league.pk)]
    sent.clear()
    boards.refresh_in_turn(league.pk)
    assert sent == []


@pytest.mark.long
def test_two_sweeps_at_once_do_no_harm(broker: redis.Redis, start_worker: Callable[[], object]) -> None:
    """As when beat runs twice."""
    sessions = [make_session(make_league(f"league-{number}")) for number in range(3)]
    for session in sessions:
        play(session)
    broker.flushdb()
    twice = [threading.Thread(target=_swept) for _ in range(2)]
    for thread in twice:
        thread.start()
    for thread in twice:
        thread.join(30)
    names = [name for name in broker.lrange(QUEUE, 0, -1) if REFRESH_TASK.encode() in name]
    assert len(names) == len(sessions)
    start_worker()
    assert wait_until(lambda: not StalePeriod.objects.exists())
    assert set(Board.objects.values_list("hanchan", "version")) == {(1, 1)}


def _swept() -> None:
    try:
        sweep_stale_periods()
    finally:
        connections.close_all()
