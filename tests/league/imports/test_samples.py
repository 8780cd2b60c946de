"""The sample files that the wizard offers are read without a question but for the names."""

from pathlib import Path

import pytest
from django.conf import settings

from league.services.history import SYSTEM
from league.services.imports.people import NEW
from league.services.imports.reports import checked
from league.services.imports.steps import create_batch, decide_names, start_import
from tests.league.factories import make_league

SAMPLES = sorted((Path(settings.BASE_DIR) / "static" / "samples").iterdir())


def test_there_are_samples() -> None:
    assert [path.name for path in SAMPLES] == ["results-ja.csv", "results-ja.xlsx", "results-wide-en.csv"]


@pytest.mark.django_db
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sample_is_imported(path: Path) -> None:
    league = make_league()
    batch = create_batch(league=league, file_name=path.name, data=path.read_bytes(), by=SYSTEM)
    decide_names(batch, {}, unknown=NEW)
    report = checked(batch)
    assert (report.added, report.errors, report.warnings, report.notes) == (6, 0, 0, ())
    start_import(batch, SYSTEM)
    assert (league.hanchan.count(), league.players.count()) == (6, 6)
    assert list(league.sessions.order_by("number").values_list("number", "title")) == [(1, ""), (2, "")]
