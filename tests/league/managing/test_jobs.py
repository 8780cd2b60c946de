from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.models import Board, Hanchan, ImportBatch, Job, League, Revision, RulesetVersion, Standing
from league.selectors.impact import impact_of
from league.selectors.progress import LOST_AFTER, pace_of
from league.services import jobs
from league.services.boards import Progress, StoppedError
from league.services.history import SYSTEM
from league.services.imports.steps import discard_old_drafts
from league.services.job_requests import JobRunningError, start_job
from league.services.jobs import cancel_job, progress_writer, run, sweep
from league.services.rescoring import scored_otherwise
from league.services.results import restore_hanchan, void_hanchan
from league.services.rules import save_version
from scoring.core import Bust
from tests.league.factories import make_players, make_session, play, settle

pytestmark = pytest.mark.django_db


def begin(league: League, kind: str = "rebuild", **parameters: Any) -> Job:
    return start_job(league=league, kind=Job.Kind(kind), by=SYSTEM, parameters=parameters)


def ran(job: Job) -> Job:
    run(job.pk)
    job.refresh_from_db()
    return job


def next_version(league: League, **changed: object) -> RulesetVersion:
    assert league.current_version is not None
    old = league.current_version
    parameters = {name: value for name, value in {**old.parameters, **changed}.items() if value is not None}
    return save_version(ruleset=old.ruleset, parameters=parameters, note="", by=SYSTEM)


def page_of(client: Client, job: Job) -> Any:
    return client.get(reverse("league:job", args=[job.league.slug, job.pk]))


def test_one_job_of_a_kind_at_a_time(league: League) -> None:
    job = begin(league)
    with pytest.raises(JobRunningError) as refusal:
        begin(league)
    assert refusal.value.job == job
    begin(league, "impact", version=league.current_version_id)


def test_rebuild_repairs_wrong_boards(league: League) -> None:
    play(make_session(league))
    settle()
    Standing.objects.update(total=0, score=0)
    job = ran(begin(league))
    assert (job.state, job.result, job.done, job.total) == (Job.State.DONE, {"changed": 3}, 3, 3)
    assert Standing.objects.filter(period="all", total=21700).exists()


def test_job_of_another_worker_is_left_alone(league: League) -> None:
    job = begin(league)
    Job.objects.filter(pk=job.pk).update(state=Job.State.RUNNING)
    assert ran(job).state == Job.State.RUNNING


def test_cancelled_before_it_began_never_begins(league: League) -> None:
    job = begin(league)
    cancel_job(job)
    assert ran(job).state == Job.State.CANCELLED
    assert not Board.objects.exists()


def test_cancelled_work_stops_at_its_next_step(league: League) -> None:
    job = begin(league)
    report = progress_writer(job)
    Job.objects.filter(pk=job.pk).update(cancel_requested=True)
    with pytest.raises(StoppedError):
        report(Progress(1, 3, "2025-11"))


def test_failure_is_kept_in_words_and_raised_for_the_log(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(job: Job, report: Callable[[Progress], None]) -> dict[str, Any]:
        raise OSError("disk full")

    monkeypatch.setitem(jobs.WORK, Job.Kind.REBUILD, fail)
    job = begin(league)
    with pytest.raises(OSError, match="disk full"):
        run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.FAILED, "OSError: disk full")


def test_sweep_sends_again_only_what_has_waited_since_it_was_sent(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[object] = []
    monkeypatch.setattr("league.background.send", lambda _, job: sent.append(job))
    job = begin(league)
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


def test_job_in_work_is_neither_sent_again_nor_begun_twice(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    job = begin(league)
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
    assert ran(job).state == Job.State.DONE
    assert begun == [job.pk]
    sweep()
    run(job.pk)
    assert begun == [job.pk]


def test_sweep_deletes_old_uploads_that_were_never_run(league: League) -> None:
    running = begin(league)
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


def test_pace_shows_rate_and_remaining_time(league: League) -> None:
    now = timezone.now()
    job = Job(league=league, started_at=now - timedelta(seconds=10), moved_at=now, done=25, total=100)
    assert (pace_of(job).rate, pace_of(job).left) == ("2.5", 30)
    assert pace_of(Job(league=league, started_at=now, moved_at=now, done=5, total=10)).left is None
    assert pace_of(Job(league=league)).rate == ""


def test_preview_counts_what_would_change_and_stores_nothing(league: League) -> None:
    players = make_players(league, 4)
    session = make_session(league)
    play(session, (30000, 29000, 21000, 20000), players)
    play(session, (24000, 30100, 25900, 20000), players)
    settle()
    version = next_version(league, oka="0")
    before = list(Standing.objects.order_by("pk").values())
    job = ran(begin(league, "impact", version=version.pk))
    found = impact_of(job)
    assert found is not None
    assert (found.hanchan, found.changed, found.boards, found.refused_count) == (2, 2, 3, 0)
    assert list(Standing.objects.order_by("pk").values()) == before
    assert Hanchan.objects.filter(ruleset_version=version).count() == 0


def test_preview_says_who_moves_and_the_rescoring_moves_them(league: League) -> None:
    players = make_players(league, 4)
    session = make_session(league)
    play(session, (31000, 30900, 20100, 18000), players)
    play(session, (15000, 31500, 31600, 21900), players)
    settle()
    version = next_version(league, oka="0", return_points=25000)
    promised = impact_of(ran(begin(league, "impact", version=version.pk)))
    assert promised is not None
    assert promised.players
    job = ran(begin(league, "rescore", version=version.pk))
    assert job.result == {"hanchan": 2, "changed": 2, "refused_count": 0}
    settle()
    for board in promised.moved:
        for move in board.moves:
            assert Standing.objects.get(period=board.period.key, player=move.player).rank == move.after
    assert Revision.objects.filter(action="rescored").count() == 2


def test_hanchan_that_the_new_rules_refuse_keep_their_points(league: League, organiser: Client) -> None:
    session = make_session(league)
    kept = play(session, (60000, 25000, 16000, -1000), busts=[Bust(seat=3, by="win", winners=(0,))])
    play(session)
    version = next_version(league, tie=None, leftover=None, bust={"ends": "never"})
    job = ran(begin(league, "rescore", version=version.pk))
    kept.refresh_from_db()
    assert (job.result or {})["refused_count"] == 1
    assert kept.ruleset_version != version
    preview = ran(begin(league, "impact", version=version.pk))
    found = impact_of(preview)
    assert found is not None
    assert [refusal.hanchan for refusal in found.refused] == [kept.pk]
    assert page_of(organiser, preview).status_code == 200


def test_voided_hanchan_keeps_its_rules_and_is_rescored_when_restored(league: League) -> None:
    hanchan = play(make_session(league))
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="twice")
    version = next_version(league, oka="0")
    found = impact_of(ran(begin(league, "impact", version=version.pk)))
    assert found is not None
    assert (found.hanchan, found.changed, found.players) == (0, 0, ())
    ran(begin(league, "rescore", version=version.pk))
    hanchan.refresh_from_db()
    assert hanchan.ruleset_version != version
    restored = restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="it was right")
    assert scored_otherwise(league, version).count() == 1
    ran(begin(league, "rescore", version=version.pk))
    restored.refresh_from_db()
    assert restored.ruleset_version == version


@pytest.mark.long
def test_job_page_of_every_state(league: League, organiser: Client) -> None:
    now = timezone.now()
    for kind in Job.Kind:
        for state in Job.State:
            job = Job.objects.create(
                league=league,
                kind=kind,
                state=state,
                done=3,
                total=9,
                last_item="2025-11",
                started_at=now - timedelta(seconds=4),
                moved_at=now,
                finished_at=now,
                result={"changed": 1} if state == Job.State.DONE else None,
                parameters={"version": league.current_version_id},
            )
            page = page_of(organiser, job)
            assert page.status_code == 200
            assert ("every 1s" in page.content.decode()) is (not job.is_over)
            job.delete()


def test_job_is_run_again_from_its_page(league: League, organiser: Client) -> None:
    job = Job.objects.create(league=league, kind=Job.Kind.REBUILD, state=Job.State.INTERRUPTED)
    answer = organiser.post(reverse("league:job", args=[league.slug, job.pk]))
    again = Job.objects.exclude(pk=job.pk).get()
    assert answer["Location"] == reverse("league:job", args=[league.slug, again.pk])


def test_job_is_cancelled_from_its_page(league: League, organiser: Client) -> None:
    job = begin(league)
    organiser.post(reverse("league:job_cancel", args=[league.slug, job.pk]))
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED


def test_rebuild_begins_once_however_often_it_is_asked_for(league: League, organiser: Client) -> None:
    addresses = {organiser.post(reverse("league:rebuild", args=[league.slug]))["Location"] for _ in range(2)}
    assert len(addresses) == 1


def test_jobs_are_found_again_on_the_manage_page(league: League, organiser: Client) -> None:
    job = begin(league)
    page = organiser.get(reverse("league:manage", args=[league.slug])).content.decode()
    assert reverse("league:job", args=[league.slug, job.pk]) in page
