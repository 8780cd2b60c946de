"""The check of an upload: every game listed, and a job where the file is long."""

import pytest

from league.http.import_batches import seen
from league.models import ImportBatch, Job, League
from league.services.history import SYSTEM
from league.services.imports.people import GUEST, NEW
from league.services.imports.reports import checked
from league.services.imports.steps import decide_names, discard_draft, set_options, start_check
from league.services.imports.values import ImportReport
from league.services.jobs import run
from tests.league.factories import make_league
from tests.league.imports.files import FOUR, batch_of, file_of, game

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    return make_league()


@pytest.fixture
def long(league: League, monkeypatch: pytest.MonkeyPatch) -> ImportBatch:
    """An upload that counts as a long one: a right game and a wrong one by four new players."""
    monkeypatch.setattr("league.services.imports.reports.CHECKED_AT_ONCE", 100)
    wrong = game("2025-11-28", raw=(31800, 31300, 25500, 11500))
    batch = batch_of(league, file_of(game(), wrong))
    decide_names(batch, {}, unknown=NEW)
    return batch


def job_for(batch: ImportBatch, *, anew: bool = False) -> Job:
    job = start_check(batch, SYSTEM, anew=anew)
    assert isinstance(job, Job)
    return job


def ended(job: Job) -> Job:
    run(job.pk)
    job.refresh_from_db()
    return job


def test_a_short_file_is_checked_at_once(league: League) -> None:
    report = start_check(batch_of(league, file_of(game())), SYSTEM)
    assert isinstance(report, ImportReport)
    assert not Job.objects.exists()


def test_a_long_file_is_checked_by_a_job_that_is_found_again(league: League, long: ImportBatch) -> None:
    job = job_for(long)
    assert job_for(long) == job
    assert ended(job).result == {"batch": long.pk, "games": 2, "errors": 1}
    assert (job.state, job.done, job.total) == (Job.State.DONE, 2, 2)
    long.refresh_from_db()
    report = start_check(long, SYSTEM)
    assert isinstance(report, ImportReport)
    assert (report.added, report.errors, report.people) == (1, 1, FOUR)
    assert not league.hanchan.exists()
    # Leaving the wrong one out asks for no other check.
    set_options(long, leave_out_errors=True)
    report = start_check(long, SYSTEM)
    assert isinstance(report, ImportReport)
    assert (report.is_ready, [row.status for row in report.rows]) == (True, ["left_out", "added"])


def test_what_is_chosen_while_a_job_checks_is_checked_again(long: ImportBatch) -> None:
    job = job_for(long)
    at_work = ImportBatch.objects.get(pk=long.pk)
    decide_names(long, {}, unknown="")
    assert checked(at_work).people == FOUR
    long.refresh_from_db()
    assert long.report is None
    ended(job)
    report = start_check(ImportBatch.objects.get(pk=long.pk), SYSTEM)
    assert isinstance(report, ImportReport)
    assert report.errors == 2


def test_a_cancelled_check_leaves_nothing_and_is_run_again_when_asked(long: ImportBatch) -> None:
    job = job_for(long)
    Job.objects.update(cancel_requested=True)
    assert ended(job).state == Job.State.CANCELLED
    long.refresh_from_db()
    assert long.report is None
    assert job_for(long) == job
    assert job_for(long, anew=True) != job


def test_the_choice_to_leave_errors_out_keeps_what_was_found_meanwhile(long: ImportBatch) -> None:
    opened_before = ImportBatch.objects.get(pk=long.pk)
    ended(job_for(long))
    set_options(opened_before, leave_out_errors=True)
    report = start_check(ImportBatch.objects.get(pk=long.pk), SYSTEM)
    assert isinstance(report, ImportReport)
    assert (report.added, report.errors, report.is_ready) == (1, 1, True)


def test_what_another_organiser_decides_during_a_check_is_not_taken_for_seen(league: League) -> None:
    batch = batch_of(league, file_of(game()))
    decide_names(batch, {}, unknown=GUEST)
    opened = ImportBatch.objects.get(pk=batch.pk)
    decide_names(batch, {}, unknown=NEW)
    checked(opened)
    assert seen(opened) != seen(ImportBatch.objects.get(pk=batch.pk))


def test_of_many_alike_the_first_are_listed(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("league.services.imports.reports.LISTED_OF_A_KIND", 1)
    monkeypatch.setattr("league.services.imports.reports.LISTED_ERRORS", 1)
    wrong = [game(f"2025-11-{day}", raw=(31800, 31300, 25500, 11500)) for day in (27, 28)]
    batch = batch_of(league, file_of(game("2025-11-20"), *wrong, game("2025-11-29")))
    decide_names(batch, {}, unknown=NEW)
    report = checked(batch)
    assert (report.added, report.errors) == (2, 2)
    assert [(row.status, min(row.lines)) for row in report.rows] == [("error", 6), ("added", 2)]


def test_an_upload_thrown_away_while_it_is_checked_fails_nobody(long: ImportBatch) -> None:
    job, at_work = job_for(long), ImportBatch.objects.get(pk=long.pk)
    assert discard_draft(long)
    assert checked(at_work).errors == 1
    assert ended(job).state == Job.State.CANCELLED
