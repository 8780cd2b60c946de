from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.periods import ALL_TIME, month_of, range_of, year_of
from league.models import League, Player
from league.selectors.boards import MAX_STEPS, drawn, trends
from league.services.calendar import adjust
from league.services.history import SYSTEM
from tests.league.factories import DAY, make_league, make_players, make_session, play, settle

pytestmark = pytest.mark.django_db

LAST_WEEK = date(2025, 11, 14)
LAST_MONTH = date(2025, 10, 31)


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league)
    for day in (LAST_MONTH, LAST_WEEK, DAY):
        play(make_session(league, day))
    settle()
    return league


def aoki(league: League) -> Player:
    return league.players.get(romanised="Aoki")


def test_month_has_a_step_for_each_day_of_play(league: League) -> None:
    found = trends(league, month_of(DAY), [aoki(league).pk])
    assert found == {aoki(league).pk: (0, 21700, 43400)}


def test_year_and_all_time_have_a_step_for_each_month(league: League) -> None:
    for period in (year_of(DAY), ALL_TIME):
        assert trends(league, period, [aoki(league).pk])[aoki(league).pk] == (0, 21700, 65100)


def test_year_that_begins_in_april_has_its_own_months(league: League) -> None:
    league.first_month = 11
    assert trends(league, year_of(DAY, 11), [aoki(league).pk])[aoki(league).pk] == (0, 43400)


def test_range_excludes_other_days(league: League) -> None:
    found = trends(league, range_of(LAST_WEEK, LAST_WEEK), [aoki(league).pk])
    assert found[aoki(league).pk] == (0, 21700)


def test_adjustments_belong_to_their_day(league: League) -> None:
    adjust(player=aoki(league), day=LAST_WEEK, points=-40000, reason="late", by=SYSTEM)
    found = trends(league, month_of(DAY), [aoki(league).pk])
    assert found[aoki(league).pk] == (0, -18300, 3400)


def test_long_curves_are_thinned_but_end_where_they_should() -> None:
    steps = [f"{number:03}" for number in range(200)]
    found = drawn({1: dict.fromkeys(steps, 10)}, steps, [1, 2])
    assert len(found[1]) == MAX_STEPS
    assert found[1][-1] == 2000
    assert set(found[2]) == {0}


def test_curves_cost_the_same_however_many_players(league: League) -> None:
    players = list(league.players.values_list("pk", flat=True))
    for period, expected in ((month_of(DAY), 2), (year_of(DAY), 2), (ALL_TIME, 2)):
        with CaptureQueriesContext(connection) as queries:
            trends(league, period, players)
        assert len(queries) == expected
