"""What stands out in a month, as the league's home tells it."""

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from league.core.periods import month_of
from league.models import League
from stats.selectors.records import month_records
from tests.league.factories import DAY, make_league, make_players, make_session, play, settle

pytestmark = pytest.mark.django_db

NOW = datetime(2025, 11, 21, 13, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def league() -> League:
    """Two hanchan in November, Aoki ahead in both; in October Eguchi won with more."""
    league = make_league()
    aoki, ishida, ueno, eguchi = make_players(league)
    play(make_session(league, date(2025, 10, 31)), (60000, 20000, 15000, 5000), players=(eguchi, ueno, ishida, aoki))
    session = make_session(league)
    play(session)
    play(session, (40000, 30000, 20000, 10000))
    settle()
    return league


def records_of(client: Client) -> str:
    """Return the part of the league's home, without tags; empty when it is not there."""
    html = client.get("/en/l/camarade/").content.decode()
    found = re.search(r"<h2>Records, .*?</section>", html, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", found[0]).split()) if found else ""


def test_month_without_hanchan_has_no_records(league: League, client: Client) -> None:
    assert month_records(league, month_of(date(2024, 1, 1))) is None
    make_league("empty")
    assert "Records," not in client.get("/en/l/empty/").content.decode()


def test_home_tells_who_holds_them(client: Client, league: League) -> None:
    told = records_of(client)
    assert told.startswith("Records, November 2025")
    for fact in ("Best raw score 40,000 Aoki", "Most points +30.0 Aoki", "Most hanchan 2, Aoki"):
        assert fact in told, told


def test_records_count_the_points_that_the_boards_count(client: Client) -> None:
    play(make_session(make_league(ledger=League.RankingLedger.SETTLEMENT)))
    settle()
    assert "Most points +31.0 Aoki" in records_of(client)


def test_records_cost_two_queries(league: League, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):
        found = month_records(league, month_of(DAY))
        assert found is not None
        assert {player.romanised for player in found.players} == {"Aoki"}


def test_home_of_a_league_costs_twelve_queries(client: Client, league: League, django_assert_num_queries: Any) -> None:
    # Two of them tell how far tonight's session is, two how the latest evening ended.
    with django_assert_num_queries(12):
        client.get("/l/camarade/")
