import re
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from league.models import Hanchan, HeldResult, League, PlannedSeat, Player, Revision, Session, TableLink
from league.services.calendar import set_session_state
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link, issue_links, link_for, revoke_link
from league.services.people import PlayerFacts, add_player
from league.services.planning import TablePlan, plan_tables
from tests.league.entry_contexts import EVENING, JSON, at, link_of, text, typed, url
from tests.league.factories import logged_in, make_league, make_players, make_session, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


KEPT = "この端末に残っている未送信の結果は、このあとも送信されます"


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league, 6)
    return league


@pytest.fixture
def session(league: League) -> Iterator[Session]:
    with time_machine.travel(EVENING, tick=False):
        yield make_session(league, EVENING.date(), tables=2)


def test_code_opens_only_its_own_link(session: Session) -> None:
    first, second = issue_links(session=session, by=SYSTEM)
    assert (first.table, second.table) == (1, 2)
    assert link_for(code_of(first)) == first
    number, secret = code_of(first).split("-")
    assert len(secret) == 26
    wrong = ["", "-", number, f"{number}-", f"{number}-{'a' * 26}", f"{code_of(second).split('-')[0]}-{secret}"]
    wrong += [code_of(first).upper(), code_of(first) + "a", f"{'z' * 13}-{secret}", f"{'z' * 14}-{secret}"]
    wrong += [f"０-{secret}", f"{number}-{secret[:-1]}é", "outbox", "hand", f"0{code_of(first)}"]
    assert [code for code in wrong if link_for(code) is not None] == []


def test_table_keeps_its_link_until_it_expires(session: Session) -> None:
    link = link_of(session)
    assert link_of(session) == link
    with time_machine.travel(link.expires_at):
        new = link_of(session)
    assert new != link
    link.refresh_from_db()
    assert link.revoked_at is not None
    assert TableLink.objects.filter(revoked_at=None).get() == new


def test_link_expires_a_day_after_its_session(session: Session) -> None:
    zone = timedelta(hours=9)
    boundary = session.league.day_boundary
    end = (link_of(session).expires_at + zone).replace(tzinfo=None)
    assert end == datetime.combine(session.date + timedelta(days=2), boundary)
    old = make_session(session.league, EVENING.date() - timedelta(days=30))
    assert link_of(old).expires_at == EVENING + timedelta(hours=24)


def test_history_shows_links_without_codes(session: Session) -> None:
    link = revoke_link(link=link_of(session), by=SYSTEM)
    revoke_link(link=link, by=SYSTEM)
    told = Revision.objects.filter(subject="tablelink").order_by("pk")
    assert [revision.action for revision in told] == ["created", "withdrawn"]
    secret = code_of(link).split("-")[1]
    assert not any(secret in str((revision.before, revision.after, revision.reason)) for revision in told)


def test_expired_link_refuses_new_results(client: Client, session: Session) -> None:
    link = link_of(session)
    with time_machine.travel(link.expires_at):
        answer = client.get(at(link))
        assert answer.status_code == 410
        assert "終了しました" in text(answer)
        assert KEPT in text(answer)
        for entered in (timezone.now().isoformat(), "", "yesterday"):
            late = typed(session.league, unsent="1", entered_at=entered)
            assert client.post(at(link), late, headers=JSON).status_code == 410
    assert not Hanchan.objects.exists()
    assert not HeldResult.objects.exists()


@pytest.mark.parametrize(("days", "status"), [(0, 200), (13, 200), (14, 410)])
def test_expired_link_accepts_old_results_for_14_days(client: Client, session: Session, days: int, status: int) -> None:
    link = link_of(session)
    sent = typed(session.league, unsent="1", entered_at=EVENING.isoformat())
    with time_machine.travel(link.expires_at + timedelta(days=days)):
        answer = client.post(at(link), sent, headers=JSON)
    assert answer.status_code == status
    assert [hanchan.played_at for hanchan in Hanchan.objects.all()] == ([EVENING] if status == 200 else [])


def test_revoked_link_refuses_every_result(client: Client, session: Session) -> None:
    link = revoke_link(link=link_of(session), by=SYSTEM)
    answer = client.post(at(link), typed(session.league, unsent="1"), headers=JSON)
    assert (answer.status_code, answer.json()["state"]) == (410, "ended")
    page = client.get(at(link))
    assert page.status_code == 410
    assert KEPT not in text(page), "nothing is promised that is not kept"
    assert not Hanchan.objects.exists()
    assert not HeldResult.objects.exists()


@pytest.mark.parametrize(("role", "told"), [("scorer", True), ("player", False), (None, False)])
def test_scorer_can_save_the_result_of_a_revoked_link(session: Session, *, role: str | None, told: bool) -> None:
    client = logged_in(session.league, role) if role else Client()
    link = revoke_link(link=link_of(session), by=SYSTEM)
    sent = typed(session.league, unsent="1")
    desk = client.post(at(link), sent, headers=JSON).json()["desk"]
    assert desk == (f"{url('enter_session', session.league, session.pk)}?table={link.table}" if told else "")
    assert not Hanchan.objects.exists()
    if told:
        assert client.post(desk, sent, headers=JSON).json()["state"] == "saved"
        hanchan = Hanchan.objects.get()
        assert (hanchan.table, hanchan.recorded_through) == (link.table, None)


def test_link_records_its_last_use_once_a_minute(client: Client, session: Session) -> None:
    link = link_of(session)
    client.get(at(link))
    link.refresh_from_db()
    assert link.used_at == EVENING
    with time_machine.travel(EVENING + timedelta(seconds=30)):
        client.get(at(link))
    link.refresh_from_db()
    assert link.used_at == EVENING


def test_link_saves_only_its_own_table_day_and_players(client: Client, session: Session) -> None:
    league, link = session.league, link_of(session, 1)
    for played_at in ("1950-01-01T00:00", "2031-05-05T20:00"):
        answer = client.post(at(link), typed(league, played_at=played_at), headers=JSON)
        assert (answer.status_code, answer.json()["state"]) == (422, "refused")
    (stranger,) = make_players(make_league("other"), 1)
    client.post(at(link), typed(league, player_2=str(stranger.pk)))
    assert not Hanchan.objects.exists()
    client.post(at(link), typed(league, table="2"))
    assert Hanchan.objects.get().table == 1


def hidden(league: League, name: str) -> Player:
    return add_player(league=league, facts=PlayerFacts(name, visibility=Player.Visibility.MEMBERS), by=SYSTEM)


def test_members_only_names_are_offered_only_where_they_play(client: Client, session: Session) -> None:
    league = session.league
    away, here = hidden(league, "隠田"), hidden(league, "忍野")
    play(make_session(league, EVENING.date() - timedelta(days=7)), players=[*make_players(league, 3), away])
    play(session, players=[*league.players.order_by("pk")[:3], here], table=2)
    settle()
    link = link_of(session)
    page = text(client.get(at(link)))
    assert f'<option value="{here.pk}">選手{here.pk:03d}</option>' in page
    assert f'value="{away.pk}"' not in page
    assert "忍野" not in page
    assert "隠田" not in page
    client.post(at(link), typed(league, player_3=str(away.pk)))
    assert not Hanchan.objects.filter(table=1, session=session).exists()
    client.post(at(link), typed(league))
    receipt = text(client.get(at(link, "table_receipt", Hanchan.objects.get(table=1, session=session).pk)))
    assert "青木" in receipt
    assert "隠田" not in receipt
    typing = client.post(at(link, "table_preview"), typed(league, player_3=str(away.pk)))
    assert "隠田" not in text(typing)


def test_hidden_name_is_not_sorted_by_its_reading(client: Client, session: Session) -> None:
    league = session.league
    facts = PlayerFacts("相田", "あいだ", visibility=Player.Visibility.MEMBERS)
    her = add_player(league=league, facts=facts, by=SYSTEM)
    plan_tables(session=session, plans=[TablePlan(2, (*league.players.order_by("pk")[:3], her))], by=SYSTEM)
    page = text(client.get(at(link_of(session, 1))))
    assert page.index("青木</option>") < page.index("江口</option>") < page.index(f"選手{her.pk:03d}</option>")


@pytest.mark.long
def test_link_shows_only_public_names(client: Client, session: Session) -> None:
    league = session.league
    her = hidden(league, "忍野")
    plan_tables(session=session, plans=[TablePlan(1, (*league.players.order_by("pk")[:3], her))], by=SYSTEM)
    link = link_of(session)
    sent = typed(league, player_3=str(her.pk))
    scorer = logged_in(league, "scorer")
    answers = [client.get(at(link)), client.post(at(link, "table_preview"), sent | {"device": "aaaa"})]
    scorer.post(url("enter_preview", league, session.pk), sent | {"device": "bbbb"})
    answers += [client.get(at(link, "table_state"), {"device": "aaaa"}), client.post(at(link), sent, follow=True)]
    hanchan = Hanchan.objects.get()
    dispute = {"say": f"disputes-{her.pk}", "version": "1", "device": "cccc"}
    answers += [
        client.post(at(link), sent | {"client_key": str(uuid.uuid4())}),
        client.post(at(link, "table_confirm", hanchan.pk), dispute, follow=True),
        client.get(at(link, "table_receipt", hanchan.pk)),
    ]
    for answer in answers:
        assert answer.status_code == 200
        assert f"選手{her.pk:03d}" in (text(answer) if "json" not in answer["Content-Type"] else str(answer.json()))
        assert "忍野" not in text(answer)
    assert "忍野" in str(Revision.objects.get(subject="hanchan", action="recorded").after)
    assert "忍野" in text(scorer.get(url("receipt", league, hanchan.pk)))


def test_link_of_a_private_league_leads_to_no_page_that_needs_login(client: Client) -> None:
    league = make_league("closed", is_public=False)
    make_players(league, 4)
    with time_machine.travel(EVENING, tick=False):
        session = make_session(league, EVENING.date())
        link = link_of(session)
        saved = client.post(at(link), typed(league))
        pages = [client.get(at(link)), client.get(saved["Location"])]
    for page in pages:
        assert page.status_code == 200
        addresses = re.findall(r'(?:href|action)="(/[^"]*)"', text(page))
        inside = [address for address in addresses if "/l/closed/" in address]
        assert inside == [], "pages of the league that ask for a log-in"


@pytest.mark.long
def test_no_other_page_shows_a_code(session: Session) -> None:
    league, link = session.league, link_of(session)
    hanchan = Client().post(at(link), typed(league), headers=JSON).json()["hanchan"]
    settle()
    client = logged_in(league, "owner")
    names = ["league_home", "standings_current", "sessions", "players", "rules", "manage", "history", "enter"]
    addresses = [*(url(name, league) for name in names), "/", "/accounts/login/", "/nowhere/"]
    addresses += [url(name, league, session.pk) for name in ("session", "enter_session")]
    addresses += [url(name, league, hanchan) for name in ("hanchan", "receipt", "correct")]
    secret = code_of(link).split("-")[1]
    for address in addresses:
        answer = client.get(address, headers={"Referer": at(link)})
        assert secret not in text(answer), address
        assert not any(secret in value for value in answer.headers.values()), address
    assert secret in text(client.get(url("table_links", league, session.pk)))


def test_organiser_issues_replaces_and_revokes_links(organiser: Client, session: Session) -> None:
    page = url("table_links", session.league, session.pk)
    assert page in text(organiser.get(url("session", session.league, session.pk)))
    assert text(organiser.get(page)).count("リンクなし") == 2
    assert not TableLink.objects.exists(), "looking issues nothing"
    for _time in range(2):
        organiser.post(page, {"do": "issue"})
    first, second = session.table_links.order_by("table")
    assert [(link.table, link.revoked_at) for link in (first, second)] == [(1, None), (2, None)]
    for language in ("", "/en"):
        assert f"http://testserver{language}{at(first)}" in text(organiser.get(f"{language}{page}"))
    organiser.post(page, {"do": "new-1"})
    assert session.table_links.filter(table=1, revoked_at=None).exclude(pk=first.pk).exists()
    assert organiser.get(at(first)).status_code == 410
    organiser.post(page, {"do": "revoke-1"})
    assert not session.table_links.filter(table=1, revoked_at=None).exists()
    assert Revision.objects.filter(subject="tablelink", by_name="ishida").count() == 5


@pytest.mark.parametrize("do", ["new-3", "revoke-3", "new-0", "new-", "new-９", "new-99999", "sing-1", ""])
def test_links_are_issued_only_for_tables_of_the_session(organiser: Client, session: Session, do: str) -> None:
    assert organiser.post(url("table_links", session.league, session.pk), {"do": do}).status_code == 302
    assert not TableLink.objects.exists()


def test_links_page_explains_expired_links_and_closed_sessions(organiser: Client, session: Session) -> None:
    link = link_of(session)
    issue_link(session=session, table=7, by=SYSTEM)
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    TableLink.objects.filter(pk=link.pk).update(expires_at=EVENING)
    page = text(organiser.get(url("table_links", session.league, session.pk)))
    assert "締め" in page
    assert code_of(link) not in page
    assert 'id="table-7"' in page


def test_history_names_results_entered_by_link(organiser: Client, session: Session) -> None:
    league, link = session.league, link_of(session, 2)
    hanchan = Client().post(at(link), typed(league), headers=JSON).json()["hanchan"]
    revoke_link(link=link, by=SYSTEM)
    page = text(organiser.get(url("history", league)))
    assert "第1節 2卓" in page
    assert "2卓のリンク" in page
    assert "table link" not in page
    english = text(organiser.get("/en" + url("hanchan", league, hanchan)))
    assert "Link for table 2" in english
    assert "table link 2" not in english


@pytest.mark.parametrize("how", ["taken_down", "due", "revoked archived", "revoked taken_down", "revoked due"])
def test_link_reveals_nothing_about_an_ended_league(client: Client, how: str) -> None:
    league = make_league("closed", is_public=False, name="秘密リーグ", name_en="Secret league")
    link = link_of(make_session(league, timezone.localdate()))
    if how.startswith("revoked"):
        revoke_link(link=link, by=SYSTEM)
    ended: dict[str, Any] = {"state": how.rsplit(maxsplit=1)[-1]}
    if how.endswith("due"):
        ended = {"ends_at": timezone.now() + timedelta(days=14)}
    League.objects.filter(pk=league.pk).update(**ended)
    moment = timezone.now() + timedelta(days=15 if how.endswith("due") else 0)
    TableLink.objects.update(expires_at=moment + timedelta(days=1))
    with time_machine.travel(moment, tick=False):
        page, told = client.get(at(link)), client.get(at(link), headers=JSON)
    expected = {404, 410} if how.startswith("revoked") else {404}
    assert {page.status_code, told.status_code} <= expected
    for name in ("秘密リーグ", "Secret league"):
        assert name not in text(page) + told.json()["message"]


def test_link_of_a_withdrawn_session_names_no_one(client: Client, session: Session) -> None:
    link = link_of(session)
    player = session.league.players.all()[0]
    PlannedSeat.objects.create(session=session, table=link.table, seat=0, player=player)
    Session.objects.filter(pk=session.pk).update(state=Session.State.WITHDRAWN)
    found = client.get(at(link))
    assert found.status_code == 410
    assert player.name not in text(found)
