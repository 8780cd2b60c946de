"""Taking an import back: all of it or nothing, but what was changed since."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from league.core.spreadsheets.tables import ImportFileError
from league.models import ImportBatch, Job, League, Revision, Session
from league.services.boards import Progress
from league.services.history import SYSTEM
from league.services.imports import steps, undoing
from league.services.imports.undoing import undo
from league.services.imports.values import ImportUndoReport
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
def batch(league: League) -> ImportBatch:
    """An import that added three hanchan with a session and a player, and changed two."""
    imported(league, [keyed("a"), keyed("b")])
    new = {"names": ("青木", "石田", "上野", "大野")}
    added = [keyed(key, day="2025-10-03", number=number, **new) for number, key in enumerate("cde", start=1)]
    return imported(league, [keyed("a", memo="見た"), keyed("b", memo="見た"), *added])


def keyed(key: str, **facts: Any) -> str:
    return "\n".join(f"{line},{key}" for line in game(**facts).splitlines())


def imported(league: League, games: list[str]) -> ImportBatch:
    batch = batch_of(league, file_of(*games, header=KEYED))
    steps.decide_names(batch, {}, unknown="new")
    assert steps.start_import(batch, SYSTEM) is None
    settle()
    return batch


def no_progress(progress: Progress) -> None:
    del progress


def what_is_told() -> list[tuple[str, str]]:
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


def test_undoing_tells_how_far_it_is_and_is_done_once(league: League, batch: ImportBatch) -> None:
    seen: list[Progress] = []
    assert undo(batch.pk, "wrong file", SYSTEM, seen.append) == SEVEN
    if connection.vendor == "postgresql":
        assert [(each.done, each.total) for each in seen] == [(3, 7), (4, 7), (5, 7)]
    with pytest.raises(ImportFileError, match="not_done"):
        undo(batch.pk, "wrong file", SYSTEM, no_progress)
    is_as_before(league)


@pytest.mark.long
def test_undoing_that_stops_on_the_way_takes_nothing_back(
    client: Client, league: League, batch: ImportBatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "UNDONE_AT_ONCE", 0)
    job = steps.start_undo(batch, reason="wrong file", by=SYSTEM)
    assert isinstance(job, Job)
    with monkeypatch.context() as killed:
        killed.setattr(undoing._Undoing, "withdraw", dying)
        with pytest.raises(SystemExit):
            run(job.pk)
    assert league.hanchan.valid().count() == 5
    client.force_login(make_user("ishida", league=league, role="organiser"))
    for state in ("cancelled", "failed", "interrupted"):
        Job.objects.filter(pk=job.pk).update(state=state)
        page = client.get(reverse("league:job", args=[league.slug, job.pk])).content.decode()
        assert "取り込みの取り消しは途中で止まりました" in page
        assert "ファイルの内容は何も取り込まれていません" not in page
    client.post(reverse("league:import_undo", args=[league.slug, batch.pk]), {"reason": "wrong file"})
    last = Job.objects.latest("pk")
    run(last.pk)
    is_as_before(league)
    page = client.get(reverse("league:job", args=[league.slug, last.pk])).content.decode()
    assert "取り込みを取り消しました" in page


def dying(*_given: object) -> None:
    raise SystemExit("killed")


def test_what_was_changed_since_stays_and_is_named(league: League, batch: ImportBatch) -> None:
    for key in ("b", "e"):
        kept = league.hanchan.get(key=key)
        correct_hanchan(
            hanchan=kept,
            seen_version=kept.version,
            result=replace(result_of(kept), note="また見た"),
            table_and_time=TableAndTime(),
            by=SYSTEM,
            reason="note",
        )
    found = undo(batch.pk, "wrong file", SYSTEM, no_progress)
    assert (found.voided, found.corrected, found.sessions, len(found.left)) == (2, 1, 0, 2)
