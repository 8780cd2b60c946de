"""Which number a session bears after imports: those of withdrawn ones are free, and a taken one shifts nothing."""

from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from league.models import Hanchan, League, Revision, Session
from league.services.boards import Progress
from league.services.calendar import SessionFacts, change_session, set_session_state
from league.services.history import SYSTEM
from league.services.imports.checks import check
from league.services.imports.people import NEW
from league.services.imports.steps import decide_names, start_import, undo_import
from league.services.rescoring import rescore, scored_otherwise
from league.services.rules import save_version
from tests.league.factories import make_league, make_session, make_user, play
from tests.league.imports.files import batch_of, file_of, game

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

DAYS = ("2024-03-01", "2024-03-08", "2024-03-15")


@pytest.fixture
def league() -> League:
    return make_league()


def imported(league: League, *games: str) -> Any:
    batch = batch_of(league, file_of(*games))
    decide_names(batch, {}, unknown=NEW)
    assert start_import(batch, SYSTEM) is None
    batch.refresh_from_db()
    return batch


def names(league: League) -> list[str]:
    return [str(session) for session in league.sessions.kept().order_by("date")]


def no_progress(progress: Progress) -> None:
    del progress


def test_undone_import_gives_its_numbers_back(league: League) -> None:
    batch = imported(league, *(game(day, str(number)) for number, day in enumerate(DAYS, start=1)))
    undo_import(batch, reason="wrong file", by=SYSTEM)
    assert str(make_session(league)) == "第1節"
    imported(league, *(game(day, str(number)) for number, day in enumerate(DAYS[1:], start=2)))
    assert names(league) == ["第2節", "第3節", "第1節"]


def test_withdrawn_session_that_is_opened_again_takes_the_next_number_if_its_own_is_taken(league: League) -> None:
    first = set_session_state(session=make_session(league), state=Session.State.WITHDRAWN, by=SYSTEM)
    second = make_session(league)
    set_session_state(session=first, state=Session.State.OPEN, by=SYSTEM)
    assert (str(second), str(first)) == ("第1節", "第2節")


def test_what_an_undone_import_brought_is_not_scored_again(client: Client, league: League) -> None:
    batch = imported(league, game())
    play(make_session(league))
    undo_import(batch, reason="wrong file", by=SYSTEM)
    version = league.current_version
    assert version is not None
    new = save_version(
        ruleset=version.ruleset,
        parameters={**version.parameters, "uma": ["20", "10", "-10", "-20"]},
        note="",
        by=SYSTEM,
    )
    assert scored_otherwise(league, new).count() == 1
    assert rescore(league, new.pk, SYSTEM, no_progress)["hanchan"] == 1
    voided = Hanchan.objects.get(state="voided")
    assert not Revision.objects.filter(subject="hanchan", subject_id=voided.pk, action="rescored").exists()
    client.force_login(make_user("ishida", league=league, role="organiser"))
    page = client.get(reverse("league:rules_version", args=[league.slug, new.pk]))
    assert page.context["affected"] == 0


def test_imported_number_that_is_taken_is_written_out_and_shifts_nothing(league: League) -> None:
    make_session(league)
    rows = [game(day, str(number)) for number, day in enumerate(DAYS, start=1)]
    imported(league, *rows)
    assert names(league) == ["第1節", "第2節", "第3節", "第1節"]
    assert str(make_session(league, date(2025, 12, 1))) == "第4節"
    again = check(batch_of(league, file_of(*rows)))
    assert [outcome.status for outcome in again.outcomes] == ["same"] * 3


def test_session_that_loses_its_title_gets_a_number_of_its_own(league: League) -> None:
    make_session(league)
    imported(league, game(DAYS[0], "1"))
    (titled,) = league.sessions.exclude(title="")
    change_session(session=titled, facts=SessionFacts(titled.date), by=SYSTEM)
    assert names(league) == ["第2節", "第1節"]
