"""Whether it is the database that hangs, or one question that takes long."""

import pytest
from django.db import OperationalError, connection
from django.db.backends.postgresql import base

from config.patience import Patience, having, present_patience
from config.postgresql.base import PROBE, breaker
from league.selectors.questions import answers
from tests.conftest import needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db]

LITTLE = Patience(statement=0.7, lock=0.7, idle=60)


@pytest.mark.django_db(transaction=True)
def test_one_question_that_takes_too_long_keeps_nobody_else_from_asking() -> None:
    own = connection.copy()
    with having(LITTLE), own.cursor() as cursor:
        # As if the server did not keep its own limit.
        cursor.execute("SET statement_timeout = 0")
        with pytest.raises(OperationalError, match="said nothing"):
            cursor.execute("SELECT pg_sleep(4)")
        assert not breaker.is_open
        answers(("SELECT 1", ()))
    own.close()


def test_a_connection_that_is_well_outlives_a_moment_without_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    own = connection.copy()
    own.ensure_connection()
    monkeypatch.setattr(breaker, "_is_open", True)
    own.errors_occurred = True
    own.close_if_unusable_or_obsolete()
    assert own.connection is not None
    with pytest.raises(OperationalError, match="left alone"), own.cursor():
        pass
    monkeypatch.undo()
    with own.cursor() as cursor:
        assert cursor.execute("SELECT 1").fetchone() == (1,)
    own.close()


def test_after_an_error_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    patience = []

    def is_usable(_own: base.DatabaseWrapper) -> bool:
        patience.append(present_patience())
        return True

    monkeypatch.setattr(base.DatabaseWrapper, "is_usable", is_usable)
    own = connection.copy()
    own.ensure_connection()
    # As at the beginning of a request, before anybody has said how long it may take.
    own.errors_occurred = True
    own.close_if_unusable_or_obsolete()
    own.close()
    assert patience == [PROBE]
