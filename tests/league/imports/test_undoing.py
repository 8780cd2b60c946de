"""Taking an import back slice by slice: stopped, killed, gone on with, and asked for twice."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.models import ImportBatch, Job, League, Revision, Session, StalePeriod
from league.services.boards import Progress, StoppedError
from league.services.history import SYSTEM
from league.services.imports import steps, undoing
from league.services.imports.undoing import undo
from league.services.imports.values import ImportUndoReport
from league.services.job_requests import start_job
from league.services.jobs import run
from league.services.results import TableAndTime, correct_hanchan, result_of
from tests.league.factories import make_league, make_players, make_user, settle
from tests.league.imports.files import batch_of, file_of, game

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

KEYED = "日付,節,卓,回戦,席,選手,素点,メモ,半荘キー"
SEVEN = ImportUndoReport(voided=3, corrected=2, sessions=1, people=1)


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league)
    return league


@pytest.fixture
def batch(league: League, monkeypatch: pytest.MonkeyPatch) -> ImportBatch:
    """An import that added three hanchan with a session and a player, and changed two; undone row by row."""
    one_by_one = {name: (take_back, 1) for name, (take_back, _) in undoing.PARTS.items()}
    monkeypatch.setattr(undoing, "PARTS", one_by_one)
    imported(league, [keyed("a"), keyed("b")])
    new = {"names": ("青木", "石田", "上野", "大野")}
    added = [keyed(key, day="2025-10-03", number=number, **new) for number, key in enumerate("cde", start=1)]
    return imported(league, [keyed("a", memo="見た"), keyed("b", memo="見た"), *added])


def keyed(key: str, **facts: Any) -> str:
    return "\n".join(f"{line},{key}" for line in game(**facts).splitlines())


def imported(league: League, games: list[str]) -> ImportBatch:
    batch = batch_of(league, file_of(*games, header=KEYED))
    steps.decide_names(batch, {}, unknown=steps.NEW)
    assert steps.start_import(batch, SYSTEM) is None
    settle()
    return batch


def stop_at(done: int) -> Any:
    def stop(progress: Progress) -> None:
        if progress.done >= done:
            raise StoppedError

    return stop


def no_progress(progress: Progress) -> None:
    del progress


def what_is_told() -> list[tuple[str, str]]:
    """Return what the history tells of the undoing, each once."""
    told = Revision.objects.filter(reason="wrong file").order_by("pk")
    return [(each.subject, each.action) for each in told]


def is_as_before(league: League) -> None:
    assert sorted(league.hanchan.valid().values_list("key", "note")) == [("a", ""), ("b", "")]
    assert league.sessions.get(date="2025-10-03").state == Session.State.WITHDRAWN
    assert not league.players.get(name="大野").is_active
    assert what_is_told() == [("hanchan", "voided")] * 3 + [("hanchan", "corrected")] * 2 + [("player", "changed")]
    assert Revision.objects.filter(subject="session", after__state="withdrawn").count() == 1
    settle()
    assert dict(league.boards.values_list("period", "hanchan")) == {"2025-10": 0, "2025-11": 2, "2025": 2, "all": 2}


@pytest.mark.parametrize("done", range(1, 7))
def test_undoing_that_was_cancelled_anywhere_goes_on_with_the_rest(
    league: League, batch: ImportBatch, done: int
) -> None:
    with pytest.raises(StoppedError):
        undo(batch.pk, "wrong file", SYSTEM, stop_at(done))
    batch.refresh_from_db()
    assert (batch.state, (batch.undoing or {})["done"]) == (ImportBatch.State.DONE, done)
    assert league.hanchan.valid().count() == 5 - min(done, 3)
    seen: list[Progress] = []
    assert undo(batch.pk, "wrong file", SYSTEM, seen.append) == SEVEN
    assert [(each.done, each.total) for each in seen] == [(each, 7) for each in range(done + 1, 8)]
    batch.refresh_from_db()
    assert batch.state == ImportBatch.State.UNDONE
    is_as_before(league)


def test_undoing_marks_the_boards_of_every_slice_with_it(league: League, batch: ImportBatch) -> None:
    assert not StalePeriod.objects.exists()
    with pytest.raises(StoppedError):
        undo(batch.pk, "wrong file", SYSTEM, stop_at(1))
    assert set(StalePeriod.objects.values_list("period", flat=True)) == {"2025-10", "2025", "all"}
    settle()
    assert league.boards.get(period="2025-10").hanchan == 2


def test_undoing_whose_worker_was_killed_is_asked_for_again(
    league: League, batch: ImportBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "UNDONE_AT_ONCE", 0)
    job = steps.start_undo(batch, reason="wrong file", by=SYSTEM)
    assert isinstance(job, Job)
    take_back, calls = undoing._Undoing.take_back, []

    def die(*args: Any) -> int:
        calls.append(1)
        count = take_back(*args)
        if len(calls) == 5:
            raise SystemExit("killed")
        return count

    monkeypatch.setattr(undoing._Undoing, "take_back", die)
    with pytest.raises(SystemExit):
        run(job.pk)
    Job.objects.filter(pk=job.pk).update(state=Job.State.INTERRUPTED)
    batch.refresh_from_db()
    assert (batch.undoing or {})["done"] == 4
    # It was begun in time.
    ImportBatch.objects.filter(pk=batch.pk).update(run_at=timezone.now() - timedelta(days=8))
    batch.refresh_from_db()
    assert steps.may_be_undone(batch)
    again = steps.start_undo(batch, reason="wrong file", by=SYSTEM)
    assert isinstance(again, Job)
    run(again.pk)
    again.refresh_from_db()
    assert (again.state, again.done, again.total) == (Job.State.DONE, 7, 7)
    is_as_before(league)


def test_two_who_undo_at_once_share_the_work(league: League, batch: ImportBatch) -> None:
    others: list[ImportUndoReport] = []

    def meanwhile(progress: Progress) -> None:
        if progress.done == 2:
            others.append(undo(batch.pk, "wrong file", SYSTEM, no_progress))

    assert undo(batch.pk, "wrong file", SYSTEM, meanwhile) == SEVEN
    assert others == [SEVEN]
    is_as_before(league)


def test_what_is_corrected_between_slices_stays_and_is_named_once(league: League, batch: ImportBatch) -> None:
    with pytest.raises(StoppedError):
        undo(batch.pk, "wrong file", SYSTEM, stop_at(1))
    kept = league.hanchan.get(key="e")
    correct_hanchan(
        hanchan=kept,
        seen_version=1,
        result=replace(result_of(kept), note="見た"),
        table_and_time=TableAndTime(),
        by=SYSTEM,
        reason="note",
    )
    for _ in range(2):
        with pytest.raises(StoppedError):
            undo(batch.pk, "wrong file", SYSTEM, stop_at(4))
    found = undo(batch.pk, "wrong file", SYSTEM, no_progress)
    assert (found.voided, found.corrected, len(found.left)) == (2, 2, 1)


@pytest.mark.long
def test_pages_tell_of_an_undoing_that_stopped_and_offer_the_rest(
    client: Client, league: League, batch: ImportBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(make_user("ishida", league=league, role="organiser"))
    with pytest.raises(StoppedError):
        undo(batch.pk, "wrong file", SYSTEM, stop_at(4))
    parameters = {"batch": batch.pk, "undo": "wrong file"}
    job = start_job(league=league, kind=Job.Kind.IMPORT, by=SYSTEM, parameters=parameters)
    for state in ("cancelled", "interrupted", "failed"):
        Job.objects.filter(pk=job.pk).update(state=state)
        page = client.get(reverse("league:job", args=[league.slug, job.pk])).content.decode()
        assert "取り込みの取り消しは途中で止まりました" in page
        assert "ファイルの内容は何も取り込まれていません" not in page
    result = reverse("league:import_result", args=[league.slug, batch.pk])
    assert "一部はすでに取り消されています" in client.get(result).content.decode()
    monkeypatch.setattr(steps, "UNDONE_AT_ONCE", 0)
    address = reverse("league:import_undo", args=[league.slug, batch.pk])
    client.post(address, {"reason": "wrong file"})
    run(Job.objects.latest("pk").pk)
    assert "一部はすでに取り消されています" not in client.get(result).content.decode()
    is_as_before(league)
