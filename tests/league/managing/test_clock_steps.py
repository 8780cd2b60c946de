from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from league.models import Hanchan, Job, Session, SignOfLife, Standing
from league.selectors.host import host_state
from league.selectors.progress import LOST_AFTER, SILENT_AFTER
from league.services import jobs
from league.services.attempts import TryLimit
from league.services.boards import OnProgress, Progress, rebuild_boards, unwatched
from league.services.calendar import set_session_state
from league.services.history import SYSTEM
from league.services.job_requests import start_job
from tests.deadlines import wait_until
from tests.league.entry_contexts import JSON, at, link_of, typed
from tests.league.factories import make_league, make_players, make_session, run, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

MoveClock = Callable[..., None]

YEARS = 365 * 10


@pytest.fixture
def move_clock() -> Iterator[MoveClock]:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        yield lambda **time: clock.shift(timedelta(**time))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    messages: list[tuple[object, ...]] = []
    monkeypatch.setattr("league.background.send", lambda *message: messages.append(message))
    return messages


def state_of(job: Job) -> str:
    return Job.objects.values_list("state", flat=True).get(pk=job.pk)


def test_lost_job_message_is_resent_after_the_clock_is_set_back(
    move_clock: MoveClock, sent: list[tuple[object, ...]]
) -> None:
    job = start_job(league=make_league(), kind=Job.Kind.REBUILD, by=SYSTEM)
    sent.clear()
    move_clock(days=-YEARS)
    jobs.sweep()
    assert sent == []
    move_clock(seconds=(LOST_AFTER + timedelta(seconds=1)).total_seconds())
    jobs.sweep()
    assert [message[1] for message in sent] == [job.pk]


@pytest.mark.usefixtures("sent")
def test_job_of_a_dead_worker_is_found_after_the_clock_is_set_back(move_clock: MoveClock) -> None:
    job = start_job(league=make_league(), kind=Job.Kind.REBUILD, by=SYSTEM)
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING, started_at=now, moved_at=now)
    move_clock(days=-1)
    # The job may still be running: its time limit starts now.
    jobs.sweep()
    assert state_of(job) == Job.State.RUNNING
    move_clock(seconds=(SILENT_AFTER + timedelta(seconds=1)).total_seconds())
    jobs.sweep()
    assert state_of(job) == Job.State.INTERRUPTED


@pytest.mark.usefixtures("sent")
@pytest.mark.parametrize("days", [-2, 2])
def test_running_job_finishes_despite_clock_changes(
    move_clock: MoveClock, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    def step(job: Job, on_progress: OnProgress) -> dict[str, Any]:
        on_progress(Progress(1, 3, ""))
        move_clock(days=days)
        assert wait_until(lambda: is_written(on_progress, job))
        jobs.sweep()
        return {"done": True}

    def is_written(on_progress: OnProgress, job: Job) -> bool:
        on_progress(Progress(2, 3, ""))
        return Job.objects.values_list("done", flat=True).get(pk=job.pk) == 2

    monkeypatch.setitem(jobs.WORK, Job.Kind.REBUILD, step)
    job = start_job(league=make_league(), kind=Job.Kind.REBUILD, by=SYSTEM)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result) == (Job.State.DONE, {"done": True})


@pytest.mark.parametrize("steps", [(-1, 2), (40, -80), (-400, 400)], ids=str)
def test_results_during_clock_changes_are_saved_and_counted(move_clock: MoveClock, steps: tuple[int, int]) -> None:
    def lines() -> list[dict[str, Any]]:
        columns = ("period", "player", "rank", "total", "points", "hanchan")
        return list(Standing.objects.order_by("period", "player").values(*columns))

    league = make_league()
    make_players(league)
    session = make_session(league, league.day_of(timezone.now()))
    link = link_of(session)
    link.expires_at = timezone.now() + timedelta(days=YEARS)
    link.save(update_fields=["expires_at"])
    results = [typed(league, do="another") for _ in range(3)]
    for result, days in zip(results, (0, *steps), strict=True):
        move_clock(days=days)
        for _ in range(2):
            answer = Client().post(at(link), result, headers=JSON)
            assert (answer.status_code, answer.json()["state"]) == (200, "saved"), answer.content
        settle()
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    settle()
    assert Hanchan.objects.count() == 3
    kept = lines()
    rebuild_boards(league, unwatched)
    assert lines() == kept
    assert "differences" not in run("verify", league.slug, "--quiet")


def test_limit_resets_after_the_clock_is_set_back(move_clock: MoveClock) -> None:
    limit = TryLimit("tests", tries=2, seconds=60)
    assert [limit.use("ueno") for _ in range(3)] == [True, True, False]
    move_clock(days=-YEARS)
    assert [limit.use("ueno") for _ in range(3)] == [True, True, False]
    move_clock(seconds=61)
    assert limit.use("ueno")


def test_worker_last_seen_in_the_future_is_silent(move_clock: MoveClock) -> None:
    SignOfLife.note("boards")
    assert "boards" not in host_state().silent_workers
    move_clock(days=-1)
    assert "boards" in host_state().silent_workers
    SignOfLife.note("boards")
    assert "boards" not in host_state().silent_workers
