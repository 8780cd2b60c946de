"""Which statements hold a league where it is, and where rows of several databases come from."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DEFAULT_DB_ALIAS, InterfaceError, connection, connections, transaction
from django.test import Client

from accounts.models import NoticeChoices
from league.databases import (
    ALL_LEAGUES,
    HOME,
    SITE,
    Fence,
    LeagueMovedError,
    ReadThere,
    Router,
    Whereabouts,
    is_of_the_site,
    present_place,
    stores,
    working_in,
)
from league.models import AwayLeague, League, LeagueAddress, Player
from league.models.endings import counts_of, rows_of_leagues
from league.selectors import editions, overview, places
from league.services.moving.rows import moved_tables
from tests.conftest import needs_postgresql


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ('INSERT INTO "league_seat" VALUES (1)', True),
        ('\n  UPDATE "league_seat" SET points = 1', True),
        ("DELETE FROM league_seat", True),
        ('SELECT 1 FROM "league_session" WHERE id = 1 FOR NO KEY UPDATE OF "league_session"', True),
        ("SELECT 1 FROM league_player WHERE id = 1 FOR UPDATE SKIP LOCKED", True),
        ("WITH gone AS (DELETE FROM league_staleperiod RETURNING id) SELECT * FROM gone", True),
        ("WITH played AS (SELECT 1) SELECT * FROM played", False),
        ('SELECT "league_seat"."points" FROM "league_seat"', False),
        ("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", False),
        ("SAVEPOINT s1", False),
        ("CREATE INDEX CONCURRENTLY a ON b (c)", False),
    ],
)
def test_what_may_store_something(statement: str, expected: bool) -> None:
    assert stores(statement) is expected


def test_a_site_with_one_database_is_always_at_home() -> None:
    with working_in("elsewhere", 3):
        assert present_place() == Whereabouts(HOME, ALL_LEAGUES)


@pytest.fixture
def elsewhere(settings: Any) -> Any:
    """A second connection under another name; nothing is asked through it."""
    settings.LEAGUE_DATABASES = ("elsewhere",)
    connections["elsewhere"] = connections[DEFAULT_DB_ALIAS].copy("elsewhere")
    yield
    for name in ("elsewhere", SITE):
        if hasattr(connections._connections, name):  # type: ignore[attr-defined]
            del connections[name]


@pytest.mark.usefixtures("elsewhere")
def test_work_in_another_database_goes_there_and_people_stay_at_home() -> None:
    home, router = connections[HOME], Router()
    assert router.db_for_read(League) == router.db_for_read(User) == HOME
    with working_in("elsewhere", 7):
        assert present_place() == Whereabouts("elsewhere", 7)
        assert connections[HOME].alias == "elsewhere"
        assert connections[SITE] is home
        assert router.db_for_write(League) == "elsewhere"
        assert {router.db_for_read(each) for each in (User, NoticeChoices, LeagueAddress)} == {SITE}
        with working_in(HOME):
            assert connections[HOME] is home
            assert router.db_for_read(User) == HOME
        came_from_home = League(pk=1)
        came_from_home._state.db = HOME
        assert router.db_for_read(Player, instance=came_from_home) == SITE
    assert connections[HOME] is home
    came_from_there = League(pk=1)
    came_from_there._state.db = "elsewhere"
    assert router.db_for_read(Player, instance=came_from_there) == "elsewhere"
    assert router.allow_relation(came_from_home, came_from_there)


@pytest.mark.usefixtures("elsewhere")
def test_whoever_fails_elsewhere_is_at_home_again() -> None:
    home = connections[HOME]
    with pytest.raises(ZeroDivisionError), working_in("elsewhere"):
        raise ZeroDivisionError
    assert connections[HOME] is home
    assert present_place().database == HOME


@pytest.mark.usefixtures("elsewhere")
def test_what_is_read_bit_by_bit_is_read_there() -> None:
    seen: list[str] = []

    def rows() -> Any:
        try:
            for number in range(3):
                seen.append(present_place().database)
                yield number
        finally:
            seen.append(f"ends in {present_place().database}")

    parts = ReadThere(Whereabouts("elsewhere", 1), rows())
    assert next(parts) == 0
    assert present_place().database == HOME
    assert next(parts) == 1
    parts.close()
    assert seen == ["elsewhere", "elsewhere", "ends in elsewhere"]


def test_every_table_of_a_league_goes_along() -> None:
    """Whatever belongs to a league is moved, parents after what points at them; what is of the site stays."""
    names = [table.name for table in moved_tables()]
    assert len(names) == len(set(names))
    ours = rows_of_leagues()
    wanted = {model._meta.db_table for model in ours} | {
        key.model._meta.db_table for model in ours for key in counts_of(model)
    }
    assert set(names) == wanted
    assert names[-1] == League._meta.db_table
    assert {
        "league_hanchan",
        "league_editionrise",
        "league_unchainedfact",
        "tournaments_decision",
        "stats_award",
    } <= wanted
    assert not any(is_of_the_site(model) for model in ours)
    assert AwayLeague._meta.db_table not in names
    mails = next(table for table in moved_tables() if table.name == "accounts_notice")
    assert "mail_id" not in mails.columns
    assert mails.people == ("user_id",)


@pytest.mark.django_db
@pytest.mark.usefixtures("elsewhere")
def test_where_a_secret_leads_is_asked_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def league_of(secret: str) -> int | None:
        asked.append(secret)
        return 3 if secret == "known" else None

    monkeypatch.setattr(places, "_finders", {"page": league_of})
    monkeypatch.setattr(places, "_known", {})
    for _ in range(2):
        assert places.place_of_secret("page", "known") == Whereabouts(HOME, 3)
    assert asked == ["known"]
    assert places.place_of_secret("page", "known", anew=True) == Whereabouts(HOME, 3)
    assert len(asked) == 2
    # What opens nothing is not remembered: whoever makes codes up fills no memory.
    with monkeypatch.context() as patch:
        patch.setattr(places, "all_databases", lambda: (HOME,))
        assert places.place_of_secret("page", "unknown") is None
    assert len(places._known) == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("elsewhere")
def test_a_home_page_from_which_a_database_was_left_out_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    """Also where the database answered only when it was asked for its edition."""
    drawn: list[str] = []
    away = True

    def cards(_user: object, _now: object) -> list[Any]:
        drawn.append(present_place().database)
        if away and drawn[-1] != HOME:
            raise InterfaceError
        return []

    monkeypatch.setattr(overview, "_cards_here", cards)
    monkeypatch.setattr(editions, "_edition_of_all_here", lambda: editions.EditionOfAll("1", ()))
    assert "no-store" in client.get("/").headers["Cache-Control"]
    assert len(drawn) == 2
    away = False
    assert client.get("/").status_code == 200
    assert len(drawn) == 4
    assert client.get("/").status_code == 200
    assert len(drawn) == 4, "a whole page is kept"


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_was_refused_because_its_league_has_left_stores_nothing_later(settings: Any) -> None:
    settings.LEAGUE_DATABASES = ("elsewhere",)
    AwayLeague.objects.create(league_id=3, database="elsewhere")
    with working_in(HOME, 3), connection.execute_wrapper(Fence()), transaction.atomic():
        for _ in range(2):
            with pytest.raises(LeagueMovedError), connection.cursor() as cursor:
                cursor.execute("UPDATE league_league SET name = 'Late'")
