"""No page adds seats up or counts hanchan when somebody looks: more hanchan of the past cost it nothing."""

from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.models import League, Session, Standing
from league.selectors.overview import league_cards
from league.selectors.sheets import sheet_of
from league.tasks import refresh_standings
from tests.conftest import needs_postgresql
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db

FEW = 12
"""What hanchan leave behind on shelves of their own: a line of a counter, not one for each of them."""


@pytest.fixture
def sessions() -> list[Session]:
    """Three evenings of spring and one of autumn, a hanchan each."""
    league = make_league()
    days = (date(2025, 4, 4), date(2025, 4, 11), date(2025, 5, 2), date(2025, 11, 21))
    found = [make_session(league, day) for day in days]
    for session in found:
        play(session)
    return found


def rows_read(client: Client, address: str, league: League) -> int:
    """Return how many rows of tables the first view of a page reads, once the worker has done what waits."""
    refresh_standings.apply(args=(league.pk,)).get()
    cache.clear()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE league_seat, league_hanchan, league_revision, league_session")
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SELECT league_edition_sum_up(%s)", [league.pk])
    with CaptureQueriesContext(connection) as asked:
        assert client.get(address).status_code == 200
    return sum(rows_of(query["sql"]) for query in asked)


def rows_of(statement: str) -> int:
    """Return how many rows of tables a question has looked at, those that it left out included."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}")
        return _rows_under(cursor.fetchone()[0][0]["Plan"])


def _rows_under(node: dict[str, Any]) -> int:
    looked = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
    # A bitmap of an index counts what the test has deleted, too; the rows that it leads to are counted above it.
    here = looked if "Relation Name" in node else 0
    return int(here) + sum(_rows_under(each) for each in node.get("Plans", ()))


def test_home_knows_how_many_players_a_league_has_without_counting_them(sessions: list[Session]) -> None:
    league = sessions[0].league
    play(sessions[-1], players=make_players(league))
    refresh_standings.apply(args=(league.pk,)).get()
    with CaptureQueriesContext(connection) as asked:
        [card] = league_cards(AnonymousUser(), timezone.now())
    assert (card.hanchan, card.players) == (5, 8)
    assert not any("league_standing" in query["sql"] or "COUNT(" in query["sql"] for query in asked)


@needs_postgresql
@pytest.mark.parametrize("page", ["sessions/?year=2025", "rules/"])
def test_more_hanchan_of_the_past_cost_a_page_nothing(client: Client, sessions: list[Session], page: str) -> None:
    league = sessions[0].league
    client.force_login(make_user(league=league, role="organiser"))
    address = f"/l/{league.slug}/{page}"
    few = rows_read(client, address, league)
    for _ in range(20):
        play(sessions[0])
    assert rows_read(client, address, league) <= few + FEW


def test_what_came_before_a_session_is_read_from_the_boards_of_its_months(sessions: list[Session]) -> None:
    league, last = sessions[0].league, sessions[-1]
    refresh_standings.apply(args=(league.pk,)).get()
    before = [column.before for column in sheet_of(last, "ranking").columns]
    Standing.objects.filter(league=league, period="2025-04").update(points=F("points") + 1000)
    assert [column.before for column in sheet_of(last, "ranking").columns] == [points + 1000 for points in before]


def test_a_long_range_asks_once_which_boards_are_up_to_date(client: Client, sessions: list[Session]) -> None:
    league = sessions[0].league
    refresh_standings.apply(args=(league.pk,)).get()
    with CaptureQueriesContext(connection) as asked:
        assert client.get(f"/l/{league.slug}/standings/2024-03-05..2025-11-24/").status_code == 200
    assert len(asked) <= 12, [query["sql"][:90] for query in asked]
