"""A row that differs from another hanchan by a slip is asked about before it is imported."""

import pytest
from django.test import Client
from django.urls import reverse

from league.core.spreadsheets.tables import ImportFileError
from league.models import Hanchan, ImportBatch, League
from league.services.history import SYSTEM
from league.services.imports.people import NEW
from league.services.imports.reports import checked
from league.services.imports.running import run_import
from league.services.imports.steps import decide_names, set_options
from league.services.planning import TablePlan, plan_tables
from tests.league.factories import make_league, make_players, make_session, make_user
from tests.league.imports.files import batch_of, file_of, game

pytestmark = pytest.mark.django_db

RAW = (31700, 31300, 25500, 11500)
SLIP = (34700, 31300, 25500, 8500)
OTHER = (25000, 40200, 18100, 16700)


@pytest.fixture
def league() -> League:
    return make_league()


def uploaded(league: League, *raws: tuple[int, int, int, int]) -> ImportBatch:
    batch = batch_of(league, file_of(*(game("2025-11-21", raw=raw) for raw in raws)))
    decide_names(batch, {}, unknown=NEW)
    return batch


def run(batch: ImportBatch) -> None:
    run_import(batch.pk, SYSTEM, lambda progress: None)


def test_a_row_like_one_before_it_waits_for_an_answer(league: League) -> None:
    batch = uploaded(league, RAW, SLIP, OTHER)
    report = checked(batch)
    assert (report.added, report.asked, report.is_ready) == (3, 1, False)
    with pytest.raises(ImportFileError, match="not_ready"):
        run(batch)
    set_options(batch, leave_out_errors=False, take_asked=True)
    assert checked(batch).is_ready
    run(batch)
    assert Hanchan.objects.count() == 3


def test_a_row_like_a_stored_hanchan_waits_for_an_answer(league: League, client: Client) -> None:
    run(uploaded(league, RAW))
    batch = uploaded(league, SLIP, OTHER)
    client.force_login(make_user("ono", league=league, role="organiser"))
    address = reverse("league:import_check", args=[league.slug, batch.pk])
    page = client.get(address).content.decode()
    assert "ほぼ同じ素点の結果" in page
    assert 'name="take_asked"' in page
    client.post(address, {"take_asked": "on"})
    batch.refresh_from_db()
    assert checked(batch).is_ready


def test_a_row_of_other_people_than_planned_waits_for_an_answer(league: League) -> None:
    session = make_session(league)
    planned = make_players(league, 8)[4:]
    plan_tables(session=session, plans=[TablePlan(1, tuple(planned), 1)], by=SYSTEM)
    batch = batch_of(
        league, file_of(game("2025-11-21", table=1, number=1), game("2025-11-21", table=1, number=2, raw=OTHER))
    )
    report = checked(batch)
    assert (report.added, report.asked, report.is_ready) == (2, 1, False)
    set_options(batch, leave_out_errors=False, take_asked=True)
    run(batch)
    assert session.hanchan.count() == 2


def test_other_hanchan_of_the_same_four_are_no_question(league: League) -> None:
    report = checked(uploaded(league, RAW, OTHER))
    assert (report.added, report.asked, report.is_ready) == (2, 0, True)
