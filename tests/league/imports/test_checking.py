"""The check of an upload, and what of it is kept."""

import pytest

from league.http.import_batches import seen
from league.models import ImportBatch, League
from league.services.imports.people import GUEST, NEW
from league.services.imports.reports import checked
from league.services.imports.steps import decide_names, discard_draft
from tests.league.factories import make_league
from tests.league.imports.files import FOUR, batch_of, file_of, game

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    return make_league()


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


def test_what_is_chosen_during_a_check_is_checked_again(league: League) -> None:
    batch = batch_of(league, file_of(game()))
    decide_names(batch, {}, unknown=NEW)
    at_work = ImportBatch.objects.get(pk=batch.pk)
    decide_names(batch, {}, unknown="")
    assert checked(at_work).people == FOUR
    batch.refresh_from_db()
    assert batch.report is None
    assert checked(batch).errors == 1


def test_an_upload_thrown_away_while_it_is_checked_fails_nobody(league: League) -> None:
    batch = batch_of(league, file_of(game(raw=(31800, 31300, 25500, 11500))))
    at_work = ImportBatch.objects.get(pk=batch.pk)
    assert discard_draft(batch)
    assert checked(at_work).errors == 1
