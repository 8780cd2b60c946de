import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from league import urls
from league.models import (
    Confirmation,
    Hanchan,
    HeldResult,
    League,
    Photo,
    PlannedSeat,
    Player,
    Revision,
    Seat,
    Session,
    TableLink,
)
from league.selectors.entry import recorded_under
from league.selectors.inbox import inbox_of
from league.services import held_results
from league.services.calendar import set_session_state
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link, issue_links, link_for, revoke_link
from league.services.people import PlayerFacts, add_player
from league.services.planning import TablePlan, plan_tables
from league.services.results import void_hanchan
from league.views.receipts import UNDO_GRACE, UNDO_SECONDS
from tests.conftest import needs_postgresql
from tests.league.entry_contexts import EVENING, JSON, at, link_of, text, typed, url
from tests.league.factories import correct, logged_in, make_league, make_players, make_session, play, settle
from tests.league.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


KEPT = "この端末に残っている未送信の結果は、このあとも送信されます"


@pytest.fixture
def league() -> League:
    return make_league(players=6)


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


def test_table_keeps_its_link_until_it_expires_a_day_after_its_session(link: TableLink, session: Session) -> None:
    assert link_of(session) == link
    end = (link.expires_at + timedelta(hours=9)).replace(tzinfo=None)
    assert end == datetime.combine(session.date + timedelta(days=2), session.league.day_boundary)
    old = make_session(session.league, EVENING.date() - timedelta(days=30))
    assert link_of(old).expires_at == EVENING + timedelta(hours=24)
    with time_machine.travel(link.expires_at):
        new = link_of(session)
    assert new != link
    link.refresh_from_db()
    assert link.revoked_at is not None
    assert session.table_links.get(revoked_at=None) == new


def test_history_shows_links_without_codes(session: Session) -> None:
    link = revoke_link(link=link_of(session), by=SYSTEM)
    revoke_link(link=link, by=SYSTEM)
    told = Revision.objects.filter(subject="tablelink").order_by("pk")
    assert [revision.action for revision in told] == ["created", "withdrawn"]
    secret = code_of(link).split("-")[1]
    assert not any(secret in str((revision.before, revision.after, revision.reason)) for revision in told)


def test_expired_link_refuses_new_results(client: Client, link: TableLink, session: Session) -> None:
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


@pytest.mark.parametrize(("role", "told"), [("scorer", True), ("player", False), (None, False)])
def test_scorer_can_save_the_result_of_a_revoked_link(session: Session, *, role: str | None, told: bool) -> None:
    client = logged_in(session.league, role) if role else Client()
    link = revoke_link(link=link_of(session), by=SYSTEM)
    sent = typed(session.league, unsent="1")
    answer = client.post(at(link), sent, headers=JSON)
    assert (answer.status_code, answer.json()["state"]) == (410, "ended")
    desk = answer.json()["desk"]
    assert desk == (f"{url('enter_session', session.league, session.pk)}?table={link.table}" if told else "")
    assert KEPT not in text(client.get(at(link))), "nothing is promised that is not kept"
    assert not Hanchan.objects.exists()
    assert not HeldResult.objects.exists()
    if told:
        assert client.post(desk, sent, headers=JSON).json()["state"] == "saved"
        hanchan = Hanchan.objects.get()
        assert (hanchan.table, hanchan.recorded_through) == (link.table, None)


def test_link_records_its_last_use_once_a_minute(client: Client, link: TableLink, session: Session) -> None:
    client.get(at(link))
    link.refresh_from_db()
    assert link.used_at == EVENING
    with time_machine.travel(EVENING + timedelta(seconds=30)):
        client.get(at(link))
    link.refresh_from_db()
    assert link.used_at == EVENING


def test_link_saves_only_its_own_table_day_players_and_keys(client: Client, session: Session) -> None:
    league, link = session.league, link_of(session, 1)
    for played_at in ("1950-01-01T00:00", "2031-05-05T20:00"):
        answer = client.post(at(link), typed(league, played_at=played_at), headers=JSON)
        assert (answer.status_code, answer.json()["state"]) == (422, "refused")
    other = play(make_session(make_league("other")))
    client.post(at(link), typed(league, player_2=str(other.seats.get(seat=2).player_id)))
    answer = client.post(at(link), typed(league, client_key=str(other.client_key)), headers=JSON)
    assert (answer.status_code, answer.json()["state"]) == (422, "refused")
    assert not session.hanchan.exists()
    client.post(at(link), typed(league, table="2"))
    assert session.hanchan.get().table == 1


def hidden(league: League, name: str, kana: str = "") -> Player:
    return add_player(league=league, facts=PlayerFacts(name, kana, visibility=Player.Visibility.MEMBERS), by=SYSTEM)


def test_members_only_names_are_offered_only_where_they_play(client: Client, session: Session) -> None:
    league = session.league
    away, here = hidden(league, "隠田"), hidden(league, "忍野", "あいの")
    play(make_session(league, EVENING.date() - timedelta(days=7)), players=[*make_players(league, 3), away])
    play(session, players=[*league.players.order_by("pk")[:3], here], table=2)
    settle()
    link = link_of(session)
    page = text(client.get(at(link)))
    assert f'<option value="{here.pk}">選手{here.pk:03d}</option>' in page
    assert page.index("青木</option>") < page.index(f"選手{here.pk:03d}"), "it is not sorted by its reading"
    assert f'value="{away.pk}"' not in page
    assert "忍野" not in page
    assert "隠田" not in page
    client.post(at(link), typed(league, player_3=str(away.pk)))
    assert not Hanchan.objects.filter(table=1, session=session).exists()
    client.post(at(link), typed(league))
    receipt = text(client.get(at(link, "table_receipt", Hanchan.objects.get(table=1, session=session).pk)))
    assert "青木" in receipt
    assert "隠田" not in receipt
    assert "隠田" not in text(client.post(at(link, "table_preview"), typed(league, player_3=str(away.pk))))


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
    league = make_league("closed", is_public=False, players=4)
    with time_machine.travel(EVENING, tick=False):
        link = link_of(make_session(league, EVENING.date()))
        pages = [client.get(at(link)), client.get(client.post(at(link), typed(league))["Location"])]
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
    both = [f"Table {link.table}: http://testserver/en{at(link)}" for link in (first, second)]
    assert "readonly>" + "\n".join(both) in text(organiser.get(f"/en{page}")), "to be sent to the group at once"
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
    before, folded = page.split("<summary>卓のリンク</summary>")
    assert 'id="table-7"' in folded
    assert "QRカード" not in before
    assert "未使用" not in folded


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


def test_link_of_a_withdrawn_session_names_no_one(client: Client, link: TableLink, session: Session) -> None:
    player = session.league.players.all()[0]
    PlannedSeat.objects.create(session=session, table=link.table, seat=0, player=player)
    Session.objects.filter(pk=session.pk).update(state=Session.State.WITHDRAWN)
    found = client.get(at(link))
    assert found.status_code == 410
    assert player.name not in text(found)


@pytest.fixture
def link(session: Session) -> TableLink:
    return link_of(session)


def send(address: str, sent: dict[str, Any], client: Client | None = None) -> tuple[int, dict[str, Any]]:
    answer = (client or Client(enforce_csrf_checks=True)).post(address, sent, headers=JSON)
    return answer.status_code, answer.json()


def page_of(session: Session, name: str = "enter_session") -> str:
    return url(name, session.league, session.pk)


def test_result_by_link_is_recorded_for_the_link_not_the_user(link: TableLink) -> None:
    status, said = send(at(link), typed(link.session.league, device="a1b2c3"), logged_in(link.session.league, "owner"))
    hanchan = Hanchan.objects.get()
    facts = {"state": "saved", "hanchan": hanchan.pk, "round": 1, "receipt": at(link, "table_receipt", hanchan.pk)}
    assert (status, said) == (200, facts | {"new": True, "standing": "recorded", "differs": False})
    assert (hanchan.table, hanchan.device) == (1, "a1b2c3")
    assert (hanchan.recorded_by, hanchan.recorded_through) == (None, link)
    told = Revision.objects.get(subject="hanchan")
    assert (told.by, told.by_name, told.source) == (None, "", "table link 1")


def test_result_resent_after_a_week_is_saved_once(link: TableLink) -> None:
    sent = typed(link.session.league, entered_at=EVENING.isoformat())
    assert send(at(link), sent)[1]["new"]
    TableLink.objects.update(expires_at=EVENING + timedelta(days=1))
    with time_machine.travel(EVENING + timedelta(days=7), tick=False):
        status, said = send(at(link), sent | {"unsent": "1"})
        page = Client().get(at(link))
    assert (status, said["state"], said["new"], said["receipt"]) == (200, "saved", False, "")
    assert Hanchan.objects.count() == 1
    assert page.status_code == 410
    assert '<form class="entry' not in page.content.decode()


def test_resent_result_moved_to_another_table_or_voided_counts_as_saved(link: TableLink) -> None:
    sent = typed(link.session.league)
    number = send(at(link), sent)[1]["hanchan"]
    Hanchan.objects.filter(pk=number).update(table=2)
    Session.objects.update(state=Session.State.CLOSED)
    status, said = send(at(link), sent | {"unsent": "1"})
    assert (status, said["state"], said["hanchan"], said["receipt"]) == (200, "saved", number, "")
    assert Client().post(at(link), sent)["Location"] == at(link)
    void_hanchan(hanchan=Hanchan.objects.get(), by=SYSTEM, reason="mistake")
    status, said = send(at(link), sent | {"unsent": "1"})
    assert (status, said["state"], said["standing"], said["new"]) == (200, "saved", "voided", False)
    assert not HeldResult.objects.exists()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_same_result_from_many_phones_at_once_is_saved_once() -> None:
    league = make_league(players=4)
    session = make_session(league, league.day_of(datetime.now(UTC)))
    link, scorer = link_of(session), logged_in(league, "scorer")
    sent = typed(league, player_3="guest", guest_3="小川")
    by_link, by_page = lambda: send(at(link), sent, Client()), lambda: send(page_of(session), sent, scorer)
    answers = at_once(*[by_link] * 3, *[by_page] * 3)
    assert {(status, said["state"]) for status, said in answers} == {(200, "saved")}
    assert sum(said["new"] for _status, said in answers) == 1
    assert Hanchan.objects.count() == 1
    assert Seat.objects.count() == 4
    assert Player.objects.filter(name="小川").count() == 1
    assert Revision.objects.filter(subject="hanchan").count() == 1


def test_result_saved_meanwhile_by_a_request_counts_as_saved(link: TableLink, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = typed(link.session.league, player_3="guest", guest_3="小川")
    assert send(at(link), sent)[1]["new"]
    answers = iter([None])
    monkeypatch.setattr("league.views.entry.recorded_under", lambda *asked: next(answers, recorded_under(*asked)))
    status, said = send(at(link), sent)
    assert (status, said["state"], said["new"]) == (200, "saved", False)
    assert Hanchan.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_invalid_result_from_many_phones_at_once_is_held_once() -> None:
    league = make_league(players=4)
    link = link_of(make_session(league, league.day_of(datetime.now(UTC))))
    sent = typed(league, "317", "313", "255", "999", unsent="1")
    answers = at_once(*[lambda: send(at(link), sent, Client())] * 6)
    assert {(status, said["state"]) for status, said in answers} == {(422, "held")}
    assert HeldResult.objects.count() == 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        pytest.param({"raw_3": "999"}, "sum", id="the sum is off"),
        pytest.param({"raw_2": "", "raw_3": ""}, "incomplete", id="two scores are missing"),
        pytest.param({"player_1": ""}, "incomplete", id="nobody sits there"),
        pytest.param({"raw_0": "abc"}, "incomplete", id="no score"),
    ],
)
def test_invalid_late_result_is_held_as_typed(link: TableLink, more: dict[str, str], reason: str) -> None:
    sent = typed(link.session.league, **more, note="長い夜", device="f00d", entered_at=EVENING.isoformat())
    assert send(at(link), sent)[1]["state"] == "refused"
    assert not HeldResult.objects.exists()
    status, said = send(at(link), sent | {"unsent": "1"})
    assert (status, said["state"]) == (422, "held")
    assert said["message"]
    kept = HeldResult.objects.get()
    assert (kept.reason, kept.session, kept.table, kept.device) == (reason, link.session, 1, "f00d")
    assert (kept.source, kept.entered_at) == ("table link 1", EVENING)
    assert kept.typed["note"] == ["長い夜"]
    assert "csrfmiddlewaretoken" not in kept.typed
    assert "unsent" not in kept.typed


def test_held_result_is_shown_as_typed_and_completed(link: TableLink) -> None:
    league = link.session.league
    sent = typed(league, "317", "313", "255", "999", note="卓上の写真あり")
    owner = logged_in(league, "owner")
    with time_machine.travel(EVENING + timedelta(days=2), tick=False):
        for _time in range(2):
            said = send(at(link), sent | {"unsent": "1", "entered_at": EVENING.isoformat()})[1]
        kept = HeldResult.objects.get()
        (line,) = inbox_of(league, timezone.now()).held.lines
        assert (line.held, line.is_late) == (kept, True)
        shown = owner.get(url("held", league, kept.pk))
        assert said["message"] in text(shown)
        assert shown.context["typed"].lines[3] == ("江口", "999")
        entry = owner.get(shown.context["enter_url"])
        values = [entry.context["form"][name].value() for name in ("raw_3", "client_key", "note")]
        assert values == ["999", sent["client_key"], "卓上の写真あり"]
        assert entry.context["shows_errors"]
        status, said = send(page_of(link.session), sent | {"raw_3": "115"}, owner)
        assert not inbox_of(league, timezone.now()).held.count
        assert owner.get(url("held", league, kept.pk)).status_code == 302
    assert (status, said["new"]) == (200, True)
    assert Hanchan.objects.get().played_at == EVENING
    kept.refresh_from_db()
    assert (kept.hanchan_id, kept.settled_by) == (said["hanchan"], "owner")
    again = send(at(link), sent | {"unsent": "1"})
    assert (again[0], again[1]["state"], again[1]["new"]) == (200, "saved", False)


def test_late_result_for_a_closed_session_is_held(link: TableLink) -> None:
    Session.objects.update(state=Session.State.CLOSED)
    assert Client().get(at(link)).status_code == 200
    assert send(at(link), typed(link.session.league))[1]["state"] == "refused"
    assert send(at(link), typed(link.session.league, unsent="1"))[1]["state"] == "held"
    assert HeldResult.objects.get().reason == "closed"


@pytest.mark.long
def test_results_per_link_and_league_are_limited(link: TableLink, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [send(at(link), typed(link.session.league, do="another"))[0] for _ in range(21)] == [200] * 20 + [429]
    cache.clear()
    monkeypatch.setattr("league.services.entry.MAX_RESULTS", 20)
    status, said = send(at(link), typed(link.session.league, do="another"))
    assert (status, said["state"]) == (422, "refused")
    assert Hanchan.objects.count() == 20


def test_same_key_is_held_once_per_session(link: TableLink) -> None:
    sent = typed(link.session.league, "317", "313", "255", "999", unsent="1")
    elsewhere = link_of(make_session(link.session.league, EVENING.date()))
    send(at(elsewhere), sent)
    for note in ("", "first", "then"):
        assert send(at(link), sent | {"note": note})[1]["state"] == "held"
    assert HeldResult.objects.count() == 2
    assert link.session.held_results.get().typed["note"] == ["then"]
    assert "note" not in elsewhere.session.held_results.get().typed


def test_number_of_held_results_per_table_is_limited(link: TableLink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_results, "MAX_HELD_RESULTS", 2)
    answers = [send(at(link), typed(link.session.league, "1", "2", "3", "4", unsent="1"))[1]["state"] for _ in range(3)]
    assert answers == ["held", "held", "refused"]
    assert HeldResult.objects.count() == 2


@pytest.mark.parametrize(
    ("entered", "played"),
    [
        pytest.param(EVENING.isoformat(), EVENING, id="that evening"),
        pytest.param((EVENING + timedelta(hours=3)).isoformat(), None, id="not come yet"),
        pytest.param((EVENING - timedelta(days=5)).isoformat(), None, id="another day"),
        pytest.param("2025-11-21T20:30:00", None, id="no zone"),
        pytest.param("yesterday", None, id="no moment"),
        pytest.param("0001-01-01T00:00:00+14:00", None, id="before every calendar"),
        pytest.param("9999-12-31T23:59:59-12:00", None, id="after every calendar"),
    ],
)
def test_late_result_was_played_when_it_was_entered(link: TableLink, entered: str, played: datetime | None) -> None:
    moment = EVENING + timedelta(minutes=90)
    with time_machine.travel(moment, tick=False):
        assert send(at(link), typed(link.session.league, unsent="1", entered_at=entered))[0] == 200
    assert Hanchan.objects.get().played_at == (played or moment)


@pytest.mark.parametrize("role", ["stale form", "player", None])
def test_page_without_permission_asks_to_log_in(link: TableLink, role: str | None) -> None:
    league, page = link.session.league, page_of(link.session)
    client = logged_in(league, role) if role == "player" else Client()
    if role == "stale form":
        client = logged_in(league, "scorer", enforce_csrf_checks=True)
    assert send(page, typed(league), client)[1]["state"] == "login"
    assert client.post(page, typed(league)).status_code in {302, 403}
    assert not Hanchan.objects.exists()


@pytest.mark.parametrize("device", ["x" * 41, "<script>", "é", "\x00", " "])
def test_invalid_device_name_is_dropped(link: TableLink, device: str) -> None:
    send(at(link), typed(link.session.league, device=device))
    assert Hanchan.objects.get().device == ""


def test_state_lists_the_last_five_hanchan_and_the_next_round(link: TableLink) -> None:
    played = [play(link.session, table=1) for _ in range(7)]
    play(link.session, table=2)
    void_hanchan(hanchan=played[-1], by=SYSTEM, reason="mistake")
    said = Client().get(at(link, "table_state")).json()
    assert [each["id"] for each in said["hanchan"]] == [hanchan.pk for hanchan in reversed(played[2:])]
    assert [each["client_key"] for each in said["hanchan"]] == [
        str(hanchan.client_key) for hanchan in reversed(played[2:])
    ]
    assert [each["standing"] for each in said["hanchan"][:2]] == ["voided", "recorded"]
    assert said["round"] == 7
    assert said["session_open"] is True
    assert said["typing"] is None
    assert all(each["of"] == 4 for each in said["hanchan"])
    scorer = logged_in(link.session.league, "scorer").get(page_of(link.session, "enter_state"), {"table": "2"}).json()
    assert [each["receipt"] for each in scorer["hanchan"]] == [
        reverse("league:receipt", args=[link.session.league.slug, Hanchan.objects.get(table=2).pk])
    ]


def test_state_reads_confirmations_in_few_queries(link: TableLink, django_assert_num_queries: Any) -> None:
    League.objects.update(confirmed_by=League.ConfirmedBy.ALL)
    played = [play(link.session, table=1) for _ in range(3)]
    for hanchan in played[:2]:
        player = hanchan.seats.get(seat=0).player
        say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.AGREES, 1, player), by=SYSTEM)
    correct(played[1])
    client = Client()
    client.get(at(link, "table_state"))
    # Queries: link, hanchan with seats and players, confirmations and their time, plan, next round.
    with django_assert_num_queries(8):
        said = client.get(at(link, "table_state")).json()
    assert [(each["asked"], each["confirmed"], each["of"]) for each in said["hanchan"]] == [
        (True, 0, 4), (True, 0, 4), (True, 1, 4),
    ]  # fmt: skip


def test_live_typing_is_hidden_from_its_own_device_and_other_tables(link: TableLink) -> None:
    preview = typed(link.session.league, "317", "", "", "", device="aaaa")
    Client().post(at(link, "table_preview"), preview)
    other = {"device": "bbbb"}
    typing = Client().get(at(link, "table_state"), other | {"round": "1"}).json()["typing"]
    assert (typing["names"][0], typing["scores"]) == ("青木", ["317", "", "", ""])
    assert Client().get(at(link, "table_state"), {"device": "aaaa"}).json()["typing"] is None
    scorer = logged_in(link.session.league, "scorer")
    assert scorer.get(page_of(link.session, "enter_state"), other).json()["typing"] is not None
    assert scorer.get(page_of(link.session, "enter_state"), {"table": "2", **other}).json()["typing"] is None
    assert Client().get(at(link_of(link.session, 2), "table_state"), other).json()["typing"] is None
    # A preview that arrives after its result is ignored.
    saved = preview | {"raw_1": "313", "raw_2": "255"}
    send(at(link), saved)
    Client().post(at(link, "table_preview"), saved)
    assert Client().get(at(link, "table_state"), other).json()["typing"] is None


@pytest.mark.long
def test_link_saves_and_undoes_without_scripts(client: Client, link: TableLink) -> None:
    answer = client.post(at(link), typed(link.session.league))
    hanchan = Hanchan.objects.get()
    assert answer["Location"] == at(link, "table_receipt", hanchan.pk)
    undo = at(link, "table_undo", hanchan.pk)
    assert undo in client.get(answer["Location"]).content.decode()
    gone = client.post(undo)
    hanchan.refresh_from_db()
    assert hanchan.is_voided
    assert f"{at(link)}?again={hanchan.pk}" in client.get(gone["Location"]).content.decode()
    assert client.get(at(link), {"again": hanchan.pk}).context["form"].is_valid()
    # A later result or an organiser's decision ends it.
    client.post(at(link), typed(link.session.league))
    assert "?again=" not in client.get(gone["Location"]).content.decode()
    twin = Hanchan.objects.valid().get()
    void_hanchan(hanchan=twin, by=SYSTEM, reason="twice")
    assert "?again=" not in client.get(at(link, "table_receipt", twin.pk)).content.decode()
    elsewhere = play(link.session, table=2)
    void_hanchan(hanchan=elsewhere, by=SYSTEM, reason="twice")
    assert not client.get(at(link), {"again": elsewhere.pk}).context["form"].is_bound


@pytest.mark.parametrize("why", ["another's", "late", "corrected"])
def test_undo_voids_only_own_unchanged_recent_results(client: Client, link: TableLink, why: str) -> None:
    own = Hanchan.objects.get(pk=send(at(link), typed(link.session.league))[1]["hanchan"])
    hanchan = play(link.session, table=1) if why == "another's" else own
    if why == "corrected":
        correct(own)
    later = UNDO_SECONDS + UNDO_GRACE + 1 if why == "late" else 0
    with time_machine.travel(EVENING + timedelta(seconds=later), tick=False):
        answer = client.post(at(link, "table_undo", hanchan.pk))
    assert answer.status_code == 302
    assert why != "corrected" or answer["Location"] == f"{at(link, 'table_receipt', own.pk)}?said=late"
    hanchan.refresh_from_db()
    assert not hanchan.is_voided


@pytest.mark.parametrize(("size", "card"), [(4, "camarade"), (3, "tenhou-3p")])
def test_receipt_offers_seats_for_the_next_hanchan_in_rotation(client: Client, size: int, card: str) -> None:
    league = make_league("turns", card=card)
    players = make_players(league, size + 1)
    session = make_session(league, league.day_of(datetime.now(UTC)))
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:size]), waiting=(players[size],))], by=SYSTEM)
    link = link_of(session)
    raw = ("450", "350", "") if size == 3 else ("317", "313", "255", "115")
    sent = {name: text for name, text in typed(link.session.league, *raw).items() if name != "player_3" or size == 4}
    assert client.get(at(link)).context["page"].table.choices.waiting == (players[size],)
    receipt = client.get(send(at(link), sent)[1]["receipt"])
    assert "seats=rotate" in receipt.content.decode()
    assert receipt.context["turns"] == (players[size - 1],), "the one who goes out"
    for seats, seated in (("rotate", [*players[: size - 1], players[size]]), ("same", players[:size])):
        form = client.get(at(link), {"seats": seats}).context["form"]
        assert [form[f"player_{seat}"].value() for seat in range(size)] == [str(player.pk) for player in seated]
    if size == 3:
        assert [seat.raw_score for seat in Hanchan.objects.get().seats.order_by("seat")] == [45000, 35000, 25000]
        assert not any(name.endswith("_3") for name in form.fields)


def test_link_page_shows_a_just_saved_result(link: TableLink) -> None:
    receipt = at(link, "table_receipt", send(at(link), typed(link.session.league))[1]["hanchan"])
    with time_machine.travel(EVENING + timedelta(minutes=2), tick=False):
        assert receipt in Client().get(at(link)).content.decode()
        assert receipt not in Client().get(at(link), {"seats": "same"}).content.decode()
    with time_machine.travel(EVENING + timedelta(minutes=4), tick=False):
        assert receipt not in Client().get(at(link)).content.decode()


ROUTES = [
    pytest.param(route, id=str(route.name))
    for route in urls.urlpatterns
    if isinstance(route, URLPattern) and str(route.pattern).startswith("e/<str:token>")
]


OF_A_THING = [each for each in ROUTES if "<int:pk>" in str(each.values[0].pattern)]  # type: ignore[union-attr]


@pytest.fixture
def private_session() -> Session:
    league = make_league(is_public=False)
    return make_session(league, league.day_of(timezone.now()), tables=2)


def address(route: URLPattern, code: str, thing: int = 1) -> str:
    given: dict[str, Any] = {"token": code}
    if "<int:pk>" in str(route.pattern):
        given["pk"] = thing
    return reverse(f"league:{route.name}", kwargs=given)


def thing_of(route: URLPattern, hanchan: Hanchan) -> int:
    if route.name != "table_photo":
        return hanchan.pk
    photo, _made = Photo.objects.get_or_create(
        hanchan=hanchan, digest="0", defaults={"data": b"\xff\xd8", "width": 1, "height": 1}
    )
    return photo.pk


def ask(where: str, **options: Any) -> list[Any]:
    client = Client(enforce_csrf_checks=True)
    answers = [client.get(where, **options), client.post(where, {}, **options)]
    there = [answer for answer in answers if answer.status_code != 405]
    assert there
    return there


def assert_private(answer: Any) -> None:
    assert (answer["Referrer-Policy"], answer["X-Robots-Tag"]) == ("no-referrer", "noindex")
    assert {"no-store", "private"} <= set(answer["Cache-Control"].split(", "))


def test_link_routes_are_found() -> None:
    assert {"table", "table_preview", "table_state", "table_receipt", "table_undo"} <= {str(each.id) for each in ROUTES}


@pytest.mark.parametrize("route", ROUTES)
def test_link_works_without_login_or_cookie_and_stays_private(route: URLPattern, private_session: Session) -> None:
    link, hanchan = link_of(private_session), play(private_session)
    for answer in ask(address(route, code_of(link), thing_of(route, hanchan))):
        assert answer.status_code in {200, 204, 302, 422}
        assert not answer.cookies
        assert "/accounts/login/" not in answer.headers.get("Location", "")
        assert_private(answer)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("options", [{}, {"headers": JSON}], ids=["page", "script"])
def test_invalid_table_code_is_refused(route: URLPattern, private_session: Session, options: dict[str, Any]) -> None:
    link, hanchan = link_of(private_session), play(private_session)
    code, thing = code_of(link), thing_of(route, hanchan)
    wrong = f"{code[:-1]}{'b' if code[-1] == 'a' else 'a'}"
    answers = [(404, answer) for answer in ask(address(route, wrong, thing), **options)]
    revoke_link(link=link, by=SYSTEM)
    answers += [(410, answer) for answer in ask(address(route, code, thing), **options)]
    TableLink.objects.update(revoked_at=None, expires_at=timezone.now())
    answers += [(410, answer) for answer in ask(address(route, code, thing), **options)]
    for status, answer in answers:
        assert answer.status_code == status
        assert_private(answer)
        if options:
            assert answer.json()["state"] == {404: "unknown", 410: "ended"}[status]


@pytest.mark.parametrize("route", OF_A_THING)
def test_link_cannot_reach_another_table(route: URLPattern, private_session: Session) -> None:
    code = code_of(link_of(private_session, 1))
    elsewhere = [
        play(private_session, table=2),
        play(make_session(private_session.league, private_session.date), table=1),
        play(make_session(make_league("other")), table=1),
    ]
    for hanchan in elsewhere:
        before = Hanchan.objects.filter(pk=hanchan.pk).values().get()
        where = address(route, code, thing_of(route, hanchan))
        owner = logged_in(private_session.league, "owner", f"owner-{hanchan.pk}")
        statuses = {answer.status_code for answer in [*ask(where), owner.get(where), owner.post(where)]}
        assert statuses <= {404, 405}
        assert 404 in statuses
        assert Hanchan.objects.filter(pk=hanchan.pk).values().get() == before
        assert not hanchan.confirmations.exists()
