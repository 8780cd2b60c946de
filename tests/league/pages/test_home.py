import re
from datetime import UTC, date, datetime, time
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client

from accounts.selectors.first_steps import FirstSteps, first_steps, is_new
from league.models import League, Membership, Revision
from league.services.demo_accounts import mark
from league.services.history import SYSTEM
from league.services.leagues import AddressTakenError, LeagueFacts, create_league
from tests.league.entry_contexts import text
from tests.league.factories import make_league, make_session, make_user, play, settle

NOW = datetime(2025, 11, 21, 13, 0, tzinfo=UTC)
pytestmark = [pytest.mark.django_db, pytest.mark.time_machine(NOW, tick=False)]

RAW_DECIDES = "more points in the most recent one, else a better placement, else a higher raw score"

NEW = {"name": "金曜リーグ", "slug": "Friday", "time_zone": "Asia/Tokyo", "card": "camarade", "is_public": "on"}


def test_home_lists_public_leagues_after_ones_own(client: Client) -> None:
    make_league()
    secret = make_league("secret", name="秘密", name_en="Secret", is_public=False)
    html = text(client.get("/en/"))
    assert "Camarade League" in html
    assert "Secret" not in html
    client.force_login(make_user(league=secret, role="player"))
    html = text(client.get("/en/"))
    found = [html.index(each) for each in ("Your leagues", "Secret", "Other public leagues", "Camarade")]
    assert found == sorted(found)


def test_home_links_to_sessions_under_way_and_tells_members_the_next(client: Client) -> None:
    league = make_league()
    assert "Now playing" not in text(client.get("/en/"))
    session = make_session(league)
    play(session)
    settle()
    html = text(client.get("/en/"))
    assert "Now playing: " in html
    assert f"/en/l/camarade/sessions/{session.pk}/" in html
    assert "1 hanchan · 4 players" in html
    enter = f'href="/en/l/camarade/sessions/{session.pk}/enter/"'
    assert enter not in html
    for day in (date(2025, 12, 19), date(2025, 12, 5)):
        make_session(league, day, venue="公民館")
    assert "Next session" not in text(client.get("/en/"))
    client.force_login(make_user(league=league, role="scorer"))
    html = text(client.get("/en/"))
    assert enter in html
    assert "Fri 5 Dec 2025 · 公民館" in html
    assert "19 Dec" not in html
    assert "Other public leagues" not in html


def test_home_offers_organisers_a_session_where_none_is_planned(client: Client) -> None:
    league = make_league()
    new = 'href="/en/l/camarade/sessions/new/"'
    for role, is_offered in (("player", False), ("scorer", False), ("organiser", True)):
        client.force_login(make_user(role, league=league, role=role))
        assert (new in text(client.get("/en/"))) is is_offered, role
    last = make_session(league, date(2025, 11, 14))
    play(last)
    settle()
    html = text(client.get("/en/"))
    assert new in html
    assert f'href="/en/l/camarade/sessions/{last.pk}/">Session 1</a>' in html
    assert ">Organiser</span>" in html
    make_session(league, date(2025, 12, 5))
    assert new not in text(client.get("/en/"))


def test_home_offers_to_start_a_league_where_accounts_are_open(client: Client, settings: Any) -> None:
    settings.SIGNUP = False
    assert "by invitation" in text(client.get("/en/"))
    settings.SIGNUP = True
    assert "/en/accounts/signup/?next=/en/leagues/new/" in text(client.get("/en/"))
    client.force_login(make_user())
    assert 'href="/en/leagues/new/"' in text(client.get("/en/"))


def test_demo_shows_its_accounts(client: Client, settings: Any) -> None:
    make_league()
    pages = ("/en/", "/en/accounts/login/")
    settings.DEMO = False
    assert not any("tenbo-demo" in text(client.get(page)) for page in pages)
    settings.DEMO = True
    assert "tenbo-demo" not in text(client.get("/en/accounts/login/"))
    mark([make_user(name) for name in ("aoki", "ishida", "ueno", "eguchi")])
    assert "tenbo-demo" in text(client.get("/en/"))
    shown = text(client.get("/en/accounts/login/"))
    for account in (">aoki<", ">ishida<", ">ueno<", ">eguchi<", "Owner", "Organiser", "Scorer", "Player"):
        assert account in shown
    assert shown.count(">tenbo-demo<") == 4


def test_league_home_shows_leaders_last_session_and_records(client: Client) -> None:
    play(make_session(make_league(), title="第3節"))
    settle()
    html = text(client.get("/en/l/camarade/"))
    assert RAW_DECIDES in html
    for fact in ("Leading in November 2025", "Aoki", "+21.7", "第3節", "31,700", "Ranking points: base, oka"):
        assert fact in html, fact


def test_league_home_names_sessions_of_today_and_later_as_such(client: Client) -> None:
    league = make_league()
    make_session(league, date(2025, 11, 28))
    for title, start in (("late", time(21)), ("begun", time(19))):
        play(make_session(league, title=title, start_time=start))
    html = text(client.get("/en/l/camarade/"))
    found = [html.index(each) for each in ("Today: late", "under way", "Today and upcoming", "begun")]
    assert found == sorted(found)


def test_league_home_falls_back_to_the_latest_month(client: Client) -> None:
    play(make_session(make_league()))
    settle()
    with time_machine.travel(datetime(2026, 1, 5, tzinfo=UTC), tick=False):
        html = text(client.get("/en/l/camarade/"))
    assert "Leading in November 2025" in html
    assert "No hanchan this month yet." in html


def test_league_home_says_how_many_hanchan_a_rank_takes(client: Client) -> None:
    session = make_session(make_league(minimum_month=2))
    play(session)
    october = make_session(session.league, date(2025, 10, 3))
    for number in (1, 2):
        play(october, round=number)
    settle()
    html = text(client.get("/en/l/camarade/"))
    assert "No one is ranked yet. A rank takes 2 hanchan in a month." in html
    assert "Waiting for the first hanchan" not in html
    assert "Records, November 2025" in html


def test_empty_league_shows_first_steps(client: Client) -> None:
    league = make_league(card=None)
    assert "Waiting for the first hanchan" in text(client.get("/en/l/camarade/"))
    client.force_login(make_user(league=league, role="owner"))
    html = text(client.get("/en/l/camarade/"))
    assert "Choose rules first" in html
    assert "Set a date" in html


def test_first_steps_tick_themselves_off(client: Client) -> None:
    league = make_league()
    client.force_login(make_user(league=league, role="owner"))
    make_user("member", league=league, role="player")
    assert first_steps(league) == FirstSteps(
        people=False, session=None, result=False, cards=False, scorer=False, old_results=False
    )
    session = make_session(league)
    play(session)
    make_user("scorer", league=league, role="scorer")
    assert first_steps(league) == FirstSteps(
        people=True, session=session, result=True, cards=False, scorer=True, old_results=False
    )
    html = text(client.get("/en/l/camarade/"))
    assert html.count('<li class="done">') == 4
    assert "first-steps few" in html
    html = text(client.get("/en/l/camarade/manage/"))
    assert html.index("first-steps") < html.index("manage-groups")
    make_session(league, title="第2節")
    assert not is_new(league)


@pytest.mark.parametrize("metric", League.Metric.values)
@pytest.mark.parametrize("ledger", League.RankingLedger.values)
def test_league_home_opens_with_every_metric_and_ledger(client: Client, metric: str, ledger: str) -> None:
    play(make_session(make_league(metric=metric, ledger=ledger)))
    settle()
    assert client.get("/l/camarade/").status_code == 200


def test_glossary_has_every_term_in_both_languages(client: Client) -> None:
    html = text(client.get("/glossary/"))
    for term in ("半荘", "Hanchan", "規定打数", "参考", "連対率", "Top-2 rate", "天鳳R", "パーセンタイル", "部門賞"):
        assert term in html, term
    ids = re.findall(r' id="([^"]*)"', html)
    assert {"points", "from-raw-scores-to-points"} < {*ids}
    assert sorted(ids) == sorted({*ids} - {""})


def test_new_league_belongs_to_its_creator(client: Client) -> None:
    client.force_login(make_user())
    assert client.post("/leagues/new/", NEW).headers["Location"] == "/l/friday/"
    league = League.objects.get(slug="friday")
    assert Membership.objects.get(league=league).role == Membership.Role.OWNER
    assert league.current_version is not None
    assert league.current_version.ruleset.card == "camarade"
    assert Revision.objects.filter(league=league, subject="league").exists()


def test_a_name_and_rules_start_a_league_at_a_free_address(client: Client) -> None:
    client.force_login(make_user("hana"))
    wanted = {"time_zone": "Asia/Tokyo", "card": "mleague", "is_public": "on"}
    for name, address in (
        ("Friday League", "friday-league"),
        ("Friday League!", "friday-league-2"),
        ("金曜リーグ", "hana-league"),
        ("金曜 League", "hana-league-2"),
        ("カマラードリーグ", "kamarado-league"),
        ("さくら", "sakura"),
    ):
        assert client.post("/leagues/new/", {**wanted, "name": name}).headers["Location"] == f"/l/{address}/"


def test_rules_to_start_with_are_compared_by_uma_oka_bust_and_the_same_scores(client: Client) -> None:
    client.force_login(make_user("hana"))
    page = " ".join(text(client.get("/en/leagues/new/")).split())
    card = page[page.index('data-names="mleague') :].split("</li>")[0]
    for fact in ("25,000 / 30,000", "+30", "+20", "none", "31,700", "+51.7"):
        assert fact in card, fact


@pytest.mark.long
@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("slug", "camarade", "This address is taken"),
        ("slug", "CAMARADE", "This address is taken"),
        ("slug", "a b", "valid"),
        ("slug", "x" * 300, "at most"),
        ("time_zone", "Mars/Olympus", "is not a time zone"),
        ("card", "nothing", "valid choice"),
        ("name", "", "required"),
        ("name", "\x00", "required"),
    ],
)
def test_invalid_league_shows_an_error_and_keeps_fields(client: Client, field: str, value: str, sentence: str) -> None:
    make_league()
    client.force_login(make_user())
    response = client.post("/en/leagues/new/", {**NEW, field: value})
    assert response.status_code == 200
    assert sentence in text(response)
    if field != "name":
        assert "金曜リーグ" in text(response)
    assert League.objects.count() == 1


def test_league_address_cannot_be_taken_twice() -> None:
    owner: User = make_user()
    facts = LeagueFacts("A", "friday", "Asia/Tokyo", "camarade", "Camarade")
    create_league(facts=facts, owner=owner, by=SYSTEM)
    with pytest.raises(AddressTakenError):
        create_league(facts=facts, owner=owner, by=SYSTEM)
    assert League.objects.count() == 1
