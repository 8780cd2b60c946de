import random
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.core.periods import ALL_TIME, Period, month_of, range_of, year_of
from league.models import League, Standing
from league.selectors.board_parts import known_boards
from league.selectors.boards import Evenings, board_lines, board_lines_on, evenings_around
from league.services.calendar import adjust
from league.services.history import SYSTEM
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = pytest.mark.django_db

FIRST, SECOND, THIRD = date(2025, 10, 31), date(2025, 11, 7), date(2025, 11, 21)
NOW = datetime(2025, 11, 21, 13, 0, tzinfo=UTC)
MONTH = "/en/l/camarade/standings/2025-11/"


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def league() -> League:
    league = make_league()
    aoki, ishida, ueno, eguchi, fifth = make_players(league, 5)
    for day in (FIRST, SECOND):
        play(make_session(league, day), players=(aoki, ishida, ueno, eguchi))
    third = make_session(league, THIRD)
    play(third, players=(ishida, fifth, aoki, eguchi))
    play(third, players=(ishida, ueno, aoki, eguchi))
    settle()
    return league


def text(response: Any) -> str:
    return str(response.getvalue().decode())


def board(client: Client, address: str) -> dict[str, str]:
    rows = re.findall(r"<tr id=.*?</tr>", text(client.get(address)), re.DOTALL)
    plain = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]
    names = [re.findall(r'class="player" href="[^"]+">([^<]+)<', row)[0] for row in rows]
    return dict(zip(names, plain, strict=True))


def facts(lines: list[Standing]) -> list[tuple[Any, ...]]:
    names = ("player_id", "rank", "shared_rank", "score", "total", "hanchan", "previous_rank", "recent", "raw_best")
    return [tuple(getattr(line, name) for name in names) for line in lines]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "period", [month_of(THIRD), year_of(THIRD), ALL_TIME, range_of(date(2025, 10, 15), THIRD)], ids=lambda one: one.key
)
def test_standings_as_of_a_day_equal_the_standings_on_that_day(seed: int, period: Period) -> None:
    dice = random.Random(seed)
    league = make_league(minimum_month=2, minimum_year=2)
    players = make_players(league, 6)
    days = sorted(dice.sample([date(2025, 8, 20) + timedelta(days=number) for number in range(93)], 10))
    said: dict[date, list[tuple[Any, ...]]] = {}
    for day in days:
        raw = dice.sample(range(1, 400), 3)
        play(
            make_session(league, day),
            (*(100 * each for each in raw), 100_000 - 100 * sum(raw)),
            players=dice.sample(players, 4),
        )
        settle()
        said[day] = facts(board_lines(league, period))
    for day in days:
        if day in period:
            assert facts(board_lines_on(league, period, day, known_boards(league))) == said[day]


def test_adjustment_counts_from_its_day(league: League) -> None:
    aoki = league.players.get(romanised="Aoki")
    adjust(player=aoki, day=date(2025, 11, 10), points=-40000, reason="late", by=SYSTEM)
    settle()

    def total(day: date) -> int:
        return next(line.total for line in board_lines_on(league, month_of(THIRD), day) if line.player == aoki)

    assert (total(date(2025, 11, 9)), total(date(2025, 11, 10))) == (21700, -18300)


@pytest.mark.parametrize(
    ("period", "day", "expected"),
    [
        (month_of(THIRD), None, Evenings(SECOND, THIRD, SECOND, None)),
        (month_of(THIRD), SECOND, Evenings(SECOND, THIRD, None, THIRD)),
        (month_of(THIRD), date(2025, 11, 8), Evenings(SECOND, THIRD, SECOND, THIRD)),
        (ALL_TIME, SECOND, Evenings(FIRST, THIRD, FIRST, THIRD)),
        (month_of(date(2025, 12, 1)), None, Evenings(None, None, None, None)),
    ],
)
def test_sessions_around_a_day_are_found_with_one_query(
    league: League, period: Period, day: date | None, expected: Evenings
) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert evenings_around(league, period, day) == expected
    assert len(asked) == 1


def test_standings_as_of_a_session_show_the_changes_since(client: Client, league: League) -> None:
    rows = board(client, f"{MONTH}?on=2025-11-07")
    assert list(rows) == ["Aoki", "Ishida", "Ueno", "Eguchi"]
    assert "+21.7" in rows["Aoki"]
    assert "−9.0" in rows["Aoki"]
    assert "#1 → #2" in rows["Aoki"]
    assert "#2 → #1" in rows["Ishida"]
    html = text(client.get(f"{MONTH}?on=2025-11-07"))
    assert "As of Fri 7 Nov 2025" in html
    assert "1 hanchan until then" in html
    assert "Joined since:" in html
    assert "Player 5" in html
    assert "noindex" in html
    assert "on=2025-11-07&amp;columns=all" in html
    for address in (MONTH, f"{MONTH}?on="):
        html = text(client.get(address))
        assert "+44.7" in html
        assert "Since then" not in html
        assert "noindex" not in html


def test_standings_as_of_a_session_link_to_the_sessions_around_it(client: Client, league: League) -> None:
    html = text(client.get("/l/camarade/standings/all/?on=2025-11-07"))
    assert 'href="?on=2025-10-31" rel="prev"' in html
    assert 'href="?on=2025-11-21" rel="next"' in html
    assert 'href="?on=2025-11-07"' in text(client.get(MONTH))


@pytest.mark.parametrize(
    "day", ["2025-11-06", "2025-11-22", "2025-02-30", "9999-12-31", "0001-01-01", "x", "2025-11", "\x00"]
)
def test_days_without_standings_are_refused_in_one_sentence(client: Client, league: League, day: str) -> None:
    response = client.get(MONTH, {"on": day})
    assert response.status_code == 404
    html = text(response)
    sentence = "These standings are available for days from 7 Nov 2025 to 21 Nov 2025."
    assert html.count(sentence) == 1
    assert '<meta name="robots" content="noindex">' in html
    assert "+44.7" in html


def test_empty_period_has_no_earlier_standings(client: Client, league: League) -> None:
    response = client.get("/en/l/camarade/standings/2025-09/?on=2025-09-03")
    assert response.status_code == 404
    assert "Nothing was played in this period, so there are no earlier standings." in text(response)


@pytest.mark.parametrize("scope", ["2025-11", "2025", "all", "2025-11-01..2025-11-21"])
@pytest.mark.parametrize("evenings", [1, 6])
def test_standings_as_of_a_day_cost_few_queries(client: Client, league: League, evenings: int, scope: str) -> None:
    for number in range(evenings):
        play(make_session(league, date(2025, 11, 8 + number)))
    settle()
    with CaptureQueriesContext(connection) as asked:
        assert client.get(f"/l/camarade/standings/{scope}/?on=2025-11-13").status_code == 200
    assert len(asked) <= (17 if ".." in scope else 14)
