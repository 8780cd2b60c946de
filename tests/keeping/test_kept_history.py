import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from league.models import Revision
from league.services.history import Actor
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FORBIDDEN = {
    "a row that says something else": "UPDATE league_revision SET by_name = 'somebody else'",
    "a row of another moment": "UPDATE league_revision SET at = '2001-01-01', redacted_at = '2026-01-01'",
    "a row that forgets that texts went": "UPDATE league_revision SET redacted_at = NULL",
    "a row that is gone": "DELETE FROM league_revision",
}


@pytest.fixture(autouse=True)
def history() -> None:
    play(make_session(make_league()), by=Actor(make_user("ishida"), "web"))


@pytest.mark.parametrize("statement", FORBIDDEN.values(), ids=FORBIDDEN)
def test_history_cannot_be_changed_or_deleted(statement: str) -> None:
    before = list(Revision.objects.values())
    with pytest.raises(DatabaseError, match="only grows"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert before
    assert list(Revision.objects.values()) == before


def test_texts_of_history_can_be_redacted_with_a_timestamp() -> None:
    Revision.objects.update(by_name="退会者", redacted_at=timezone.now())
    assert set(Revision.objects.values_list("by_name", flat=True)) == {"退会者"}


def test_deleting_a_user_leaves_the_history_unchanged() -> None:
    before = list(Revision.objects.values())
    User.objects.get(username="ishida").delete()
    assert list(Revision.objects.values()) == before
