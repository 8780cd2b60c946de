import re
from datetime import date
from typing import Any

import pytest
from django.test import Client

from league.core.periods import month_of
from league.models import League
from stats.selectors.records import month_records
from tests.league.factories import DAY, make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_november")]

PAGE = "/en/l/camarade/records/"


@pytest.fixture
def league() -> League:
    """In October Eguchi won with 60,000; in November Aoki won twice in one session."""
    league = make_league()
    aoki, ishida, ueno, eguchi = make_players(league)
    play(make_session(league, date(2025, 10, 31)), (60000, 20000, 15000, 5000), players=(eguchi, ueno, ishida, aoki))
    session = make_session(league)
    play(session)
    play(session, (40000, 30000, 20000, 10000))
    settle()
    return league


def told(client: Client, address: str = PAGE) -> str:
    html = client.get(address).content.decode()
    return html[html.index("<main") :]


def test_records_link_to_their_hanchan_or_session(client: Client, league: League) -> None:
    page = told(client)
    first = league.hanchan.get(day=date(2025, 10, 31))
    session = league.sessions.latest("date")
    assert "60,000" in page
    assert f'href="/en/l/camarade/g/{first.pk}/"' in page
    assert f'href="/en/l/camarade/sessions/{session.pk}/"' in page
    assert "Among 3 hanchan." in page
    assert "Most wins in a row" in page


def test_records_can_be_limited_to_a_month_or_a_day(client: Client, league: League) -> None:
    assert "60,000" not in told(client, f"{PAGE}?period=2025-11")
    evening = told(client, f"{PAGE}?period=2025-10-31..2025-10-31")
    assert "60,000" in evening
    assert "Among 1 hanchan." in evening
    assert "No hanchan in this period yet" in told(client, f"{PAGE}?period=2020")
    assert client.get(f"{PAGE}?period=nonsense").status_code == 404


def records_of(client: Client) -> str:
    found = re.search(r"<h2>Records, .*?</section>", client.get("/en/l/camarade/").content.decode(), re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", found[0]).split()) if found else ""


def test_league_home_shows_records_of_the_month(client: Client, league: League, django_assert_num_queries: Any) -> None:
    told = records_of(client)
    assert told.startswith("Records, November 2025")
    for fact in ("Best raw score 40,000 Aoki", "Most points +30.0 Aoki"):
        assert fact in told, told
    with django_assert_num_queries(2):
        assert month_records(league, month_of(DAY)) is not None
    assert month_records(league, month_of(date(2024, 1, 1))) is None
    make_league("empty")
    assert "Records," not in client.get("/en/l/empty/").content.decode()


def test_most_hanchan_are_shown_once_one_player_has_more(client: Client) -> None:
    league = make_league()
    people = make_players(league, 7)
    play(make_session(league), players=people[:4])
    settle()
    assert "Most hanchan" not in records_of(client)
    play(make_session(league), players=[people[0], *people[4:]])
    settle()
    assert "Most hanchan 2, " in records_of(client)


def test_records_use_the_points_of_the_standings(client: Client) -> None:
    play(make_session(make_league(ledger=League.RankingLedger.SETTLEMENT)))
    settle()
    assert "Most points +31.0 Aoki" in records_of(client)
