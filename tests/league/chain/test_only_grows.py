"""Nobody rewrites what was said and decided: the database itself refuses it, whoever asks and however."""

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from league.models import Confirmation, League, Revision
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM, Actor
from tests.conftest import needs_postgresql
from tests.league.factories import make_session, make_user, play
from tests.tournaments.factories import approve_stage, by_entry, draw_and_plan, make_tournament, play_planned
from tournaments.models import Decision
from tournaments.services.events import revoke_decision

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TABLES = ("league_revision", "league_confirmation", "tournaments_decision")

FORBIDDEN = {
    "a row that says something else": "UPDATE {table} SET by_name = 'somebody else'",
    "a row that is gone": "DELETE FROM {table}",
}


@pytest.fixture
def said() -> League:
    """Return a league in which something stands in each of the tables."""
    tournament = make_tournament()
    draw_and_plan(tournament, "qualifying")
    hanchan = play(make_session(tournament.league))
    agree(hanchan.league, Actor(make_user(), "web"))
    return tournament.league


def agree(league: League, by: Actor) -> None:
    hanchan = league.hanchan.latest("pk")
    say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.AGREES, hanchan.version, None), by=by)


def rows_of(table: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table} ORDER BY id")
        rows: list[tuple[object, ...]] = cursor.fetchall()
    return rows


def refuses(statement: str) -> None:
    with pytest.raises(DatabaseError, match="only grows"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("statement", FORBIDDEN.values(), ids=FORBIDDEN)
def test_what_was_said_cannot_be_changed_or_deleted(said: League, table: str, statement: str) -> None:
    before = rows_of(table)
    assert said.pk
    assert before
    refuses(statement.format(table=table))
    assert rows_of(table) == before


@needs_postgresql
@pytest.mark.parametrize("table", TABLES)
def test_no_table_of_the_history_can_be_emptied(said: League, table: str) -> None:
    assert said.pk
    # Else it is refused because of what is to be checked at the end of this test's transaction.
    connection.check_constraints()
    refuses(f"TRUNCATE {table} CASCADE")
    refuses(f"TRUNCATE league_league, {table} CASCADE")


def test_a_decision_is_revoked_once_and_never_changed_by_it(said: League) -> None:
    decision = Decision.objects.earliest("pk")
    refuses(f"UPDATE tournaments_decision SET revoked_at = at, reason = 'x' WHERE id = {decision.pk}")
    refuses(f"UPDATE tournaments_decision SET revoked_reason = 'x' WHERE id = {decision.pk}")
    revoke_decision(decision, SYSTEM, "drawn anew")
    refuses("UPDATE tournaments_decision SET revoked_reason = 'never said' WHERE revoked_at IS NOT NULL")
    refuses("UPDATE tournaments_decision SET revoked_at = NULL WHERE revoked_at IS NOT NULL")
    assert Decision.objects.get(pk=decision.pk).revoked_reason == "drawn anew"
    assert said.pk


def test_an_account_that_goes_leaves_the_history_as_it_is(said: League) -> None:
    user = make_user("ishida")
    play(make_session(said), raw=(31000, 32000, 25500, 11500))
    agree(said, Actor(user, "web"))
    before = {table: rows_of(table) for table in TABLES}
    User.objects.get(pk=user.pk).delete()
    assert {table: rows_of(table) for table in TABLES} == before
    assert Confirmation.objects.latest("pk").by_name == "ishida"


@pytest.mark.long
def test_a_decision_is_approved_and_approved_anew(said: League) -> None:
    tournament = said.tournaments.get()
    for each in tournament.sessions.select_related("session"):
        play_planned(each, by_entry(tournament))
    approve_stage(tournament, "qualifying")
    assert Decision.objects.filter(kind=Decision.Kind.ADVANCE).exists()
    assert Revision.objects.filter(league=said).exists()
