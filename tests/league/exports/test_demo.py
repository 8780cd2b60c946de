"""The demonstration's leagues leave as files and come back in other leagues with the very same facts."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from league.core.spreadsheets.columns import RowShape
from league.exports.formats import FORMATS, text_chunks, unwritable
from league.exports.hanchan import FileLayout, hanchan_table, hanchan_within
from league.exports.workbook import workbook
from league.models import ImportBatch, League
from league.services.history import SYSTEM
from league.services.imports.people import NEW
from league.services.imports.steps import create_batch, decide_names, start_import
from tests.league.factories import run, run_jobs
from tests.league.imports.test_round_trip import empty_copy, facts_of

pytestmark = pytest.mark.django_db

SHAPES = {
    "csv": FileLayout(RowShape.LONG, "ja", exact=True),
    "xlsx": FileLayout(RowShape.WIDE, "both", exact=True),
    "csv-plain": FileLayout(RowShape.WIDE, "en", exact=True),
    "csv-cp932": FileLayout(RowShape.LONG, "both", exact=True),
    "tsv": FileLayout(RowShape.WIDE, "ja", exact=True),
    "tsv-utf16": FileLayout(RowShape.LONG, "en", exact=True),
}
"""Every format, each with another form and other headings."""


def written(league: League, code: str) -> bytes:
    reader = User(username="root", is_superuser=True)
    table = hanchan_table(league, hanchan_within(league), reader, SHAPES[code])
    assert not unwritable(table, FORMATS[code])
    if not FORMATS[code].is_workbook:
        return b"".join(text_chunks(table, FORMATS[code]))
    with workbook(table) as file:
        return file.read()


def brought_in(data: bytes, league: League) -> None:
    batch = create_batch(league=league, file_name="", data=data, by=SYSTEM)
    decide_names(batch, {}, unknown=NEW)
    start_import(batch, SYSTEM)
    run_jobs()
    batch.refresh_from_db()
    assert batch.state == ImportBatch.State.DONE, batch.report


def _played(league: League) -> dict[str, Any]:
    """Return what files of hanchan can hold: no plans, no sums of sessions without hanchan, no merges of players."""
    facts = facts_of(league)
    facts["sessions"] = [session for session in facts["sessions"] if session["hanchan"]]
    for session in facts["sessions"]:
        session.pop("plan", None)
        session.pop("points", None)
        for hanchan in session["hanchan"]:
            for seat in hanchan["seats"]:
                seat.pop("as", None)
    return facts


@pytest.mark.long
def test_demo_leagues_come_back_from_every_format(settings: Any) -> None:
    settings.DEMO = True
    run("load_demo")
    assert set(SHAPES) == set(FORMATS)
    for slug, codes in (("sanma", list(SHAPES)), ("camarade", ["csv", "xlsx"])):
        league = League.objects.get(slug=slug)
        facts = _played(league)
        for code in codes:
            copy = empty_copy(league)
            brought_in(written(league, code), copy)
            assert _played(copy) == facts, (slug, code)
            ImportBatch.objects.all().delete()
            copy.slug = f"{slug}-{code}"
            copy.save()
