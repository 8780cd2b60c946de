import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

import pytest
import time_machine
from django.test import Client

from league.models import League, Session
from league.services.calendar import SessionFacts, open_session, set_session_state
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from tests.league.entry_contexts import url as address
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db

TODAY = date(2025, 11, 21)
NOON = datetime(2025, 11, 21, 3, 0, tzinfo=UTC)
"""Twelve o'clock in Tokyo."""

WEEK = timedelta(days=7)
PHASE = re.compile(r'<span class="tag [a-z]*" data-phase="([a-z]+)">([^<]+)</span>')


@pytest.fixture
def league(db: None) -> Iterator[League]:
    del db
    with time_machine.travel(NOON, tick=False):
        yield make_league()


def phases(client: Client, url: str) -> list[tuple[str, str]]:
    return PHASE.findall(client.get(url).content.decode())


def postponed(session: Session, day: date, start_time: time | None = None) -> Session:
    facts = SessionFacts(day, start_time=start_time)
    return open_session(league=session.league, facts=facts, by=SYSTEM, postponed_from=session)


def test_session_of_next_week_is_planned(client: Client, league: League) -> None:
    session = make_session(league, TODAY + WEEK, start_time=time(19, 0))
    for url in (address("league_home", league), address("sessions", league), address("session", league, session.pk)):
        page = client.get(url).content.decode()
        assert PHASE.findall(page) == [("planned", "予定")], url
        assert "2025/11/28(金) 19:00" in page
        assert "開催中" not in page


def test_cached_page_changes_when_the_session_starts(client: Client, league: League) -> None:
    session = make_session(league, TODAY, start_time=time(19, 0))
    url = address("session", league, session.pk)
    tag = client.get(url)["ETag"]
    with time_machine.travel(NOON + timedelta(hours=6), tick=False):
        assert client.get(url, headers={"If-None-Match": tag}).status_code == 304
    with time_machine.travel(NOON + timedelta(hours=7), tick=False):
        answer = client.get(url, headers={"If-None-Match": tag})
        assert answer.status_code == 200
        tag = answer["ETag"]
    with time_machine.travel(NOON + timedelta(days=1), tick=False):
        assert client.get(url, headers={"If-None-Match": tag}).status_code == 200


def test_results_start_a_session_and_closing_ends_it(client: Client, league: League) -> None:
    session = make_session(league, TODAY)
    url = address("session", league, session.pk)
    assert phases(client, url) == [("tonight", "本日")]
    play(session)
    assert phases(client, url) == [("running", "進行中")]
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    assert phases(client, url) == [("over", "終了")]


def test_past_session_waits_for_planned_results_until_it_is_over(client: Client, league: League) -> None:
    players = tuple(make_players(league, 4))
    session = make_session(league, TODAY - WEEK)
    plan_tables(session=session, plans=[TablePlan(1, players, 1), TablePlan(1, players, 2)], by=SYSTEM)
    url = address("session", league, session.pk)
    play(session, round=1)
    assert phases(client, url) == [("awaited", "結果待ち")]
    play(session, round=2)
    assert phases(client, url) == [("over", "終了")]


def test_postponed_table_and_its_session_link_to_each_other(client: Client, league: League) -> None:
    players = tuple(make_players(league, 8))
    first = make_session(league, TODAY, title="第1節", tables=2)
    plan_tables(session=first, plans=[TablePlan(1, players[:4], 1)], by=SYSTEM)
    moved = postponed(first, TODAY + WEEK, start_time=time(18, 30))
    plan_tables(session=moved, plans=[TablePlan(2, players[4:], 1)], by=SYSTEM)
    page = client.get(address("session", league, moved.pk)).content.decode()
    assert PHASE.findall(page) == [("postponed", "延期")]
    assert "第1節(2025/11/21(金))から延期した卓です。" in page
    assert f'href="{address("session", league, first.pk)}"' in page
    page = client.get(address("session", league, first.pk)).content.decode()
    assert PHASE.findall(page) == [("tonight", "本日")]
    assert "2卓は2025/11/28(金) 18:30に行います。" in page
    assert f'href="{address("session", league, moved.pk)}"' in page
    page = client.get(address("sessions", league)).content.decode()
    assert PHASE.findall(page) == [("postponed", "延期"), ("tonight", "本日")]
    assert "(2025/11/21(金)から延期)" in page


def test_list_of_sessions_starts_with_the_current_year(client: Client, league: League) -> None:
    make_session(league, TODAY)
    make_session(league, date(2026, 1, 9))
    page = client.get(address("sessions", league))
    assert (page.context["year"].year, page.context["newer"]) == (2025, 2026)


def test_fully_postponed_session_is_not_the_next_one(client: Client, league: League) -> None:
    first = make_session(league, TODAY)
    postponed(first, TODAY + WEEK)
    page = client.get(address("session", league, first.pk)).content.decode()
    assert PHASE.findall(page) == [("postponed", "延期")]
    assert "卓は2025/11/28(金)に行います。" in page
    assert phases(client, address("league_home", league)) == [("postponed", "延期")]
    assert "2025/11/28" in client.get(address("league_home", league)).content.decode()


def test_entry_offers_sessions_of_today_first(scorer: Client, league: League) -> None:
    late = make_session(league, TODAY, title="夜の部", start_time=time(19, 0))
    early = make_session(league, TODAY, title="昼の部", start_time=time(11, 0))
    for week in range(1, 21):
        make_session(league, TODAY + week * WEEK, title=f"{week}週後")
    make_session(league, TODAY - WEEK, title="先週")
    page = scorer.get(address("enter", league)).content.decode()
    offered = re.findall(r"<b>(\S+) <span", page)
    assert offered[:5] == ["昼の部", "夜の部", "先週", "1週後", "2週後"]
    assert [phase for phase, _ in PHASE.findall(page)][:4] == ["running", "tonight", "awaited", "planned"]
    set_session_state(session=early, state=Session.State.CLOSED, by=SYSTEM)
    assert scorer.get(address("enter", league))["Location"] == address("enter_session", league, late.pk)


def test_message_after_creating_a_session_names_its_date(client: Client, league: League) -> None:
    client.force_login(make_user("ishida", league=league, role="organiser"))
    answers = {"date": "2025-11-28", "start_time": "19:00", "tables": "1"}
    answers |= {"ruleset_version": str(league.current_version_id)}
    page = client.post(address("session_new", league), answers, follow=True).content.decode()
    assert "第1節を予定に入れました(2025/11/28(金) 19:00)。" in page
    session = Session.objects.get()
    client.post(address("session_state", league, session.pk), {"state": "closed"})
    page = client.post(address("session_state", league, session.pk), {"state": "open"}, follow=True).content.decode()
    assert "第1節の記録を再開しました。" in page
