from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client

from league.models import League, Revision
from league.services.history import SYSTEM
from league.services.results import void_hanchan
from stats.models import Award, OwnTitle
from stats.selectors.honours import honours_of
from stats.services.following import follow
from stats.services.titles import MAX_TITLES, TooManyTitlesError, change_title, create_title, set_withdrawn
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle
from tests.stats.pages import named

PAGE = "/en/l/camarade/titles/"
LATER = datetime(2026, 3, 5, 12, tzinfo=UTC)
MOST = {"name": "皆勤賞", "name_en": "Iron player", "metric": "hanchan", "better": "high"}

pytestmark = [pytest.mark.django_db, pytest.mark.time_machine(LATER, tick=False)]


@pytest.fixture
def league() -> League:
    """In November Aoki is first; Ishida wins December's last hanchan with 60,000; Aoki leads the year."""
    league = make_league()
    aoki, ishida, ueno, eguchi = make_players(league)
    for _ in range(3):
        play(make_session(league), (50000, 30000, 15000, 5000))
    play(make_session(league, date(2025, 12, 19)), (60000, 20000, 15000, 5000), players=(ishida, ueno, eguchi, aoki))
    settle()
    return league


def told(client: Client, period: str, page: str = PAGE) -> str:
    html = client.get(f"{page}?period={period}").content.decode()
    return " ".join(html[html.index("<main") :].split())


def held(league: League, name: str) -> set[tuple[str, str]]:
    rows = Award.objects.filter(player=named(league, name)).exclude(key=Award.EVENINGS)
    return set(rows.values_list("key", "period"))


def test_page_shows_holders_and_runners_up(client: Client, league: League, django_assert_max_num_queries: Any) -> None:
    assert client.get(f"{PAGE}?period=2025-11-01..2025-11-05").status_code == 404
    assert "最高スコア" in client.get("/l/camarade/titles/?period=all").content.decode()
    with django_assert_max_num_queries(5):
        page = told(client, "2025-12")
    assert "Overall" in page
    assert "60,000" in page
    assert "Ishida" in page
    year = told(client, "2025")
    assert "17 hanchan to go" not in year
    assert "16 hanchan to go" in year
    assert "behind by" in year


def test_titles_follow_corrections(league: League) -> None:
    follow(league.pk)
    assert ("best-score", "2025") in held(league, "Ishida")
    assert ("overall", "2025-12") in held(league, "Ishida")
    assert ("overall", "2025-11") in held(league, "Aoki")
    void_hanchan(hanchan=league.hanchan.latest("day"), by=SYSTEM, reason="not played")
    settle()
    follow(league.pk)
    assert not held(league, "Ishida") & {("best-score", "2025"), ("overall", "2025-12")}
    assert ("best-score", "2025") in held(league, "Aoki")
    titles = honours_of(league, named(league, "Aoki"), LATER).titles
    assert ("best-score", "all") in {(title.key, title.kind.value) for title in titles}


@pytest.mark.long
def test_organiser_creates_changes_withdraws_and_restores_a_title(client: Client, league: League) -> None:
    client.force_login(make_user("organiser", league=league, role="organiser"))
    assert "/en/l/camarade/titles/own/" in told(client, "2025")
    form = {"name": "皆勤賞", "name_en": "Iron player", "metric": "hanchan", "better": "high", "minimum": "1/2"}
    assert client.post(f"{PAGE}own/new/", form).status_code == 200
    assert client.post(f"{PAGE}own/new/", form | {"minimum": "a third", "in_years": "on"}).status_code == 200
    assert OwnTitle.objects.count() == 0
    assert client.post(f"{PAGE}own/new/", form | {"in_years": "on"}).status_code == 302
    title = OwnTitle.objects.get(league=league)
    assert (title.key, title.minimum, title.in_months) == ("own-1", "1/2", False)
    assert "Iron player" in told(client, "2025")
    assert "Iron player" not in told(client, "2025-12")
    changed = form | {"name_en": "Regular", "in_months": "on"}
    assert client.post(f"{PAGE}own/{title.pk}/", changed).status_code == 200
    assert client.post(f"{PAGE}own/{title.pk}/", changed | {"reason": "kinder"}).status_code == 302
    assert "Regular" in told(client, "2025-12")
    assert client.post(f"{PAGE}own/{title.pk}/withdraw/", {"do": "withdraw", "reason": "enough"}).status_code == 302
    assert "Regular" not in told(client, "2025-12")
    assert "withdrawn" in client.get(f"{PAGE}own/").content.decode()
    assert client.post(f"{PAGE}own/{title.pk}/withdraw/", {"do": "restore", "reason": "again"}).status_code == 302
    assert "Regular" in told(client, "2025-12")
    revisions = Revision.objects.filter(subject="owntitle", subject_id=title.pk).order_by("pk")
    assert [(each.action, each.by_name, each.reason) for each in revisions] == [
        ("created", "organiser", ""),
        ("changed", "organiser", "kinder"),
        ("withdrawn", "organiser", "enough"),
        ("restored", "organiser", "again"),
    ]
    assert "Iron player" in client.get("/en/l/camarade/manage/history/").content.decode()


@pytest.mark.both_databases
def test_awards_follow_changes_of_a_title(league: League) -> None:
    follow(league.pk)
    title = create_title(league=league, values=MOST, by=SYSTEM)
    follow(league.pk)
    assert ("own-1", "2025") in held(league, "Eguchi")
    values = {"name": "勝ち頭", "metric": "top_rate"}
    assert change_title(title=title, values=values, reason="better", by=SYSTEM)
    assert not change_title(title=title, values=values, reason="again", by=SYSTEM)
    follow(league.pk)
    assert ("own-1", "2025") not in held(league, "Eguchi")
    assert ("own-1", "2025") in held(league, "Aoki")
    set_withdrawn(title=title, withdrawn=True, reason="enough", by=SYSTEM)
    set_withdrawn(title=title, withdrawn=True, reason="enough", by=SYSTEM)
    follow(league.pk)
    assert not Award.objects.filter(key="own-1").exists()
    assert Revision.objects.filter(subject="owntitle").count() == 3


def test_titles_per_league_are_limited(league: League) -> None:
    for _ in range(MAX_TITLES):
        create_title(league=league, values=MOST, by=SYSTEM)
    with pytest.raises(TooManyTitlesError):
        create_title(league=league, values=MOST, by=SYSTEM)


@pytest.mark.both_databases
def test_honours_of_a_player_use_few_queries(league: League, django_assert_max_num_queries: Any) -> None:
    create_title(league=league, values=MOST, by=SYSTEM)
    follow(league.pk)
    aoki = named(league, "Aoki")
    with django_assert_max_num_queries(8):
        found = honours_of(league, aoki, LATER)
    assert found.evenings == 3
    assert ("overall", "month", 1, "2025-11") in {
        (title.key, title.kind.value, title.times, title.latest.key) for title in found.titles
    }
    assert {title.own["en"] for title in found.titles if title.own} == {"Iron player"}
    assert [achieved.feat.value for achieved in found.achievements] == ["first_top", "tops_3"]


def test_player_page_shows_titles(client: Client, league: League) -> None:
    create_title(league=league, values=MOST, by=SYSTEM)
    follow(league.pk)
    aoki = named(league, "Aoki")
    page = told(client, "all", f"/en/l/camarade/p/{aoki.pk}/")
    for fact in ("MVP of the month", "Iron player of the year", "Sessions won", "Three wins in a row"):
        assert fact in page, page
    assert "月間MVP" in told(client, "all", f"/l/camarade/p/{aoki.pk}/")
