from datetime import date

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.http.rate_limits import Limit
from league.models import League, Player
from league.services.calendar import SessionFacts, open_session
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player, merge_players
from stats.selectors.searching import MAX_FOUND
from stats.views import searching
from tests.league.entry_contexts import text
from tests.league.factories import DAY, make_league, make_session
from tests.tournaments.factories import make_tournament

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def _no_earlier_searches() -> None:
    caches["notes"].clear()


@pytest.fixture
def league() -> League:
    league = make_league(players=4)
    add_player(league=league, facts=PlayerFacts("大野 太郎", "おおの たろう", aliases=("ビッグ",)), by=SYSTEM)
    add_player(league=league, facts=PlayerFacts("髙橋"), by=SYSTEM)
    make_session(league)
    return league


def asked(client: Client, wanted: str, slug: str = "camarade", prefix: str = "/en") -> str:
    response = client.get(f"{prefix}/l/{slug}/search/", {"q": wanted})
    assert response.status_code == 200
    return text(response).split('<main id="main"')[1].split("<footer")[0]


def address_of(league: League, name: str) -> str:
    return f"/l/{league.slug}/p/{league.players.get(name=name).pk}/"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        *(("大野 太郎", each) for each in ("大野", "おおの", "ｵｵﾉ", "oono", "ono", "ohno", "Ōno taro", "太郎 大野")),
        *(("大野 太郎", each) for each in ("ビッグ", "びっぐ", "biggu")),
        *(("髙橋", each) for each in ("高橋", "髙橋", "takahashi", "takahasi", "たかはし")),
    ],
)
def test_player_is_found_by_every_name(client: Client, league: League, name: str, wanted: str) -> None:
    add_player(league=make_league("other"), facts=PlayerFacts("大野 花子"), by=SYSTEM)
    page = asked(client, wanted)
    assert address_of(league, name) in page
    assert address_of(league, "青木") not in page
    assert "花子" not in page


def test_matching_alias_is_shown(client: Client, league: League) -> None:
    assert "also called ビッグ" in asked(client, "ビッグ")
    assert "also called" not in asked(client, "大野")


def test_merged_player_is_found_under_the_current_name(client: Client, league: League) -> None:
    other = add_player(league=league, facts=PlayerFacts("小林", "こばやし"), by=SYSTEM)
    merge_players(source=other, target=league.players.get(name="大野 太郎"), by=SYSTEM, reason="")
    for wanted in ("小林", "kobayashi", "おおの"):
        page = asked(client, wanted)
        assert f"/p/{other.pk}/" not in page
        assert address_of(league, "大野 太郎") in page
    Player.objects.filter(pk=other.pk).update(visibility=Player.Visibility.NOBODY)
    assert address_of(league, "大野 太郎") not in asked(client, "小林")


@pytest.mark.parametrize("wanted", ["1１月２１日", "2025年11月", "21 Nov 2025", "第1節", "Session 1", "1"])
def test_session_is_found_by_number_and_day(client: Client, league: League, wanted: str) -> None:
    assert f"/l/camarade/sessions/{league.sessions.get().pk}/" in asked(client, wanted)


@pytest.mark.parametrize("wanted", ["おぎくぼ", "荻窪", "荻窪 11/22", "春合宿", "ﾊﾙ", "haru"])
def test_session_is_found_by_title_and_venue(client: Client, league: League, wanted: str) -> None:
    facts = SessionFacts(date=date(2025, 11, 22), title="春合宿 ハル", venue="荻窪 おぎくぼ荘")
    found = open_session(league=league, facts=facts, by=SYSTEM)
    page = asked(client, wanted)
    assert f"/sessions/{found.pk}/" in page
    assert f"/sessions/{league.sessions.get(date=DAY).pk}/" not in page


def test_tournament_is_found_in_either_language(client: Client) -> None:
    tournament = make_tournament()
    tournament.name, tournament.name_en = "秋季王座戦", "Autumn Throne"
    tournament.save()
    for wanted in ("王座", "autumn throne", "ＴＨＲＯＮＥ"):
        page = asked(client, wanted, tournament.league.slug)
        assert f"/t/{tournament.key}/" in page
        assert "Autumn Throne" in page
    assert "秋季王座戦" in asked(client, "throne", tournament.league.slug, prefix="")


def test_empty_search_suggests_next_steps(client: Client, league: League) -> None:
    assert "Nothing found" not in asked(client, "")
    page = asked(client, "いない人")
    assert "Nothing found" in page
    for path in ("players", "sessions", "tournaments"):
        assert f'href="/en/l/camarade/{path}/"' in page


def test_surplus_results_are_counted(client: Client, league: League) -> None:
    for number in range(MAX_FOUND + 3):
        add_player(league=league, facts=PlayerFacts(f"森 {number}子", "もり"), by=SYSTEM)
    page = asked(client, "mori")
    assert page.count("/p/") == MAX_FOUND
    assert "3 more results are not shown" in page


def test_search_is_rate_limited(client: Client, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "SEARCHES", Limit("searches", tries=2, seconds=60))
    asked(client, "青木")
    asked(client, "青木")
    refused = client.get("/en/l/camarade/search/", {"q": "青木"})
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "60"
    assert "Too many requests" in text(refused)
    assert client.get("/en/l/camarade/search/").status_code == 200


def test_search_queries_do_not_grow(client: Client, league: League) -> None:
    asked(client, "大野")
    with CaptureQueriesContext(connection) as few:
        asked(client, "もり 節")
    for number in range(30):
        add_player(league=league, facts=PlayerFacts(f"森 {number}子", "もり", aliases=(f"M{number}",)), by=SYSTEM)
    for each in (SessionFacts(date=DAY, title=f"もりの会 {number}") for number in range(5)):
        open_session(league=league, facts=each, by=SYSTEM)
    with CaptureQueriesContext(connection) as many:
        asked(client, "もり")
    assert len(many) <= len(few) + 2
    assert len(many) <= 9
