from datetime import date

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from league.models import League
from league.services.boards import rebuild_boards, unwatched
from league.services.calendar import adjust
from league.services.history import SYSTEM
from stats.messages import came_first
from stats.services.following import follow
from stats.services.titles import create_title
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.time_machine("2025-12-10 12:00+09:00", tick=False)]

OCTOBER, EARLY, LATE = date(2025, 10, 31), date(2025, 11, 7), date(2025, 11, 21)


@pytest.fixture
def league() -> League:
    """Aoki wins October and November; Ishida climbs from negative to positive; Ono has too few hanchan."""
    league = make_league(minimum_month=3)
    aoki, ishida, ueno, eguchi, ono = make_players(league, 5)
    evening = make_session(league, OCTOBER)
    for _ in range(3):
        play(evening)
    evening = make_session(league, EARLY)
    play(evening, players=(aoki, eguchi, ueno, ishida))
    play(evening, players=(aoki, ono, ueno, eguchi))
    play(evening, players=(ueno, ono, aoki, eguchi))
    evening = make_session(league, LATE)
    play(evening, players=(ishida, ueno, eguchi, aoki))
    play(evening, players=(ishida, aoki, ueno, eguchi))
    settle()
    return league


def told(period: str = "2025-11", prefix: str = "/en", client: Client | None = None) -> str:
    return str((client or Client()).get(f"{prefix}/l/camarade/story/{period}/").content.decode())


def test_session_tells_rank_changes_unless_the_day_had_another(league: League) -> None:
    session = league.sessions.get(date=LATE)
    page = f"/en/l/camarade/sessions/{session.pk}/"
    assert "Rank changes in November 2025" in Client().get(page).content.decode()
    play(make_session(league, LATE), players=list(league.players.order_by("pk")[:4]))
    settle()
    assert "Rank changes in November 2025" not in Client().get(page).content.decode()


def test_month_is_described_with_links_to_its_numbers(league: League) -> None:
    page = told()
    ishida = league.players.get(romanised="Ishida")
    for sentence in (
        "In November 2025, 5 players played 5 hanchan.",
        "Ishida is 1st with +24.9.",
        "Aoki follows 3.2 points behind.",
        "Biggest comeback: Ishida, from −18.5 to +24.9.",
        "Most points in a hanchan: Aoki with +21.7.",
        "Highest raw score: Aoki with 31,700.",
        "Player 5 was one hanchan short of being ranked.",
    ):
        assert sentence in page, sentence
    for way in ("/en/l/camarade/standings/2025-11/", 'href="#race"', f"/p/{ishida.pk}/"):
        assert way in page, way


def test_month_in_japanese_uses_its_minus_sign(league: League) -> None:
    page = told(prefix="")
    assert "2025年11月は5人で5半荘を打ちました。" in page
    assert "最大の巻き返しは石田。▲18.5から+24.9まで戻しました。" in page
    assert "選手5は規定打数まであと1半荘でした。" in page
    assert override("ja")(came_first)(["青木", "石田"], 40000) == "首位は同点の青木・石田、+40.0でした。"


def test_story_chart_links_days_and_players(league: League) -> None:
    page = told()
    race = page[page.index('id="race"') : page.index("</table>")]
    keys = [league.players.get(romanised=name).pk for name in ("Ishida", "Aoki", "Ueno", "Eguchi")]
    people = "&amp;".join(f"p={key}" for key in keys)
    assert [f'class="line line-{number}"' in race for number in range(1, 6)] == [True] * 4 + [False]
    assert [f'/en/l/camarade/p/{key}/"' in race for key in keys] == [True] * 4
    for day, title in ((EARLY, "11/7"), (LATE, "11/21")):
        assert f'href="/en/l/camarade/race/?{people}&amp;period=2025-11&amp;on={day}#day"' in race
        assert f'<th scope="row">{title}</th>' in race
    year = told("2025")
    assert "period=2025&amp;on=2025-10-31#day" in year
    assert '<th scope="row">2025/10</th>' in year


def attendance(league: League) -> None:
    values = {"name": "皆勤賞", "name_en": "Attendance", "metric": "hanchan", "better": "high"}
    create_title(league=league, values=values, by=SYSTEM)


def test_story_names_titles_of_the_month(league: League) -> None:
    assert "Attendance" not in told()
    attendance(league)
    page = told()
    for sentence in (
        "Last avoidance: Ueno with 100.0%.",
        "Best average placement: Ishida with 2.00.",
        "Attendance: Aoki, Ueno, Eguchi with 5.",
    ):
        assert sentence in page, sentence
    assert 'href="/en/l/camarade/titles/?period=2025-11"' in page
    assert "Best score:" not in page
    assert "ラス回避率の1位は上野(100.0%)です。" in told(prefix="")


def test_story_leaves_out_a_widely_shared_title(league: League) -> None:
    attendance(league)
    evening, players = make_session(league, date(2025, 9, 12)), list(league.players.order_by("pk"))
    for out in players:
        play(evening, players=tuple(player for player in players if player != out))
    settle()
    assert "Attendance" not in told("2025-09")


def test_story_names_a_repeated_winner(league: League) -> None:
    assert "as in the previous period" not in told()
    adjust(player=league.players.get(romanised="Aoki"), day=LATE, points=4000, reason="bonus", by=SYSTEM)
    settle()
    assert "Aoki is 1st with +25.7, as in the previous period." in told()


def test_story_from_stored_months_adds_the_most_frequent_pair(league: League) -> None:
    before = told()
    assert "met most often" not in before
    follow(league.pk)
    cache.clear()
    after = told()
    assert "Aoki and Ueno met most often, in 5 hanchan." in after
    charts = [page[page.index('id="race"') : page.index("</table>")] for page in (before, after)]
    assert charts[0] == charts[1]


@pytest.mark.parametrize("period", ["2025-09", "all", "2025-11-01..2025-11-21", "nonsense"])
def test_missing_story_is_404(period: str, league: League) -> None:
    assert Client().get(f"/l/camarade/story/{period}/").status_code == 404


def test_story_of_the_current_month_is_marked_in_progress(league: League) -> None:
    assert "Still in progress" not in told()
    with time_machine.travel("2025-11-25 12:00+09:00", tick=False):
        page = told()
        assert "Still in progress" in page
        assert "Player 5 is one hanchan short of being ranked." in page


def test_month_without_ranked_players_has_a_story(league: League) -> None:
    League.objects.filter(pk=league.pk).update(minimum_month=99)
    rebuild_boards(League.objects.get(pk=league.pk), unwatched)
    assert "No one has played enough hanchan to be ranked yet." in told()


def test_stories_are_linked_from_list_and_standings(league: League, client: Client) -> None:
    listed = client.get("/l/camarade/story/").content.decode()
    for period in ("2025-10", "2025-11", "2025"):
        assert f"/l/camarade/story/{period}/" in listed
    assert "/l/camarade/story/2025-11/" in client.get("/l/camarade/standings/2025-11/").content.decode()
    assert "/l/camarade/story/2025-09/" not in client.get("/l/camarade/standings/2025-09/").content.decode()


def test_story_queries_do_not_grow(league: League) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as asked:
            told()
        return len(asked)

    follow(league.pk)
    told()
    make_session(league, LATE)
    few = cost()
    evening = make_session(league, LATE)
    for _ in range(4):
        play(evening)
    settle()
    follow(league.pk)
    assert cost() == few <= 14
