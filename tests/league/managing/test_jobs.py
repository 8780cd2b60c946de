from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from league.models import (
    Board,
    Hanchan,
    ImportBatch,
    Job,
    League,
    Revision,
    Session,
    SignOfLife,
    Standing,
)
from league.selectors.host import host_state
from league.selectors.impact import impact_of
from league.selectors.progress import LOST_AFTER, SILENT_AFTER, pace_of
from league.services import jobs
from league.services.attempts import TryLimit
from league.services.boards import OnProgress, Progress, StoppedError, rebuild_boards, unwatched
from league.services.calendar import set_session_state
from league.services.history import SYSTEM
from league.services.imports.steps import discard_old_drafts
from league.services.job_requests import JobRunningError, start_job
from league.services.jobs import progress_writer, run, sweep
from league.services.rescoring import scored_otherwise
from league.services.results import restore_hanchan, void_hanchan
from scoring.core import Bust
from tests.deadlines import wait_until
from tests.league.entry_contexts import JSON, at, link_of, typed, url
from tests.league.factories import make_league, make_players, make_session, next_version, play, settle
from tests.league.factories import run as run_command

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def start(league: League, kind: str = "rebuild", **parameters: Any) -> Job:
    return start_job(league=league, kind=Job.Kind(kind), by=SYSTEM, parameters=parameters)


def run_now(job: Job) -> Job:
    run(job.pk)
    job.refresh_from_db()
    return job


def page_of(client: Client, job: Job) -> Any:
    return client.get(url("job", job.league, job.pk))


def test_only_one_job_of_a_kind_runs_at_a_time(league: League) -> None:
    job = start(league)
    with pytest.raises(JobRunningError) as refusal:
        start(league)
    assert refusal.value.job == job
    start(league, "impact", version=league.current_version_id)


def test_rebuild_repairs_wrong_standings(league: League) -> None:
    play(make_session(league))
    settle()
    Standing.objects.update(total=0, score=0)
    job = run_now(start(league))
    assert (job.state, job.result, job.done, job.total) == (Job.State.DONE, {"changed": 3}, 3, 3)
    assert Standing.objects.filter(period="all", total=21700).exists()


def test_job_cancelled_from_its_page_before_it_starts_never_starts(league: League, organiser: Client) -> None:
    job = start(league)
    page = organiser.get(url("manage", league)).content.decode()
    assert url("job", league, job.pk) in page
    organiser.post(url("job_cancel", league, job.pk))
    assert run_now(job).state == Job.State.CANCELLED
    assert not Board.objects.exists()


def test_cancelled_job_stops_at_its_next_step(league: League) -> None:
    job = start(league)
    report = progress_writer(job)
    Job.objects.filter(pk=job.pk).update(cancel_requested=True)
    with pytest.raises(StoppedError):
        report(Progress(1, 3, "2025-11"))


def test_failed_job_keeps_its_error_and_raises_it(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(job: Job, report: Callable[[Progress], None]) -> dict[str, Any]:
        raise OSError("disk full")

    monkeypatch.setitem(jobs.WORK, Job.Kind.REBUILD, fail)
    job = start(league)
    with pytest.raises(OSError, match="disk full"):
        run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.FAILED, "OSError: disk full")


def test_sweep_resends_only_jobs_with_a_lost_message(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    monkeypatch.setattr("league.background.send", lambda _, job: sent.append(job))
    job = start(league)
    assert sent == [job.pk]
    for _ in range(3):
        sweep()
    assert sent == [job.pk]
    # Sent long ago, or before send times were stored: the message may be lost, so resend it once.
    for long_ago in (timezone.now() - LOST_AFTER - timedelta(seconds=1), None):
        Job.objects.filter(pk=job.pk).update(sent_at=long_ago)
        sent.clear()
        for _ in range(3):
            sweep()
        assert sent == [job.pk]


def test_running_job_is_not_resent_or_started_twice(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    job = start(league)
    long_ago = timezone.now() - timedelta(days=1)
    begun: list[int] = []

    def work(job: Job, report: Callable[[Progress], None]) -> dict[str, Any]:
        begun.append(job.pk)
        Job.objects.filter(pk=job.pk).update(created_at=long_ago, started_at=long_ago, sent_at=long_ago)
        report(Progress(1, 2, ""))
        sweep()
        run(job.pk)
        return {"changed": 0}

    monkeypatch.setitem(jobs.WORK, Job.Kind.REBUILD, work)
    assert run_now(job).state == Job.State.DONE
    assert begun == [job.pk]
    sweep()
    run(job.pk)
    assert begun == [job.pk]


def test_sweep_deletes_old_unused_uploads(league: League) -> None:
    running = start(league)
    states = ("draft", "failed", "draft", "draft", "done", "running", "undone")
    batches = [ImportBatch.objects.create(league=league, data=b"x", state=state) for state in states]
    old = timezone.now() - timedelta(days=31)
    ImportBatch.objects.exclude(pk=batches[2].pk).update(created_at=old)
    ImportBatch.objects.filter(pk=batches[3].pk).update(job=running)
    assert discard_old_drafts(timezone.now()) == 2
    assert set(league.imports.values_list("pk", flat=True)) == {batch.pk for batch in batches[2:]}
    ImportBatch.objects.filter(pk=batches[2].pk).update(created_at=old)
    sweep()
    assert not league.imports.filter(pk=batches[2].pk).exists()


def test_pace_gives_rate_and_remaining_time(league: League) -> None:
    now = timezone.now()
    job = Job(league=league, started_at=now - timedelta(seconds=10), moved_at=now, done=25, total=100)
    assert (pace_of(job).rate, pace_of(job).left) == ("2.5", 30)
    assert pace_of(Job(league=league, started_at=now, moved_at=now, done=5, total=10)).left is None
    assert pace_of(Job(league=league)).rate == ""


def test_preview_stores_nothing_and_predicts_the_rescoring(league: League, session: Session) -> None:
    players = make_players(league, 4)
    play(session, (31000, 30900, 20100, 18000), players)
    play(session, (15000, 31500, 31600, 21900), players)
    settle()
    version = next_version(league, oka="0", return_points=25000)
    before = list(Standing.objects.order_by("pk").values())
    promised = impact_of(run_now(start(league, "impact", version=version.pk)))
    assert promised is not None
    assert (promised.hanchan, promised.changed, promised.boards, promised.refused_count) == (2, 2, 3, 0)
    assert promised.players
    assert list(Standing.objects.order_by("pk").values()) == before
    assert Hanchan.objects.filter(ruleset_version=version).count() == 0
    job = run_now(start(league, "rescore", version=version.pk))
    assert job.result == {"hanchan": 2, "changed": 2, "refused_count": 0}
    settle()
    for board in promised.moved:
        for move in board.moves:
            assert Standing.objects.get(period=board.period.key, player=move.player).rank == move.after
    assert Revision.objects.filter(action="rescored").count() == 2


def test_hanchan_refused_by_new_rules_keep_their_points(league: League, session: Session, organiser: Client) -> None:
    kept = play(session, (60000, 25000, 16000, -1000), busts=[Bust(seat=3, by="win", winners=(0,))])
    play(session)
    version = next_version(league, tie=None, leftover=None, bust={"ends": "never"})
    job = run_now(start(league, "rescore", version=version.pk))
    kept.refresh_from_db()
    assert (job.result or {})["refused_count"] == 1
    assert kept.ruleset_version != version
    preview = run_now(start(league, "impact", version=version.pk))
    found = impact_of(preview)
    assert found is not None
    assert [refusal.hanchan for refusal in found.refused] == [kept.pk]
    assert page_of(organiser, preview).status_code == 200


def test_voided_hanchan_is_rescored_only_when_restored(league: League) -> None:
    hanchan = play(make_session(league))
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="twice")
    version = next_version(league, oka="0")
    found = impact_of(run_now(start(league, "impact", version=version.pk)))
    assert found is not None
    assert (found.hanchan, found.changed, found.players) == (0, 0, ())
    run_now(start(league, "rescore", version=version.pk))
    hanchan.refresh_from_db()
    assert hanchan.ruleset_version != version
    restored = restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="it was right")
    assert scored_otherwise(league, version).count() == 1
    run_now(start(league, "rescore", version=version.pk))
    restored.refresh_from_db()
    assert restored.ruleset_version == version


@pytest.mark.long
def test_job_page_shows_every_kind_and_state(league: League, organiser: Client) -> None:
    now = timezone.now()
    moments = {"started_at": now - timedelta(seconds=4), "moved_at": now, "finished_at": now}
    facts = {"done": 3, "total": 9, "last_item": "2025-11", "parameters": {"version": league.current_version_id}}
    for kind, state in product(Job.Kind, Job.State):
        result = {"changed": 1} if state == Job.State.DONE else None
        job = Job.objects.create(league=league, kind=kind, state=state, result=result, **moments, **facts)
        page = page_of(organiser, job)
        assert page.status_code == 200
        assert ("every 1s" in page.content.decode()) is (not job.is_over)
        job.delete()


def test_interrupted_job_is_started_again_from_its_page(league: League, organiser: Client) -> None:
    job = Job.objects.create(league=league, kind=Job.Kind.REBUILD, state=Job.State.INTERRUPTED)
    answer = organiser.post(url("job", league, job.pk))
    assert answer["Location"] == url("job", league, Job.objects.exclude(pk=job.pk).get().pk)


def test_rebuild_requested_twice_starts_once(league: League, organiser: Client) -> None:
    addresses = {organiser.post(url("rebuild", league))["Location"] for _ in range(2)}
    assert len(addresses) == 1


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
    assert "differences" not in run_command("verify", league.slug, "--quiet")


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
