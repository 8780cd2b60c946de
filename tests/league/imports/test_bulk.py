from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, models

from league.models import Hanchan, Incident, Revision, Seat, Session
from league.selectors.games import snapshot_of
from league.services import bulk
from league.services.boards import mark_stale
from league.services.bulk import PreparedHanchan, prepare, store, void_unmarked
from league.services.history import SYSTEM, Actor
from league.services.results import HanchanResult, TableAndTime, record_hanchan, void_hanchan
from scoring.core import Bust, FinishedGame
from tests.league.factories import RAW, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

EVENING = datetime(2025, 11, 21, 10, 30, 0, 250, tzinfo=UTC)

GAMES = (
    FinishedGame(RAW),
    FinishedGame((50000, 31000, 20000, -1000), busts=(Bust(3, "win", winners=(0,)),)),
    FinishedGame((31700, 30300, 25500, 11500), sticks_left=1, chombo=(0, 2, 0, 0)),
)
UNIQUE = {"id", "hanchan", "hanchan_id", "subject_id", "key", "client_key", "recorded_at", "at"}


def results_in(session: Session) -> list[HanchanResult]:
    people = tuple(session.league.players.order_by("pk"))
    return [
        HanchanResult(
            people, game, f"半荘 {number} 'x' \\N\t\n", "bust" if game.busts else "", ((number, "国士\\無双"),)
        )
        for number, game in enumerate(GAMES)
    ]


def prepared_in(session: Session, by: Actor = SYSTEM, table: int = 2) -> list[PreparedHanchan]:
    return [
        prepare(session, result, TableAndTime(table, number, EVENING), by)
        for number, result in enumerate(results_in(session), 1)
    ]


def raw_rows(model: type[models.Model]) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {model._meta.db_table} ORDER BY id")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [{name: value for name, value in row.items() if name not in UNIQUE} for row in rows]


def halves(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return rows[: len(rows) // 2], rows[len(rows) // 2 :]


def test_bulk_rows_equal_entered_rows(session: Session) -> None:
    by = Actor(make_user("organiser"), "page")
    mark_stale(session.league, [])
    assert not Revision.objects.filter(subject="hanchan").exists()
    for number, result in enumerate(results_in(session), 1):
        record_hanchan(
            session=session, result=result, table_and_time=TableAndTime(2, number, EVENING), by=by, even_if_same=True
        )
    stored = store(session.league, prepared_in(session, by), by)
    for model in (Hanchan, Seat, Incident):
        entered, copied = halves(raw_rows(model))
        assert entered
        assert entered == copied
        assert [list(map(type, row.values())) for row in entered] == [list(map(type, row.values())) for row in copied]
    entered, copied = halves([row for row in raw_rows(Revision) if row["subject"] == "hanchan"])
    assert entered == copied
    assert [each.key for each in stored] == [f"h-{each.client_key.hex}" for each in Hanchan.objects.order_by("pk")[3:]]
    for each in stored:
        revision = Revision.objects.get(subject="hanchan", subject_id=each.pk)
        assert revision.after == snapshot_of(Hanchan.objects.get(pk=each.pk))
        assert abs(each.recorded_at - revision.at) < timedelta(minutes=1)


def test_slices_are_stored_one_after_the_other(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "STORED_TOGETHER", 2)
    assert [each.round for each in store(session.league, prepared_in(session), SYSTEM)] == [1, 2, 3]
    assert Seat.objects.count() == 12


def test_refused_by_the_database_leaves_nothing(session: Session) -> None:
    one, other, _ = prepared_in(session)
    other.hanchan.key = one.hanchan.key
    with pytest.raises(IntegrityError):
        store(session.league, [one, other], SYSTEM)
    assert not Hanchan.objects.exists()
    assert not Seat.objects.exists()


def test_bulk_void_equals_single_void(session: Session) -> None:
    stored = store(session.league, prepared_in(session), SYSTEM)
    others = store(session.league, prepared_in(session), SYSTEM)
    for each in stored:
        void_hanchan(hanchan=Hanchan.objects.get(pk=each.pk), by=SYSTEM, reason="doubled")
    void_unmarked(session.league, [each.pk for each in others], "doubled", SYSTEM)
    for model in (Hanchan, Seat):
        one_by_one, together = halves(raw_rows(model))
        assert one_by_one == together
    one_by_one, together = halves([row for row in raw_rows(Revision) if row["action"] == "voided"])
    assert len(together) == 3
    assert one_by_one == together
