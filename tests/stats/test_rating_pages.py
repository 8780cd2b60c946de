from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.models import League
from league.services.history import SYSTEM
from league.services.results import void_hanchan
from stats.core.ratings.prediction import Judged, PredictionVerdict
from stats.models import RatingState
from stats.selectors.ratings import Predictions, changes_of, told_of
from stats.services.following import follow
from stats.tables.ratings import prediction_lines
from stats.templatetags.stats import factor, rating, rating_change
from tests.league.factories import make_league, make_session, play, settle
from tests.stats.pages import named

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

START = datetime(2025, 11, 21, 10, tzinfo=UTC)
LIST = "/en/l/camarade/ratings/"


def season(hanchan: int) -> League:
    league = make_league(players=4)
    first, second = make_session(league, date(2025, 11, 21)), make_session(league, date(2025, 12, 5))
    for number in range(hanchan - 1):
        play(first, played_at=START + timedelta(minutes=number))
    play(second, (11500, 25500, 31300, 31700), played_at=START + timedelta(days=14))
    settle()
    follow(league.pk)
    return league


def test_ratings_page_lists_both_ratings(client: Client) -> None:
    season(2)
    page = client.get(LIST).content.decode()
    # A 1500 player first moves to 1530, then comes last at a table averaging 1500: 0.998 · (-30 - 30/40) = -30.7.
    assert ">1499.3</a>" in page
    assert "−30.7" in page
    assert page.count("provisional</span>") == 4
    assert 'aria-sort="descending">Tenhou R' in page
    assert 'aria-sort="descending">Skill' in client.get(f"{LIST}?sort=skill").content.decode()
    assert "The last session was on" in page
    assert "Too few to tell: 2 hanchan were predicted; 100 are needed." in page
    assert sorted(("Aoki", "Ishida", "Ueno", "Eguchi"), key=page.index) == ["Eguchi", "Ueno", "Ishida", "Aoki"]


def test_ratings_page_without_hanchan_shows_a_message(client: Client) -> None:
    league = make_league(players=4)
    assert "No ratings yet" in client.get(LIST).content.decode()
    assert "No ratings yet" in client.get(f"/en/l/camarade/p/{named(league).pk}/rating/").content.decode()
    assert render_to_string("stats/parts/player_rating.html", {"league": league, "player": named(league)}).strip() == ""


def test_ratings_page_shows_pending_recalculation(client: Client) -> None:
    league = season(3)
    assert "recalculating" not in client.get(LIST).content.decode()
    void_hanchan(hanchan=league.hanchan.latest("played_at"), by=SYSTEM, reason="twice")
    assert "recalculating" in client.get(LIST).content.decode()
    settle()
    follow(league.pk)
    page = client.get(LIST).content.decode()
    assert "recalculating" not in page
    assert ">1559." in page


def test_rating_page_explains_each_change(client: Client) -> None:
    league = season(2)
    page = client.get(f"/en/l/camarade/p/{named(league).pk}/rating/").content.decode()
    first, second = league.hanchan.order_by("played_at")
    assert page.index(f"/g/{second.pk}/") < page.index(f"/g/{first.pk}/")
    told = " ".join(page.split())
    assert "0.998 × (" in told
    assert "+ (1500.0 − 1530.0) / 40)" in told
    assert "1.000 × (" in told
    assert ">1499.3</td>" in told


def test_rating_changes_are_paginated(client: Client) -> None:
    league = season(25)
    rows = told_of(named(league), changes_of(named(league)))
    assert [row.hanchan for row in rows] == list(league.hanchan.order_by("-played_at").values_list("pk", flat=True))
    assert [row.seat.hanchan for row in rows] == list(range(25, 0, -1))
    address = f"/en/l/camarade/p/{named(league).pk}/rating/"
    pages = [client.get(f"{address}?page={number}").content.decode() for number in (1, 2)]
    assert [page.count("/g/") for page in pages] == [20, 5]


@pytest.mark.merge
def test_rating_section_of_the_player_page_uses_one_query() -> None:
    league = season(34)
    player = named(league)
    with CaptureQueriesContext(connection) as queries:
        part = render_to_string("stats/parts/player_rating.html", {"league": league, "player": player})
    assert len(queries) == 1
    assert f"/p/{player.pk}/rating/" in part


def test_ratings_page_shows_the_verdict_on_predictions(client: Client) -> None:
    tenhou, skill = prediction_lines(Predictions(False, Judged(400, 400 * 2000, 400 * 10_000**2), Judged(99, 0, 0)))
    assert (tenhou.verdict, tenhou.gain, tenhou.margin) == (PredictionVerdict.BETTER, 20, 10)
    assert (tenhou.least, tenhou.likelier, tenhou.most) == (1000, 2000, 3000)
    assert (skill.verdict, skill.gain, skill.hanchan) == (PredictionVerdict.TOO_FEW, None, 99)
    season(2)
    for gain, said in ((2000, "Yes, they predict better"), (0, "Not so far"), (-2000, "No, they predict worse")):
        RatingState.objects.update(judged=400, tenhou_gain=400 * gain, tenhou_squares=400 * 10_000**2)
        page = " ".join(client.get(LIST).content.decode().split())
        assert said in page
        assert "Over 400 hanchan, the ratings gave the actual finishing order" in page


def test_rating_numbers_are_formatted() -> None:
    assert [rating(value) for value in (1_512_350, 1_512_349, 0, -1_250)] == ["1512.4", "1512.3", "0.0", "−1.3"]
    changed = rating_change(-12_350)
    assert "neg" in changed
    assert "12.4" in changed
    assert "+12.3" in rating_change(12_349)
    assert "0.0" in rating_change(-49)
    assert [factor(value) for value in (1000, 998, 200)] == ["1.000", "0.998", "0.200"]
