from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from league.core.periods import ALL_TIME, month_of, parse_period
from league.models import League, Player
from league.services.calendar import adjust
from league.services.history import SYSTEM
from scoring.core import Bust
from stats.models import KeptSums
from stats.selectors.careers import careers_in
from stats.selectors.together import gains_by_day, meetings_among, race_in
from stats.services.following import follow
from stats.tables.compare import _cells, figures
from tests.league.entry_contexts import text
from tests.league.factories import DAY, make_league, make_players, make_session, play, settle
from tests.stats.pages import named

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_november")]

OCTOBER = date(2025, 10, 31)
PAGES = ("race/", "players/compare/", "players/matrix/")


@pytest.fixture
def league() -> League:
    """Aoki wins in October, Ishida in November; October's sums are stored, November's not yet."""
    league = make_league()
    aoki, ishida, ueno, eguchi = make_players(league)
    play(make_session(league, OCTOBER))
    play(make_session(league), players=(ishida, aoki, ueno, eguchi))
    adjust(player=ueno, day=DAY - timedelta(days=1), points=-2000, reason="late", by=SYSTEM)
    settle()
    return league


def get(client: Client, address: str, prefix: str = "/en", slug: str = "camarade") -> str:
    response = client.get(f"{prefix}/l/{slug}/{address}")
    assert response.status_code == 200
    return text(response)


@pytest.mark.both_databases
@pytest.mark.parametrize("period", ["all", "2025", "2025-11", "2025-10-01..2025-11-20", "2025-10-31..2025-11-21"])
def test_stored_months_do_not_change_comparisons(league: League, period: str) -> None:
    within, players = parse_period(period), list(league.players.all())
    everybody = [player.pk for player in players]

    def found() -> tuple[object, ...]:
        return (
            careers_in(league, within, everybody),
            gains_by_day(league, within),
            meetings_among(league, everybody, within),
            race_in(league, within),
        )

    before = found()
    with time_machine.travel(datetime(2026, 3, 5, tzinfo=UTC), tick=False):
        assert follow(league.pk) == 3
    assert KeptSums.objects.filter(player=None).count() == 3
    assert found() == before
    for player in players:
        assert careers_in(league, within, [player.pk])[player.pk] == careers_in(league, within)[player.pk]


def test_race_of_a_month_has_a_step_per_day(league: League) -> None:
    race = race_in(league, month_of(DAY))
    assert race.is_by_day
    assert race.steps == (DAY - timedelta(days=1), DAY)
    assert race.sums[named(league, "Ueno").pk] == (-2000, -6500), "points without a hanchan count"
    assert race.sums[named(league, "Ishida").pk] == (None, 21700)
    few_months = race_in(league, ALL_TIME)
    assert few_months.is_by_day
    assert few_months.steps == (OCTOBER, DAY - timedelta(days=1), DAY)
    assert race_in(league, parse_period("2024")).steps == race_in(league, parse_period("2024-01")).steps == ()


@pytest.fixture
def long_league(league: League) -> League:
    for month in (6, 8):
        play(make_session(league, date(2025, month, 10)))
    settle()
    return league


@pytest.mark.both_databases
def test_race_of_many_months_has_a_step_per_month(client: Client, long_league: League) -> None:
    race = race_in(long_league, ALL_TIME)
    assert not race.is_by_day
    assert race.steps == (date(2025, 6, 30), date(2025, 8, 31), date(2025, 10, 31), date(2025, 11, 30))
    assert race.sums[named(long_league, "Aoki").pk] == (21700, 43400, 65100, 66400)
    # A range excludes the other days of its months.
    part = race_in(long_league, parse_period("2025-06-11..2025-11-20"))
    assert part.is_by_day is False
    assert part.sums[named(long_league, "Aoki").pk] == (21700, 43400, 43400)
    assert part.sums[named(long_league, "Ueno").pk] == (-4500, -9000, -11000)
    assert part.steps[-1] == date(2025, 11, 20)
    html = get(client, "race/?period=all")
    assert "Standings at the end of November 2025" in html
    assert "In the month" in html


def test_race_shows_points_and_ranks_in_charts_and_a_table(client: Client, league: League) -> None:
    html = get(client, "race/")
    assert html.count('class="chart-plot"') == 2
    assert html.count("<title id=") == html.count("<desc id=") == 2
    assert html.count('class="line line-4"') == 2
    for fact in ("+23.0", "+21.7", "Standings on Fri 21 Nov 2025", "Ishida", "2025-01-01..2025-11-21"):
        assert fact in html, fact
    assert " style=" not in html
    assert html.index("Ishida") < html.index("Ueno") < html.index("Eguchi")


def test_race_shows_standings_on_a_given_day(client: Client, league: League) -> None:
    html = get(client, "race/?period=2025&on=2025-10-31")
    assert "Standings on Fri 31 Oct 2025" in html
    assert "/l/camarade/standings/2025-01-01..2025-10-31/" in html
    assert text(client.get("/en/l/camarade/standings/2025-01-01..2025-10-31/"))
    assert "Standings on Fri 31 Oct 2025" in get(client, "race/?on=2025-11-05")
    for on in ("2020-01-01", "x", "2025-02-31", "%00"):
        assert "Standings on" in get(client, f"race/?on={on}")


def test_race_shows_chosen_players(client: Client, league: League) -> None:
    ueno, eguchi = named(league, "Ueno"), named(league, "Eguchi")
    html = get(client, f"race/?p={eguchi.pk}&p={ueno.pk}&p={ueno.pk}&p=999999&p=x")
    assert 'class="line line-2"' in html
    assert 'class="line line-3"' not in html
    assert f"?p={eguchi.pk}&amp;p={ueno.pk}&amp;period=all" in html


def test_comparison_asks_for_players(client: Client, league: League) -> None:
    aoki = named(league, "Aoki")
    for address in ("players/compare/", f"players/compare/?p={aoki.pk}", "players/compare/?p=x&p=0"):
        html = get(client, address)
        assert "Choose at least two players." in html
        assert html.count('type="checkbox"') == 4
    assert get(client, f"players/compare/?p={aoki.pk}").count(" checked") == 1


def test_comparison_shows_figures_and_differences(client: Client, league: League) -> None:
    aoki, ueno = named(league, "Aoki"), named(league, "Ueno")
    html = get(client, f"players/compare/?p={aoki.pk}&p={ueno.pk}")
    for fact in ("+23.0", "−11.0", "−34.0", "1.50", "3.00", "+1.50", "2-0-0", "Too few hanchan", "50.0%", "−50.0"):
        assert fact in html, fact
    assert html.count('class="line line-') == 2
    assert "period=2025-10-31..2025-10-31" in html


def test_comparison_marks_the_worse_value(league: League) -> None:
    aoki, eguchi = named(league, "Aoki"), named(league, "Eguchi")
    play(make_session(league), (62000, 30000, 15000, -7000), busts=(Bust(3, "other"),))
    careers = careers_in(league, ALL_TIME, [aoki.pk, eguchi.pk])

    def worse(*people: Player) -> dict[str, bool]:
        rows = figures(people, careers, {player.pk: careers[player.pk].tally.points for player in people})
        with translation.override("en"):
            return {str(row.label): row.cells[1].is_worse for row in rows if row.cells[1].difference}

    assert {"Average placement", "Below-zero rate"} < worse(aoki, eguchi).keys()
    assert all(worse(aoki, eguchi).values())
    assert not any(worse(eguchi, aoki).values())
    assert not any(cell.is_worse for cell in _cells([10, 4], None))


def test_comparison_is_limited_to_four_players(client: Client, league: League) -> None:
    make_players(league, 2)
    query = "&".join(f"p={player.pk}" for player in league.players.order_by("pk"))
    html = get(client, f"players/compare/?{query}")
    assert html.count("<article") == 6
    assert html.count(" checked") == 4


def test_comparison_estimates_the_better_player_after_twenty_hanchan(client: Client, league: League) -> None:
    aoki, eguchi = named(league, "Aoki"), named(league, "Eguchi")
    address = f"players/compare/?p={eguchi.pk}&p={aoki.pk}"
    session = make_session(league)
    for _ in range(17):
        play(session)
    settle()
    assert "better than" not in get(client, address)
    play(session)
    settle()
    html = get(client, address)
    assert "Based on their shared hanchan, the probability that Aoki is better than Eguchi is 99%." in html
    assert "as if at different tables" not in html
    assert "確率は99%です" in get(client, address, prefix="")


def test_comparison_shows_players_who_never_met(client: Client, league: League) -> None:
    aoki = named(league, "Aoki")
    others = make_players(league, 4)
    session = make_session(league)
    for _ in range(20):
        play(session)
        play(session, (50000, 30000, 20000, 0), players=others)
    settle()
    html = get(client, f"players/compare/?p={aoki.pk}&p={others[3].pk}")
    assert "They have not met in this period." in html
    assert "as if at different tables, the probability that Aoki is better" in html
    html = get(client, f"players/compare/?p={aoki.pk}&p={named(league, 'Ueno').pk}&period=2024")
    assert "They have not met in this period." in html
    assert "chart-plot" not in html


def test_matrix_shades_cells_from_five_meetings(client: Client, league: League) -> None:
    aoki, eguchi = named(league, "Aoki"), named(league, "Eguchi")
    html = get(client, "players/matrix/?period=all")
    assert f'/players/compare/?p={aoki.pk}&amp;p={eguchi.pk}&amp;period=all">2-0</a>' in html
    assert f'/players/compare/?p={eguchi.pk}&amp;p={aoki.pk}&amp;period=all">0-2</a>' in html
    assert "heat-" not in html
    session = make_session(league)
    for _ in range(3):
        play(session)
    settle()
    html = get(client, "players/matrix/?period=all")
    assert 'class="heat-4"' in html
    assert 'class="heat-0"' in html


def test_matrix_is_limited_to_thirty_players(client: Client, league: League) -> None:
    session = make_session(league)
    others = make_players(league, 32)
    for start in range(0, 32, 4):
        play(session, players=others[start : start + 4])
    settle()
    html = get(client, "players/matrix/")
    assert html.count('<th scope="row"') == 30
    assert "6 more players with fewer hanchan are not shown." in html


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize(
    "period", ["", "?period=all", "?period=2025-11", "?period=2024", "?period=2025-10-01..2025-11-21"]
)
def test_comparison_pages_load_for_every_period(client: Client, league: League, address: str, period: str) -> None:
    for prefix in ("", "/en"):
        assert "<h1>" in get(client, address + period, prefix=prefix)
    make_league("friday", name="Friday")
    assert "<h1>" in get(client, address + period, slug="friday")


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("period", ["x", "2025-13", "1500", "%00"])
def test_comparison_of_invalid_period_is_missing(client: Client, league: League, address: str, period: str) -> None:
    assert client.get(f"/l/camarade/{address}?period={period}").status_code == 404


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("period", ["2025", "2025-11"])
def test_comparison_queries_do_not_grow(client: Client, long_league: League, address: str, period: str) -> None:
    league = long_league
    query = "".join(f"&p={player.pk}" for player in league.players.order_by("pk")[:4])

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            get(client, f"{address}?period={period}{query}")
        return len(queries)

    before = cost()
    others = make_players(league, 8)
    for day in (DAY, OCTOBER, date(2025, 9, 3), date(2025, 7, 3)):
        session = make_session(league, day)
        for start in (0, 4):
            play(session, players=others[start : start + 4])
            play(session)
    settle()
    assert cost() <= before <= 12
