"""A large import is undone by a job that says what came of it."""

import pytest
from django.test import Client
from django.urls import reverse

from league.models import Job
from league.services.history import SYSTEM
from league.services.imports.people import NEW
from league.services.imports.steps import decide_names, start_import
from league.services.jobs import run
from league.services.results import void_hanchan
from tests.league.factories import make_league, make_user
from tests.league.imports.files import batch_of, file_of, game

pytestmark = pytest.mark.django_db


def test_large_import_is_undone_from_its_page(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    client.force_login(make_user("ishida", league=league, role="organiser"))
    batch = batch_of(league, file_of(game(), game("2025-11-28")))
    decide_names(batch, {}, unknown=NEW)
    start_import(batch, SYSTEM)
    monkeypatch.setattr("league.services.imports.steps.UNDONE_AT_ONCE", 0)
    touched = league.hanchan.first()
    assert touched is not None
    league.hanchan.filter(pk=touched.pk).update(version=2)
    answer = client.post(reverse("league:import_undo", args=[league.slug, batch.pk]), {"reason": "wrong file"})
    job = Job.objects.get()
    assert answer["Location"] == reverse("league:job", args=[league.slug, job.pk])
    again = client.post(reverse("league:import_undo", args=[league.slug, batch.pk]), {"reason": "wrong file"})
    assert again["Location"] == answer["Location"]
    run(job.pk)
    page = client.get(answer["Location"]).content.decode()
    assert "取り込みを取り消しました" in page
    assert str(touched.day) in page
    void_hanchan(hanchan=touched, by=SYSTEM, reason="by hand")
    assert not league.hanchan.valid().exists()
