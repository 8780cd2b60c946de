from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.test import Client

from league.core.periods import ALL_TIME
from league.models import League
from league.services.calendar import adjust
from league.services.history import SYSTEM
from stats.selectors.pictures import MAX_RISES, PlayerPictures, player_pictures
from stats.selectors.profiles import CurveStep, ProfileScope, player_profile
from tests.league.factories import DAY, make_league, make_session, play, settle
from tests.stats.pages import named

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_november")]

OCTOBER = date(2025, 10, 31)


@pytest.fixture
def league() -> League:
    return make_league(players=4)


def drawn(league: League) -> PlayerPictures:
    found = player_pictures(league, player_profile(league, named(league), ProfileScope(ALL_TIME)))
    assert found
    return found


def of_gains(league: League, *gains: tuple[date, int]) -> PlayerPictures:
    nothing = player_profile(league, named(league), ProfileScope(ALL_TIME))
    assert player_pictures(league, nothing) is None
    found = player_pictures(league, replace(nothing, gains=tuple(CurveStep(day, points, 1) for day, points in gains)))
    assert found
    return found


def test_charts_can_show_a_single_hanchan(league: League) -> None:
    session = make_session(league)
    play(session)
    found = drawn(league)
    ((_, mark, spell),) = found.curve.taps
    assert (mark.value, spell.points, spell.total, spell.session) == (21700, 21700, 21700, session.pk)
    assert (found.boxes, found.box_lines, found.by) == (None, (), "evening")
    assert [cells.cells for cells in found.seats] == [((1, 12, 4), (2, 0, 0), (3, 0, 0), (4, 0, 0))]
    assert [month.hanchan for month in found.calendar] == [1, 0, 0]


def test_chart_points_link_to_sessions_or_days(league: League) -> None:
    play(make_session(league, OCTOBER))
    for _ in range(2):
        play(make_session(league))
    adjust(player=named(league), day=DAY + timedelta(days=1), points=1000, reason="bonus", by=SYSTEM)
    found = drawn(league)
    spells = [spell for _, _, spell in found.curve.taps]
    assert [spell.session for spell in spells] == [league.sessions.get(date=OCTOBER).pk, None, None, None]
    assert [spell.key for spell in spells][:2] == ["2025-10-31..2025-10-31", "2025-11-21..2025-11-21"]
    assert [spell.hanchan for spell in spells] == [1, 1, 1, 0]
    assert [(spell.first, spell.points, spell.total) for _, spell in found.fall_lines] == [
        (OCTOBER, 21700, 21700), (DAY, 43400, 65100), (DAY + timedelta(days=1), 1000, 66100),
    ]  # fmt: skip


def test_shortened_curve_of_many_hanchan_keeps_its_total(league: League) -> None:
    days = [DAY - timedelta(days=7 * week) for week in range(200)][::-1]
    found = of_gains(league, *((day, 1000 * (number % 7 - 3)) for number, day in enumerate(days)))
    spells = [spell for _, _, spell in found.curve.taps]
    assert len(spells) == 9
    assert [spells[0].first, spells[-1].last] == [days[0], days[-1]]
    assert all(one.last < other.first for one, other in pairwise(spells))
    assert [spell.total for spell in spells][-1] == found.total == sum(spell.points for spell in spells)
    assert sum(spell.hanchan for spell in spells) == 200


@pytest.mark.parametrize(
    ("evenings", "apart", "by"),
    [
        pytest.param(MAX_RISES, 7, "evening", id="as many evenings as there is room for"),
        pytest.param(MAX_RISES + 1, 7, "month", id="one more"),
        pytest.param(MAX_RISES + 1, 31, "year", id="too many months"),
    ],
)
def test_waterfall_groups_by_session_month_or_year(league: League, evenings: int, apart: int, by: str) -> None:
    days = [DAY - timedelta(days=apart * number) for number in range(evenings)][::-1]
    found = of_gains(league, *((day, 1000) for day in days))
    assert found.by == by
    assert found.falls.total.after == 1000 * evenings
    assert len(found.fall_lines) <= MAX_RISES


@pytest.mark.parametrize(
    ("count", "group", "expected"),
    [
        pytest.param(5, 0, [(1, 5)], id="a box for the few there are"),
        pytest.param(24, 0, [(1, 24)], id="the rest is too few for a box"),
        pytest.param(25, 20, [(1, 20), (21, 25)], id="the rest is enough for a box"),
        pytest.param(161, 40, [(1, 40), (41, 80), (81, 120), (121, 161)], id="never more than eight boxes"),
    ],
)
def test_box_plots_group_hanchan_in_order(league: League, count: int, group: int, expected: list[Any]) -> None:
    found = of_gains(league, *((DAY + timedelta(days=number), 1000 * number) for number in range(count)))
    assert [(start, end) for _, start, end, _ in found.box_lines] == expected
    assert found.group == group
    box, start, end, spell = found.box_lines[-1]
    assert (box.numbers.least, box.numbers.most) == (1000 * (start - 1), 1000 * (end - 1))
    assert spell.first == DAY + timedelta(days=start - 1)


def test_player_page_shows_charts_with_links(client: Client, league: League) -> None:
    session = make_session(league)
    for _ in range(5):
        play(session)
    settle()
    html = client.get(f"/en/l/camarade/p/{named(league).pk}/?all=months").content.decode()
    for fact in (
        f'href="/en/l/camarade/sessions/{session.pk}/"',
        "Fri 21 Nov 2025: +21.7, total +43.4",
        'href="?period=2025-11-21..2025-11-21"',
        "worst +21.7, best +21.7, lower quartile +21.7, upper quartile +21.7, median +21.7",
        'class="mid heat-4"',
    ):
        assert fact in html, fact
    assert html.count('class="chart-calendar"') == 3
    assert " style=" not in html
