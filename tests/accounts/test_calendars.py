from datetime import date, time, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from icalendar import Calendar
from pytest_django.fixtures import DjangoAssertNumQueries

from accounts.models import Preferences
from accounts.services.calendars import calendar_secret_of, renew_calendar_address
from league.http.codes import GUESSES
from league.models import League, Membership, Player, Session
from league.services.calendar import SessionFacts, change_session, open_session, set_session_state
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from tests.league.factories import make_league, make_players, make_session, make_user

pytestmark = pytest.mark.django_db

SOON = timezone.now().date() + timedelta(days=7)


def secret_for(user: User) -> str:
    return calendar_secret_of(renew_calendar_address(user))


def events(client: Client, address: str) -> list[Any]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.status_code
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    return Calendar.from_ical(answer.content).walk("VEVENT")


def only(client: Client, address: str = "/l/camarade/calendar.ics") -> Any:
    (event,) = events(client, address)
    return event


def test_session_in_calendar_has_the_leagues_time_zone(client: Client, league: League) -> None:
    session = make_session(league, SOON, start_time=time(19), title="例会", venue="雀荘 中, 2階; 奥")
    event = only(client)
    assert event["UID"] == f"session-{session.pk}@testserver"
    assert event.decoded("DTSTART").isoformat() == f"{SOON}T19:00:00+09:00"
    assert event["DTSTART"].params["TZID"] == "Asia/Tokyo"
    assert (event["SUMMARY"], event["LOCATION"]) == ("カマラードリーグ: 例会", "雀荘 中, 2階; 奥")
    assert event["STATUS"] == "CONFIRMED"
    assert event["URL"] == f"http://testserver/l/camarade/sessions/{session.pk}/"
    text = client.get("/l/camarade/calendar.ics").content.decode()
    assert "BEGIN:VTIMEZONE" in text
    assert "REFRESH-INTERVAL;VALUE=DURATION:PT6H" in text


@pytest.mark.parametrize(
    ("start_time", "start"),
    [
        pytest.param(None, SOON, id="all day"),
        pytest.param(time(0, 30), f"{SOON + timedelta(days=1)}T00:30:00+09:00", id="after midnight, on the next date"),
    ],
)
def test_calendar_has_start_times(client: Client, league: League, start_time: time | None, start: date | str) -> None:
    make_session(league, SOON, start_time=start_time)
    found = only(client).decoded("DTSTART")
    assert (found if start_time is None else found.isoformat()) == start


def test_moved_or_cancelled_session_stays_the_same_event(client: Client, league: League) -> None:
    session = make_session(league, SOON, start_time=time(19))
    first = only(client)
    change_session(session=session, facts=SessionFacts(date=SOON + timedelta(days=2), start_time=time(20)), by=SYSTEM)
    second = only(client)
    set_session_state(session=session, state=Session.State.WITHDRAWN, by=SYSTEM)
    third = only(client)
    assert first["UID"] == second["UID"] == third["UID"]
    assert first["SEQUENCE"] < second["SEQUENCE"] < third["SEQUENCE"]
    assert second.decoded("DTSTART").isoformat() == f"{SOON + timedelta(days=2)}T20:00:00+09:00"
    assert [each["STATUS"] for each in (first, second, third)] == ["CONFIRMED", "CONFIRMED", "CANCELLED"]


def test_postponed_session_is_cancelled_in_the_calendar(client: Client, league: League) -> None:
    session = make_session(league, SOON, title="第一")
    later = SessionFacts(date=SOON + timedelta(days=3), title="延期分")
    open_session(league=league, facts=later, by=SYSTEM, postponed_from=session)
    assert [each["STATUS"] for each in events(client, "/l/camarade/calendar.ics")] == ["CANCELLED", "CONFIRMED"]


def test_calendar_lines_are_folded_and_escaped(client: Client, league: League) -> None:
    make_session(league, SOON, title="とても長い名前の例会" * 8, venue="x\r\nATTENDEE:mailto:evil@example.org")
    lines = client.get("/l/camarade/calendar.ics").content.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert not [line for line in lines if line.startswith(b"ATTENDEE")]
    assert only(client)["SUMMARY"].count("とても") == 8


def test_calendar_has_sessions_of_the_last_year(client: Client, league: League) -> None:
    today = timezone.now().date()
    for days in (400, 300, -300):
        make_session(league, today - timedelta(days=days))
    assert len(events(client, "/l/camarade/calendar.ics")) == 2


def test_unchanged_calendar_is_a_304(client: Client, league: League) -> None:
    session = make_session(league, SOON)
    user = make_user("aoki", league=league, role="player")
    for address in ("/l/camarade/calendar.ics", f"/calendar/{secret_for(user)}/all.ics"):
        tag = client.get(address).headers["ETag"]
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
        change_session(session=session, facts=SessionFacts(date=session.date + timedelta(days=1)), by=SYSTEM)
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("language", ["", "/en"])
def test_calendar_of_many_leagues_costs_few_queries(
    client: Client, language: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    user = make_user("aoki")
    address = f"{language}/calendar/{secret_for(user)}/all.ics"
    for number in range(3):
        league = make_league(f"league-{number}")
        Membership.objects.create(league=league, user=user)
        for day in range(4):
            make_session(league, SOON + timedelta(days=day))
        with django_assert_num_queries(5):
            client.get(address)


def test_personal_calendar_has_the_own_seat_and_no_names(client: Client, league: League) -> None:
    user = make_user("aoki", league=league, role="player")
    players = make_players(league, 4)
    Player.objects.filter(pk=players[1].pk).update(user=user)
    session, _other = make_session(league, SOON), make_session(league, SOON + timedelta(days=7))
    plan_tables(session=session, plans=[TablePlan(2, tuple(players))], by=SYSTEM)
    secret = secret_for(user)
    first, second = events(client, f"/calendar/{secret}/all.ics")
    assert "自分の席: 2卓 南家" in first["DESCRIPTION"] or "自分の席: 2卓 南" in first["DESCRIPTION"]
    assert "席" not in second["DESCRIPTION"]
    assert "My seat: Table 2, South" in only(client, f"/en/calendar/{secret}/seats.ics")["DESCRIPTION"]
    assert only(client, f"/calendar/{secret}/seats.ics")["UID"] == first["UID"]
    for address in (f"/calendar/{secret}/all.ics", "/l/camarade/calendar.ics"):
        text = client.get(address).content.decode()
        assert not [player for player in players if player.name in text]
    assert "席" not in events(client, "/l/camarade/calendar.ics")[0]["DESCRIPTION"]


def test_calendar_secret_is_created_renewed_and_revoked_on_the_notices_page(client: Client, league: League) -> None:
    make_session(league, SOON)
    client.force_login(make_user("aoki", league=league, role="player"))
    page = client.post("/en/account/calendar/", {"do": "new"}, follow=True).content.decode()
    first = calendar_secret_of(Preferences.objects.get())
    assert f"http://testserver/en/calendar/{first}/all.ics" in page
    assert f"/en/calendar/{first}/league-{league.pk}.ics" in page
    visitor = Client()
    answer = visitor.get(f"/calendar/{first}/all.ics")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "private, no-store")
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert not answer.cookies
    client.post("/en/account/calendar/", {"do": "new"})
    second = calendar_secret_of(Preferences.objects.get())
    assert visitor.get(f"/calendar/{first}/all.ics").status_code == 404
    assert visitor.get(f"/calendar/{second}/all.ics").status_code == 200
    client.post("/en/account/calendar/", {"do": "revoke"})
    assert visitor.get(f"/calendar/{second}/all.ics").status_code == 404


def test_stored_hash_is_not_a_valid_secret(client: Client, league: League) -> None:
    address = renew_calendar_address(make_user("aoki", league=league, role="player"))
    assert address.calendar_nonce
    for stored in (address.calendar_hash, address.calendar_nonce.hex):
        assert client.get(f"/calendar/{stored}/all.ics").status_code == 404
    assert calendar_secret_of(address) not in str(list(Preferences.objects.values()))


def test_calendar_loses_a_private_league_when_its_member_leaves(client: Client) -> None:
    league, other = make_league("hidden", is_public=False, name="秘密"), make_league("open")
    user = make_user("aoki", league=league, role="player")
    Membership.objects.create(league=other, user=user)
    for each in (league, other):
        make_session(each, SOON)
    secret = secret_for(user)
    assert len(events(client, f"/calendar/{secret}/all.ics")) == 2
    assert events(client, f"/calendar/{secret}/league-{league.pk}.ics")
    Membership.objects.filter(league=league, user=user).delete()
    assert "秘密" not in client.get(f"/calendar/{secret}/all.ics").content.decode()
    assert client.get(f"/calendar/{secret}/league-{league.pk}.ics").status_code == 404
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert client.get(f"/calendar/{secret}/all.ics").status_code == 404


def test_league_taken_down_leaves_the_calendars(client: Client, league: League) -> None:
    make_session(league, SOON)
    secret = secret_for(make_user("aoki", league=league, role="player"))
    League.objects.filter(pk=league.pk).update(state=League.State.TAKEN_DOWN)
    assert events(client, f"/calendar/{secret}/all.ics") == []


def test_guessing_secrets_is_throttled_without_blocking_the_right_one(client: Client, league: League) -> None:
    secret = secret_for(make_user("aoki", league=league, role="player"))
    answers = [client.get(f"/calendar/{number:026d}/all.ics").status_code for number in range(GUESSES.tries + 1)]
    assert answers == [404] * GUESSES.tries + [429]
    assert client.get(f"/calendar/{secret}/all.ics").status_code == 200
