"""A file is read before the form that needs it begins: while a form is under way nobody else can save on SQLite."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from league.models import Hanchan, ImportBatch
from league.services.imports import ahead, apart
from tests.league.factories import make_league, make_players, make_user
from tests.league.imports.files import book_of
from tests.league.imports.test_import_wizard import LONG, NEW, READING, at, chosen_columns, to_preview

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def organiser(client: Client) -> Client:
    league = make_league()
    make_players(league, 4)
    client.force_login(make_user("organiser", league=league, role="organiser"))
    return client


@pytest.fixture
def under_way(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether a transaction was under way, for each time that a file was read."""
    seen = []

    def noted(*given: Any) -> Any:
        seen.append(connection.in_atomic_block)
        return apart.read_file(*given)

    monkeypatch.setattr(ahead, "read_file", noted)
    return seen


def uploaded(client: Client, name: str, content: bytes) -> Any:
    return client.post(NEW, {"file": SimpleUploadedFile(name, content)})


@pytest.mark.long
def test_no_step_of_an_import_reads_the_file_while_its_form_is_under_way(
    organiser: Client, under_way: list[bool]
) -> None:
    rows = [line.split(",") for line in LONG.splitlines()]
    assert uploaded(organiser, "evening.xlsx", book_of(*rows)).status_code == 302
    workbook = ImportBatch.objects.latest("pk")
    organiser.post(at(workbook, "reading"), {"sheet": "Sheet1", "header_row": "1", "header_rows": "0", "year": ""})
    assert uploaded(organiser, "evening.csv", LONG.encode()).status_code == 302
    batch = ImportBatch.objects.latest("pk")
    organiser.post(at(batch, "reading"), {**READING, "delimiter": ";"})
    organiser.post(at(batch, "reading"), READING)
    preview = to_preview(organiser, batch)
    organiser.post(at(batch, "check"), {"anew": "1"})
    organiser.post(at(batch, "columns"), chosen_columns(organiser, batch))
    assert "seen" in preview
    seen = organiser.get(at(batch, "preview")).context["seen"]
    organiser.post(at(batch, "run"), {"seen": seen})
    assert Hanchan.objects.count() == 1
    assert under_way
    assert not any(under_way)


def test_a_file_that_is_refused_is_read_once(organiser: Client, under_way: list[bool]) -> None:
    answer = uploaded(organiser, "evening.csv", b"\0" * 100)
    assert answer.status_code == 200
    assert answer.context["form"].errors
    assert under_way == [False]


def test_what_is_uploaded_twice_is_stored_once(organiser: Client) -> None:
    token = {"csrfmiddlewaretoken": "a" * 64}
    sent = [
        organiser.post(NEW, {**token, "file": SimpleUploadedFile("evening.csv", LONG.encode())})["Location"]
        for _ in range(2)
    ]
    assert sent[0] == sent[1]
    assert bytes(ImportBatch.objects.get().data) == LONG.encode()
