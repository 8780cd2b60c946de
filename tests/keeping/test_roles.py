import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction
from django.test import Client, override_settings
from django.urls import reverse

from league.models import Confirmation, Hanchan
from league.services.boards import rebuild_boards, refresh_league, unwatched
from league.services.confirming import NewStatement, say
from league.services.erasing.person import Erasure, erase_player
from league.services.history import SYSTEM
from league.services.imports.undoing import undo
from league.services.people import merge_players, separate_players
from league.services.rescoring import rescore
from league.services.results import void_hanchan
from league.services.rules import adopt_card
from tests.conftest import needs_postgresql
from tests.league.factories import correct, make_league, make_players, make_session, make_user, play, run
from tests.league.imports.files import file_of, game
from tests.league.imports.test_run import imported
from tournaments.models import Decision
from tournaments.services.events import revoke_decision

pytestmark = [pytest.mark.django_db, needs_postgresql]

ROLE = f"pages_{os.getpid()}"
"""Roles belong to the whole server, which other tests may use in parallel."""


@contextmanager
def serving() -> Iterator[None]:
    run("grant_roles", ROLE)
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {ROLE}")
        yield
        cursor.execute("RESET ROLE")


def refused(statement: str) -> str:
    with pytest.raises(DatabaseError) as refusal, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    return str(refusal.value)


@pytest.mark.long
def test_serving_role_can_run_a_league(client: Client) -> None:
    with serving():
        league = make_league()
        session = make_session(league)
        players = make_players(league, 5)
        first, second = play(session, players=players[:4]), play(session, players=players[:4], round=2)
        say(hanchan=first, statement=NewStatement(Confirmation.Verdict.DISPUTES, 1, players[0]), by=SYSTEM)
        correct(second, (30700, 32300, 25500, 11500))
        void_hanchan(hanchan=second, by=SYSTEM, reason="x")
        merge_players(source=players[4], target=players[3], by=SYSTEM, reason="x")
        separate_players(source=players[4], by=SYSTEM, reason="x")
        undo(imported(league, file_of(game("2025-11-22"), game("2025-11-23"))).pk, SYSTEM, unwatched)
        rescore(league, adopt_card(league=league, card_key="mleague", name="M", by=SYSTEM).pk, SYSTEM, unwatched)
        refresh_league(league.pk)
        rebuild_boards(league, unwatched)
        client.force_login(make_user(league=league, role="owner"))
        for name in ("league_home", "standings_current", "manage", "sessions", "export"):
            assert client.get(reverse(f"league:{name}", args=[league.slug]), follow=True).status_code == 200


def test_serving_role_can_erase_a_name() -> None:
    with serving():
        league = make_league()
        aoki = make_players(league)[0]
        play(make_session(league), note="青木")
        assert erase_player(player=aoki, asked=Erasure("asked"), by=SYSTEM).facts > 0
        assert "青木" not in str(list(league.revisions.values_list("before", "after", "reason")))


@pytest.mark.long
def test_serving_role_can_load_the_demo() -> None:
    with serving(), override_settings(DEMO=True):
        run("load_demo")
        revoke_decision(Decision.objects.valid().earliest("pk"), SYSTEM, "x")
    assert Hanchan.objects.exists()


def test_serving_role_cannot_rewrite_history_or_create_tables() -> None:
    play(make_session(make_league()))
    with serving():
        for statement in (
            "DELETE FROM league_revision",
            "UPDATE league_revision SET id = id",
            "TRUNCATE league_revision CASCADE",
            "DROP TABLE league_revision CASCADE",
            "ALTER TABLE league_revision DISABLE TRIGGER ALL",
            "DROP TRIGGER league_revision_stays ON league_revision",
            "CREATE OR REPLACE FUNCTION league_revision_stays() RETURNS trigger LANGUAGE sql AS ''",
            "ALTER TABLE league_revision RENAME TO gone",
            "SET session_replication_role = replica",
            "CREATE TABLE public.other (id int)",
            "CREATE FUNCTION public.other() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "UPDATE django_migrations SET name = 'x'",
            "TRUNCATE league_standing",
            f"ALTER ROLE {ROLE} SUPERUSER",
        ):
            said = ("permission denied", "must be", "league_revision only grows")
            assert refused(statement).startswith(said), statement


def test_serving_role_is_created_with_its_password_and_granted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVING_PASSWORD", 'it\'s 100% "secret"')
    assert run("grant_roles", ROLE) == run("grant_roles", ROLE)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolcanlogin, rolsuper, rolpassword LIKE 'SCRAM%%' FROM pg_authid WHERE rolname = %s", [ROLE]
        )
        assert cursor.fetchone() == (True, False, True)


def test_owner_without_createrole_asks_a_superuser_to_create_the_role(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVING_PASSWORD", "another")
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        owner = f"{ROLE}_owner"
        cursor.execute(f"CREATE ROLE {owner} IN ROLE {cursor.fetchone()[0]}; SET ROLE {owner}")
        with pytest.raises(CommandError, match=f"A superuser says there once: CREATE ROLE {ROLE} LOGIN"):
            run("grant_roles", ROLE)
        cursor.execute(f"RESET ROLE; CREATE ROLE {ROLE} LOGIN PASSWORD 'its own'; SET ROLE {owner}")
        said = run("grant_roles", ROLE)
        cursor.execute("RESET ROLE")
    assert "keeps its password" in said
    assert f"{ROLE} may use" in said


@pytest.mark.parametrize(
    ("makes", "says"),
    [
        pytest.param("SELECT 1", "owns the tables", id="the owner"),
        pytest.param(f"CREATE ROLE {ROLE} SUPERUSER", "has administrator rights", id="a superuser"),
        pytest.param(f"CREATE ROLE {ROLE} CREATEROLE", "has administrator rights", id="one that makes roles"),
        pytest.param(f"CREATE ROLE {ROLE} IN ROLE CURRENT_USER", "may act as their owner", id="a member of the owner"),
        pytest.param(f"CREATE ROLE {ROLE}; ALTER TABLE league_standing OWNER TO {ROLE}", "owns tables", id="an owner"),
    ],
)
def test_role_that_could_rewrite_history_is_refused(makes: str, says: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(makes)
        cursor.execute("SELECT current_user")
        (owner,) = cursor.fetchone()
    with pytest.raises(CommandError, match=says):
        run("grant_roles", owner if makes == "SELECT 1" else ROLE)
