"""A form submitted twice takes effect once: double press, reload, or a phone that retries."""

from copy import copy
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import models
from django.test import Client
from django.utils import timezone

from league.models import Adjustment, ImportBatch, Job, League, Player, SentForm, Session
from league.services.history import SYSTEM
from league.services.job_requests import start_job
from league.services.sent_forms import KEPT_FOR, forget_sent_forms
from tests.journeys.pages import Visitor, pressing
from tests.league.factories import make_league, make_players, make_session, make_user, play
from tests.league.races import at_once
from tournaments.models import Tournament

FORMS: dict[str, tuple[type[models.Model], str, dict[str, Any]]] = {
    "adjustments": (
        Adjustment,
        "/l/camarade/manage/adjustments/",
        {"player": "青木", "points": "▲20", "reason": "遅刻"},
    ),
    "sessions": (Session, "/l/camarade/sessions/new/", {"date": "2025-12-05"}),
    "players": (Player, "/l/camarade/manage/players/new/", {"name": "大能"}),
    "tournaments": (Tournament, "/l/camarade/tournaments/new/", {"name": "秋の会", "format": "cinderella"}),
    "leagues": (League, "/leagues/new/", {"name": "土曜会", "slug": "saturday", "card": "camarade"}),
}

TWICE = "二度送信されました"


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league, 5)
    play(make_session(league))
    return league


@pytest.fixture
def organiser(league: League) -> Visitor:
    client = Client()
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return Visitor(client)


@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", FORMS)
def test_form_sent_twice_takes_effect_once(organiser: Visitor, kind: str) -> None:
    model, address, fields = FORMS[kind]
    before = model._base_manager.count()
    first = organiser.scans(address)
    again = copy(first)
    first.submits(within=address, **fields).misses(TWICE)
    assert model._base_manager.count() == before + 1
    again.submits(within=address, **fields).reads(TWICE)
    assert model._base_manager.count() == before + 1
    assert again.address == first.address


@pytest.mark.merge
@pytest.mark.django_db(transaction=True)
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", FORMS)
def test_form_sent_simultaneously_takes_effect_once(organiser: Visitor, kind: str) -> None:
    model, address, fields = FORMS[kind]
    before = model._base_manager.count()
    first = organiser.scans(address)
    outcomes = at_once(*(pressing(first, "", address, fields) for _ in range(3)))
    assert all(isinstance(outcome, Visitor) for outcome in outcomes), outcomes
    assert len({outcome.address for outcome in outcomes}) == 1
    assert model._base_manager.count() == before + 1


@pytest.mark.django_db
def test_form_with_other_input_or_from_a_new_page_takes_effect_again(organiser: Visitor) -> None:
    _model, address, fields = FORMS["adjustments"]
    first = organiser.scans(address)
    other = copy(first)
    first.submits(within=address, **fields)
    # Back in the browser, with other input.
    other.submits(within=address, **fields | {"reason": "また遅刻"}).misses(TWICE)
    # The same input once more, on purpose, from a new page.
    organiser.scans(address).submits(within=address, **fields).misses(TWICE)
    assert Adjustment.objects.count() == 3


@pytest.mark.django_db
def test_changed_file_of_equal_name_and_size_is_accepted(organiser: Visitor) -> None:
    client, address = organiser.client, "/l/camarade/manage/import/new/"
    token = client.get(address).context["csrf_token"]
    for scores in ("317", "318", "318"):
        file = SimpleUploadedFile("results.csv", f"日付,選手,素点\n2025-11-21,青木,{scores}\n".encode())
        client.post(address, {"csrfmiddlewaretoken": str(token), "file": file})
    stored = [bytes(data).decode()[-4:-1] for data in ImportBatch.objects.order_by("pk").values_list("data", flat=True)]
    assert stored == ["317", "318"]


@pytest.mark.django_db
def test_refused_form_can_be_sent_again(organiser: Visitor) -> None:
    _model, address, fields = FORMS["adjustments"]
    first = organiser.scans(address)
    again = copy(first)
    wrong = fields | {"points": "x"}
    for visitor in (first, again):
        visitor.submits(within=address, **wrong).misses(TWICE)
    assert not SentForm.objects.exists()
    first.submits(within=address, **fields)
    assert Adjustment.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.both_databases
def test_form_refused_by_a_running_job_can_be_sent_again(organiser: Visitor) -> None:
    league = League.objects.get(slug="camarade")
    under_way = start_job(league=league, kind=Job.Kind.REBUILD, by=SYSTEM)
    first = organiser.scans("/l/camarade/manage/")
    again = copy(first)
    first.submits(within="/rebuild/").reads("すでに実行中です")
    Job.objects.filter(pk=under_way.pk).update(state=Job.State.DONE)
    again.submits(within="/rebuild/").misses(TWICE)
    assert Job.objects.filter(kind=Job.Kind.REBUILD).count() == 2


@pytest.mark.django_db
@pytest.mark.both_databases
def test_old_sent_forms_are_deleted(organiser: Visitor) -> None:
    _model, address, fields = FORMS["adjustments"]
    for _ in range(2):
        organiser.scans(address).submits(within=address, **fields)
    old = SentForm.objects.order_by("pk").first()
    assert old is not None
    SentForm.objects.filter(pk=old.pk).update(sent_at=timezone.now() - KEPT_FOR - timedelta(minutes=1))
    assert forget_sent_forms() == 1
    assert SentForm.objects.count() == 1
