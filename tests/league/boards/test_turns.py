"""Nobody's boards wait behind another league's: a turn ends."""

import threading
from collections.abc import Callable, Iterator
from datetime import date, timedelta

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
    assert len(names) == 2 * len(sessions)
    start_worker()
    assert wait_until(lambda: not StalePeriod.objects.exists())
    assert set(Board.objects.values_list("hanchan", "version")) == {(1, 1)}


def _swept() -> None:
    try:
        sweep_stale_periods()
    finally:
        connections.close_all()
