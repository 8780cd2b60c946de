from datetime import date
from fractions import Fraction

import pytest
from django.test import Client

from league.core.periods import ALL_TIME, month_of
from league.models import League, Player
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player, merge_players
from league.services.results import void_hanchan
from stats.selectors.profiles import ProfileScope, player_profile
from tests.league.entry_contexts import text
from tests.league.factories import DAY, make_league, make_players, make_session, play, settle
from tests.stats.pages import links, named

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_november")]

OCTOBER = date(2025, 10, 31)

MAX_LINKS = 37
"""Of 40 for an owner whose own page it is; the others lead to what they may change."""


@pytest.fixture
def league() -> League:
    """Two sessions: Aoki wins in October, Ishida in November."""
    league = make_league()
    aoki, ishida, ueno, eguchi = make_players(league)
    play(make_session(league, OCTOBER))
    play(make_session(league), players=(ishida, aoki, ueno, eguchi))
    settle()
    return league


def page(player: Player, query: str = "", prefix: str = "/en") -> str:
    return f"{prefix}/l/camarade/p/{player.pk}/{query}"


def test_profile_sums_hanchan_and_opponents(league: League) -> None:
    found = player_profile(league, named(league, "Aoki"), ProfileScope(ALL_TIME))
    assert found.total == 21700 + 1300
    assert found.tally.places == (12, 12, 0, 0)
    assert found.recent == (1, 2)
    assert sorted(found.seats) == [0, 1]
    assert [gain.points for gain in found.gains] == [21700, 1300]
    assert player_profile(league, named(league, "Aoki"), ProfileScope(month_of(DAY))).total == 1300
    latest = player_profile(league, named(league, "Aoki"), ProfileScope(ALL_TIME, 1))
    assert (latest.total, latest.tally.games) == (1300, 1)
    against = {met.player.romanised: met.record for met in found.opponents}
    assert (against["Ishida"].above, against["Ishida"].below) == (1, 1)
    assert (against["Ueno"].above, against["Ueno"].lead) == (2, 1500)


def test_profile_counts_adjustments_but_not_voided_results(league: League) -> None:
    aoki = named(league, "Aoki")
    adjust(player=aoki, day=DAY, points=-40000, reason="late", by=SYSTEM)
    void_hanchan(hanchan=league.hanchan.earliest("played_at"), by=SYSTEM, reason="twice")
    found = player_profile(league, aoki, ProfileScope(ALL_TIME))
    assert (found.total, found.adjustment, found.tally.games) == (1300 - 40000, -40000, 1)
    assert player_profile(league, aoki, ProfileScope(ALL_TIME, 20)).total == 1300


@pytest.mark.parametrize(
    ("query", "status"),
    [
        *((query, 200) for query in ("2025", "2025-11", "last-20", "last-100", "2025-11-01..2025-11-30", "all&page=9")),
        *((query, 404) for query in ("x", "last-7", "", "%00", "2025-13")),
    ],
)
def test_player_page_accepts_valid_periods_only(client: Client, league: League, query: str, status: int) -> None:
    assert client.get(page(named(league, "Aoki"), f"?period={query}")).status_code == status


def test_range_form_redirects_to_the_range(client: Client, league: League) -> None:
    answer = client.get(page(named(league, "Aoki")), {"first": "2025-11-01", "last": "2025-11-21"})
    assert answer.headers["Location"].endswith("?period=2025-11-01..2025-11-21")
    assert "Enter a valid date" in text(client.get(page(named(league, "Aoki")), {"first": "soon", "last": ""}))


def test_page_of_a_player_without_hanchan_shows_a_message(client: Client, league: League) -> None:
    newcomer = add_player(league=league, facts=PlayerFacts("河野"), by=SYSTEM)
    assert "No hanchan in this period yet" in text(client.get(page(newcomer)))
    assert "See all time" in text(client.get(page(named(league, "Aoki"), "?period=2024")))


def test_player_page_names_the_only_day_of_play_once(client: Client, league: League) -> None:
    *others, newcomer = (*league.players.all()[:3], add_player(league=league, facts=PlayerFacts("河野"), by=SYSTEM))
    play(make_session(league), players=(newcomer, *others))
    settle()
    assert "Played on Fri 21 Nov 2025" in text(client.get(page(newcomer)))
    assert "Played from" in text(client.get(page(named(league, "Aoki"))))


@pytest.mark.parametrize("part", ["", "rating/"])
def test_page_of_a_merged_player_redirects(client: Client, league: League, part: str) -> None:
    double = add_player(league=league, facts=PlayerFacts("青木さん"), by=SYSTEM)
    merge_players(source=double, target=named(league, "Aoki"), by=SYSTEM, reason="same person")
    assert client.get(page(double, part)).headers["Location"] == page(named(league, "Aoki"), part)


def test_player_page_lists_the_latest_hanchan_and_links_to_all(client: Client, league: League) -> None:
    session = make_session(league)
    for _ in range(5):
        play(session)
    html = text(client.get(page(named(league, "Aoki"))))
    assert html.partition('id="hanchan"')[2].partition("</section>")[0].count("/l/camarade/g/") == 4
    assert "?period=all&amp;page=1#hanchan" in html
    assert "All 7 hanchan" in html
    whole = text(client.get(page(named(league, "Aoki"), "?period=all&page=1")))
    assert whole.partition('id="hanchan"')[2].partition("</section>")[0].count("/l/camarade/g/") == 7
    for _ in range(15):
        play(session)
    assert "Page 2 of 2" in text(client.get(page(named(league, "Aoki"), "?page=2")))


def test_player_page_shows_every_statistic(client: Client, league: League) -> None:
    html = text(client.get(page(named(league, "Aoki"))))
    for fact in ("+23.0", "1.50", "±1.55", "1 of 2", "0 of 2", "provisional", "Ishida", "31,700", "East, first dealer"):
        assert fact in html, fact
    rank = html.partition('class="player-ranks"')[2].partition("</ul>")[0]
    for fact in ("November 2025", "#2", "/ 4", "+1.3", "All time", "+23.0"):
        assert fact in rank, fact
    assert 'class="chart-plot"' in html
    assert f'href="/en/l/camarade/sessions/{league.sessions.earliest("date").pk}/"' in html
    assert "October 2025" in html
    assert " style=" not in html
    every = html.partition('id="statistics"')[2].partition("</details>")[0]
    assert "&lt;" not in every
    for fact in (
        "Sessions played",
        "100.0% of 2 sessions",
        "Last hanchan",
        "1-1-0-0",
        "Points from scores",
        "First places divided by hanchan.",
        "1 of 2 · 9.5%–90.5% · provisional",
        "31,500",
        "+6,500",
    ):
        assert fact in every, fact


def test_unknown_values_are_omitted(client: Client, league: League) -> None:
    play(make_session(league), points=(20000, 5000, -5000, -20000), players=list(league.players.order_by("pk"))[::-1])
    eguchi = player_profile(league, named(league, "Eguchi"), ProfileScope(ALL_TIME))
    assert (eguchi.tally.games, eguchi.tally.with_raw, eguchi.tally.average_raw) == (3, 2, Fraction(11500))
    assert "Average raw score" in text(Client().get(page(named(league, "Eguchi"), "?period=last-20")))


def test_player_page_shortens_opponents_and_months(client: Client, league: League) -> None:
    aoki, others = named(league, "Aoki"), make_players(league, 6)
    for number in range(12):
        play(make_session(league, date(2024, 1 + number, 5)), players=(aoki, *others[number % 4 : number % 4 + 3]))
    html = text(client.get(page(aoki)))
    assert "?period=all&amp;all=opponents#opponents" in html
    assert "All 9 opponents" in html
    assert "?period=all&amp;all=months#months" in html
    assert "January 2024" not in html
    assert len(links(html)) <= MAX_LINKS
    assert "January 2024" in text(client.get(page(aoki, "?all=months")))
    assert "All 9 opponents" not in text(client.get(page(aoki, "?all=opponents")))
    assert client.get(page(aoki, "?all=else")).status_code == 404


def test_player_page_shows_percentiles_among_players_with_enough_hanchan(client: Client, league: League) -> None:
    session = make_session(league)
    for _ in range(18):
        play(session)
    settle()
    found = player_profile(league, named(league, "Aoki"), ProfileScope(ALL_TIME)).peers
    assert (found.minimum, found.enough) == (20, 4)
    assert found.percentiles["first"] == Fraction(7, 8)
    assert found.strength is None
    html = text(client.get(page(named(league, "Aoki"))))
    assert "ahead of 87.5%" in html
    assert "of 4 players with at least 20 hanchan" in html
    assert player_profile(league, named(league, "Aoki"), ProfileScope(month_of(DAY))).peers.percentiles == {}


def test_player_page_shows_the_estimated_strength(client: Client, league: League) -> None:
    people = list(league.players.order_by("pk")) + make_players(league, 4)
    session = make_session(league)
    for number in range(20):
        play(session, players=people[:4] if number % 2 else people[4:])
    settle()
    best = player_profile(league, people[4], ProfileScope(ALL_TIME)).peers.strength
    worst = player_profile(league, people[7], ProfileScope(ALL_TIME)).peers.strength
    assert best is not None
    assert worst is not None
    assert 1 < best.value < 2.5 < worst.value < 4
    assert "Estimated strength" in text(client.get(page(people[4])))
