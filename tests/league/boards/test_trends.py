from datetime import date

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.periods import ALL_TIME, Period, month_of, range_of, year_of
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


@pytest.mark.parametrize(
    ("period", "curve"),
    [
        pytest.param(month_of(DAY), (0, 21700, 43400), id="a step for each day of a month"),
        pytest.param(year_of(DAY), (0, 21700, 65100), id="a step for each month of a year"),
        pytest.param(ALL_TIME, (0, 21700, 65100), id="a step for each month of all time"),
        pytest.param(range_of(LAST_WEEK, LAST_WEEK), (0, 21700), id="only the days of a range"),
    ],
)
def test_curve_has_steps_of_the_period(league: League, period: Period, curve: tuple[int, ...]) -> None:
    assert trends(league, period, [aoki(league).pk]) == {aoki(league).pk: curve}


def test_curve_of_a_shifted_year_starts_in_its_first_month(league: League) -> None:
    league.first_month = 11
    assert trends(league, year_of(DAY, 11), [aoki(league).pk])[aoki(league).pk] == (0, 43400)


def test_adjustment_moves_the_curve_on_its_day(league: League) -> None:
    adjust(player=aoki(league), day=LAST_WEEK, points=-40000, reason="late", by=SYSTEM)
    found = trends(league, month_of(DAY), [aoki(league).pk])
    assert found[aoki(league).pk] == (0, -18300, 3400)


def test_long_curve_is_thinned_and_keeps_its_end() -> None:
    steps = [f"{number:03}" for number in range(200)]
    found = drawn({1: dict.fromkeys(steps, 10)}, steps, [1, 2])
    assert len(found[1]) == MAX_STEPS
    assert found[1][-1] == 2000
    assert set(found[2]) == {0}


def test_curves_of_all_players_cost_two_queries(league: League) -> None:
    players = list(league.players.values_list("pk", flat=True))
    for period in (month_of(DAY), year_of(DAY), ALL_TIME):
        with CaptureQueriesContext(connection) as queries:
            trends(league, period, players)
        assert len(queries) == 2
