import json
import re
from datetime import date, datetime, time, timedelta
from typing import Any
from unittest.mock import patch
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from league.models import Attendance, AttendanceLink, League, Player, Revision, Session
from league.services.attendance import AnswerFacts, answer_session, set_answers_until
from league.services.calendar import set_session_state
from league.services.history import SYSTEM
from league.services.people import link_user, merge_players
from league.services.planning import TablePlan, plan_tables
from league.services.secret_links import renew_attendance_link, secret_of
from tests.journeys.html import Form, see
from tests.league.entry_contexts import url
from tests.league.factories import client_of, logged_in, make_league, make_players, make_session, make_user, play
from tests.league.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TOKYO = ZoneInfo("Asia/Tokyo")
Given = Attendance.Given


def in_days(days: int) -> date:
    return (timezone.now() + timedelta(days=days)).date()


@pytest.fixture
def session(league: League) -> Session:
    make_players(league, 9)
    return make_session(league, in_days(7), tables=3, start_time=time(19, 0))


@pytest.fixture
def people(session: Session) -> list[Player]:
    return list(session.league.players.order_by("pk"))


@pytest.fixture
def aoki(people: list[Player]) -> Client:
    user = make_user("aoki", league=people[0].league, role="player")
    link_user(player=people[0], user=user, by=SYSTEM)
    return client_of(user)


def to(name: str, session: Session) -> str:
    return "/en" + url(name, session.league, session.pk)


def link_to(session: Session, player: Player | None = None) -> str:
    link = renew_attendance_link(session=session, by=SYSTEM, player=player)
    return "/en" + reverse("league:attend", args=[secret_of(link)])


def give_answer(
    session: Session, player: Player, answer: str, given: Given = Given.ORGANISER, **more: object
) -> Attendance:
    facts = AnswerFacts(answer, **more)  # type: ignore[arg-type]
    return answer_session(session=session, player=player, facts=facts, given=given, by=SYSTEM)


def answers_of(session: Session) -> dict[str, str]:
    return {each.player.name: each.answer for each in session.attendance.select_related("player")}


def form_on(html: str) -> Form:
    return next(form for form in see(html).forms if "answer" in form.controls)


def form_data(form: Form, **typed: object) -> dict[str, object]:
    return {name: control.values for name, control in form.controls.items()} | typed


def submit(browser: Client, address: str, **typed: object) -> Any:
    form = form_on(browser.get(address).content.decode())
    return browser.post(re.sub(r"[?#].*", "", form.action or address), form_data(form, **typed))


def test_member_answers_on_the_session_page(aoki: Client, session: Session, people: list[Player]) -> None:
    assert "Are you coming?" in aoki.get(to("session", session)).content.decode()
    assert submit(aoki, to("session", session), answer="late", arrives_at="20:15", word="仕事").status_code == 302
    stored = session.attendance.get()
    assert (stored.player, stored.answer, stored.arrives_at, stored.word) == (people[0], "late", time(20, 15), "仕事")
    assert (stored.given, stored.version) == ("self", 1)
    page = aoki.get(to("session", session)).content.decode()
    assert "1 coming" in page
    assert "11 more needed for" in page
    assert "20:15" in page
    assert "仕事" in page
    told = Revision.objects.get(subject="attendance")
    assert (told.by_name, (told.after or {}).get("answer")) == ("aoki", "late")
    for answered in ("coming", "coming", "absent"):
        submit(aoki, to("session", session), answer=answered)
    stored.refresh_from_db()
    assert (stored.answer, stored.version) == ("absent", 3), "the same again changes nothing"


def test_answer_changed_meanwhile_is_not_overwritten(aoki: Client, session: Session, people: list[Player]) -> None:
    form = form_on(aoki.get(to("session", session)).content.decode())
    give_answer(session, people[0], "absent")
    answer = aoki.post(form.action, form_data(form, answer="coming"))
    assert "Someone else has changed this to “Not coming”" in answer.content.decode()
    assert answers_of(session) == {"青木": "absent"}
    again = form_on(answer.content.decode())
    aoki.post(again.action, form_data(again, answer="coming"))
    assert answers_of(session) == {"青木": "coming"}


def test_invalid_answer_is_refused_and_kept(aoki: Client, session: Session) -> None:
    for typed in ({"answer": "maybe"}, {"answer": "late", "arrives_at": "25:99"}, {"answer": ""}, {"word": "長" * 61}):
        answer = submit(aoki, to("session", session), **{"word": "すこし", "answer": "coming"} | typed)
        assert answer.status_code == 200, typed
        assert (typed.get("word") or "すこし") in answer.content.decode()
    assert answers_of(session) == {}


def test_members_without_a_player_are_not_asked(session: Session) -> None:
    browser = logged_in(session.league, "player")
    assert "Are you coming?" not in browser.get(to("session", session)).content.decode()
    answer = browser.post(to("session_answer", session), {"answer": "coming"}, follow=True)
    assert "Your account is not linked to a player in this league" in answer.content.decode()
    assert answers_of(session) == {}


def test_others_do_not_see_an_answer(aoki: Client, organiser: Client, session: Session, people: list[Player]) -> None:
    give_answer(session, people[0], "coming", word="遅刻しない")
    assert "You are answering as" not in organiser.get(to("session", session)).content.decode()
    assert "Your answer as Aoki" in aoki.get(to("session", session)).content.decode()
    visitor = Client().get(to("session", session)).content.decode()
    assert "Your answer" not in visitor
    assert "Aoki" in visitor
    assert "遅刻しない" not in visitor


def test_session_begun_without_asking_shows_no_attendance(league: League, organiser: Client, aoki: Client) -> None:
    late = make_session(league, league.day_of(timezone.now()), start_time=league.day_boundary)
    page = organiser.get(to("session", late)).content.decode()
    assert 'id="answers"' not in page
    assert to("attendance", late) in page, "it stays in the menu"
    any_time = make_session(league, league.day_of(timezone.now()))
    assert 'id="answers"' not in organiser.get(to("session", any_time)).content.decode()
    assert "Are you coming?" in aoki.get(to("session", any_time)).content.decode(), "a player may still say so"
    link_to(any_time)
    assert 'id="answers"' in organiser.get(to("session", any_time)).content.decode(), "someone was asked"


def test_past_session_accepts_no_answers(aoki: Client, organiser: Client, people: list[Player]) -> None:
    past = make_session(people[0].league, in_days(-3))
    assert "attendance can no longer be answered" in organiser.get(to("attendance", past)).content.decode()
    page = aoki.get(to("session", past)).content.decode()
    assert "Are you coming?" not in page
    assert "Who is coming" not in page
    assert "no longer accepts answers" in aoki.post(to("session_answer", past), {"answer": "coming"}).content.decode()


def test_shared_link_asks_for_the_player_and_remembers_it(session: Session, people: list[Player]) -> None:
    address, phone = link_to(session), Client()
    page = phone.get(address)
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "no-store" in page.headers["Cache-Control"]
    form = next(form for form in see(page.content.decode()).forms if "player" in form.controls)
    assert form.method == "get"
    answer = submit(phone, f"{address}?player={people[1].pk}", answer="coming")
    assert "Your answer is saved" in phone.get(answer["Location"]).content.decode()
    assert "Is Ishida coming?" in phone.get(address).content.decode()
    assert "Choose your name" in phone.get(f"{address}?other=1").content.decode()
    assert "Choose your name" in Client().get(address).content.decode()
    stored = session.attendance.get()
    assert (stored.given, stored.link, stored.by) == ("shared", AttendanceLink.objects.get(), None)
    assert Revision.objects.get(subject="attendance").source == "attendance link"
    # The cookie is valid for this link and player only.
    other = link_to(make_session(session.league, in_days(9)))
    phone.cookies["attendance"]["path"] = "/"
    assert "Choose your name" in phone.get(other).content.decode()
    phone.cookies["attendance"] = f"{people[0].pk}:forged"
    assert "Choose your name" in phone.get(address).content.decode()


@pytest.mark.long
def test_shared_link_hides_and_keeps_comments_of_other_players(session: Session, people: list[Player]) -> None:
    link = link_to(session)
    own_phone, other_phone = Client(), Client()
    submit(own_phone, f"{link}?player={people[0].pk}", answer="late", arrives_at="20:15", word="通院のため")
    give_answer(session, people[1], "coming", given=Given.SELF, word="仕事のあと")
    assert "通院のため" in own_phone.get(link).content.decode()
    for player in people[:2]:
        page = other_phone.get(f"{link}?player={player.pk}").content.decode()
        assert "通院のため" not in page
        assert "仕事のあと" not in page
        forced = {"answer": "coming", "word": "x", "seen": '{"word": "y"}'}
        assert "仕事のあと" not in other_phone.post(f"{link}?player={people[1].pk}", forced).content.decode()
    same = {"answer": "coming", "word": ""}
    assert "仕事のあと" not in other_phone.post(f"{link}?player={people[1].pk}", same, follow=True).content.decode()
    submit(other_phone, f"{link}?player={people[0].pk}", answer="absent")
    assert "通院のため" not in other_phone.get(link).content.decode()
    stored = Attendance.objects.get(session=session, player=people[0])
    assert (stored.answer, stored.word) == ("absent", "通院のため"), "who cannot read a word does not take it away"


def test_opening_a_link_changes_nothing(session: Session, people: list[Player]) -> None:
    address = link_to(session)
    before = AttendanceLink.objects.values().get(), Revision.objects.count()
    for query in ("", f"?player={people[0].pk}", f"?player={people[0].pk}&answer=coming&said=saved", "?other=1"):
        assert Client().get(address + query).status_code == 200
        assert Client().head(address + query).status_code == 200
    assert (AttendanceLink.objects.values().get(), Revision.objects.count()) == before
    assert answers_of(session) == {}


def test_personal_link_answers_for_its_player_and_overrides_the_shared(session: Session, people: list[Player]) -> None:
    own, group = link_to(session, people[2]), link_to(session)
    assert "Is Ueno coming?" in Client().get(f"{own}?player={people[0].pk}").content.decode()
    submit(Client(), own, answer="coming", player=people[0].pk)
    answer = submit(Client(), f"{group}?player={people[2].pk}", answer="absent")
    assert "has answered with their own link or account" in answer.content.decode()
    assert answers_of(session) == {"上野": "coming"}
    submit(Client(), own, answer="absent")
    assert answers_of(session) == {"上野": "absent"}


def test_replaced_attendance_link_opens_nothing(session: Session, people: list[Player]) -> None:
    replaced = link_to(session)
    link_to(session)
    assert Client().post(replaced, {"player": people[0].pk, "answer": "coming"}).status_code == 404
    assert answers_of(session) == {}
    known, unknown = (Client().get(each).content for each in (replaced, "/en/a/aaaaaaaaaaaaaaaaaaaaaaaaaa/"))
    assert re.sub(rb"/a/\w+/", b"", known) == re.sub(rb"/a/\w+/", b"", unknown)


def test_attendance_link_expires_with_the_day_of_its_session(session: Session, people: list[Player]) -> None:
    address = link_to(session)
    over = datetime.combine(session.date + timedelta(days=1), time(6, 0), TOKYO)
    with patch("django.utils.timezone.now", return_value=over - timedelta(minutes=1)):
        page = Client().get(address)
        assert page.status_code == 200
        assert "Answers closed on" in page.content.decode()
        assert Client().post(address, {"player": people[0].pk, "answer": "coming"}).status_code == 200
    with patch("django.utils.timezone.now", return_value=over):
        assert Client().get(address).status_code == 404
    Session.objects.filter(pk=session.pk).update(date=session.date + timedelta(days=1))
    with patch("django.utils.timezone.now", return_value=over):
        assert Client().get(address).status_code == 200
    assert answers_of(session) == {}


def test_closed_session_and_archived_league_accept_no_answers(session: Session, people: list[Player]) -> None:
    address = link_to(session)
    type(session.league).objects.filter(pk=session.league_id).update(state="archived")
    assert Client().post(address, {"player": people[0].pk, "answer": "coming"}).status_code == 200
    assert answers_of(session) == {}
    type(session.league).objects.filter(pk=session.league_id).update(state="active")
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    answer = Client().post(address, {"player": people[0].pk, "answer": "coming"})
    assert "no longer accepts answers" in answer.content.decode()
    set_session_state(session=session, state=Session.State.WITHDRAWN, by=SYSTEM)
    assert Client().get(address).status_code == 404
    assert answers_of(session) == {}


def test_shared_link_refuses_merged_and_foreign_players(session: Session, people: list[Player]) -> None:
    address = link_to(session)
    (stranger,) = make_players(make_league("elsewhere"), 1)
    merge_players(source=people[8], target=people[7], by=SYSTEM, reason="one person")
    for number in (stranger.pk, people[8].pk, 9**30, "x", ""):
        assert Client().post(address, {"player": number, "answer": "coming"}).status_code == 200
    assert Attendance.objects.count() == 0


@pytest.mark.long
def test_number_of_answers_per_link_is_limited(session: Session, people: list[Player]) -> None:
    address, phone = link_to(session), Client()
    for number in range(31):
        answer = submit(phone, f"{address}?player={people[0].pk}", answer=("coming", "absent")[number % 2])
    assert "Too many changes within an hour" in answer.content.decode()
    assert Revision.objects.filter(subject="attendance").count() == 20
    give_answer(session, people[0], "late")
    assert answers_of(session) == {"青木": "late"}


def test_guessing_attendance_codes_is_limited_while_valid_links_open(session: Session) -> None:
    address, thief = link_to(session), Client()
    assert [thief.get(f"/en/a/{'a' * 25}{number % 10}/").status_code for number in range(32)] == [404] * 30 + [429] * 2
    assert thief.get(address).status_code == 200


def test_session_page_leads_organisers_to_next_step(organiser: Client, session: Session, people: list[Player]) -> None:
    assert (
        f'class="button" href="{to("attendance", session)}"' in organiser.get(to("session", session)).content.decode()
    )
    give_answer(session, people[0], "coming")
    page = organiser.get(to("session", session)).content.decode()
    assert f'class="button" href="{to("session_seats", session)}"' in page
    assert "No answer yet" in page
    plan_tables(session=session, plans=[TablePlan(1, tuple(people[:4]))], by=SYSTEM)
    page = organiser.get(to("session", session)).content.decode()
    assert f'class="button" href="{to("print_cards", session)}"' in page


def test_planned_seats_are_shown_by_link_and_session_page(session: Session, people: list[Player]) -> None:
    address = link_to(session)
    plan_tables(session=session, plans=[TablePlan(1, tuple(people[:4]), waiting=(people[4],))], by=SYSTEM)
    page = Client().get(address).content.decode()
    assert "Who sits where" in page
    assert re.search(r"Table 1, sitting out first:\s+Player 5", page)
    page = Client().get(to("session", session)).content.decode()
    assert "Who sits where" in page
    assert "Show the names" in page, "they stand at the tables"
    give_answer(session, people[5], "coming")
    assert "Show the names" not in Client().get(to("session", session)).content.decode(), "one has no seat"


def test_organiser_creates_and_revokes_answer_links(organiser: Client, session: Session, people: list[Player]) -> None:
    assert to("attendance", session) in organiser.get(to("session", session)).content.decode()
    organiser.post(to("attendance", session), {"do": "link"})
    page = organiser.get(to("attendance", session)).content.decode()
    (address,) = set(re.findall(r"http://testserver(/en/a/\w+/)", page))
    assert f"{session.league.name_en or session.league.name} · " in page
    assert "Are you coming? Answer here:" in page
    assert "mailto:?body=" in page
    assert (
        "https://line.me/R/share?text=" in organiser.get(to("attendance", session).removeprefix("/en")).content.decode()
    )
    assert "<svg" in page
    assert Client().get(address).status_code == 200
    for model in (AttendanceLink, Revision):
        assert address.split("/")[-2] not in json.dumps(list(model.objects.values()), default=str)
    organiser.post(to("attendance", session), {"do": "revoke"})
    assert Client().get(address).status_code == 404
    assert [each.action for each in Revision.objects.filter(subject="attendancelink")] == ["withdrawn", "created"]
    organiser.post(to("attendance", session), {"do": "own", "player": people[3].pk})
    (own,) = set(
        re.findall(r"http://testserver(/en/a/\w+/)", organiser.get(to("attendance", session)).content.decode())
    )
    assert "Is Eguchi coming?" in Client().get(own).content.decode()
    organiser.post(to("attendance", session), {"do": "revoke-own", "player": people[3].pk})
    assert Client().get(own).status_code == Client().post(own, {"answer": "coming"}).status_code == 404


def test_one_tap_reminds_those_who_have_not_answered(organiser: Client, session: Session, people: list[Player]) -> None:
    give_answer(session, people[0], "coming")
    assert 'name="do" value="first"' in organiser.get(to("session", session)).content.decode()
    for _ in range(2):
        assert organiser.post(to("attendance", session), {"do": "first"}).status_code == 302
    (text,) = re.findall(r'data-remind="([^"]*)"', organiser.get(to("session", session)).content.decode())
    assert f"/a/{secret_of(AttendanceLink.objects.get())}/" in text
    assert "No answer yet: Eguchi, Ishida, " in text
    assert "Aoki" not in text


def test_seated_player_is_not_asked_but_can_decline(aoki: Client, session: Session, people: list[Player]) -> None:
    plan_tables(session=session, plans=[TablePlan(1, tuple(people[:4]))], by=SYSTEM)
    page = aoki.get(to("session", session)).content.decode()
    assert "You have a seat." in page
    assert "are you coming?" not in f"{page}{aoki.get('/en' + reverse('accounts:me')).content.decode()}".lower()
    assert submit(aoki, to("session", session), answer="absent").status_code == 302
    assert answers_of(session) == {"青木": "absent"}


def test_seats_planned_without_asking_wait_for_none(organiser: Client, session: Session, people: list[Player]) -> None:
    plan_tables(session=session, plans=[TablePlan(1, tuple(people[:4]))], by=SYSTEM)
    give_answer(session, people[0], "late")
    assert "No answer yet" not in organiser.get(to("session", session)).content.decode()


def test_organiser_answers_for_a_player(organiser: Client, session: Session, people: list[Player]) -> None:
    chosen = f"{to('attendance', session)}?player={people[3].pk}"
    submit(organiser, chosen, answer="absent", word="出張", do="answer")
    assert answers_of(session) == {"江口": "absent"}
    assert session.attendance.get().given == "organiser"
    submit(organiser, chosen, answer="", do="answer")
    assert answers_of(session) == {"江口": ""}
    assert "No one has answered yet" in organiser.get(to("attendance", session)).content.decode()


def test_organiser_answers_for_all_in_one_form(organiser: Client, session: Session, people: list[Player]) -> None:
    give_answer(session, people[0], "late", arrives_at=time(20, 0))
    seen = {f"initial-{player.pk}": "" for player in people} | {f"initial-{people[0].pk}": "late"}
    typed = {"do": "answers", **seen, str(people[0].pk): "late", str(people[1].pk): "coming", str(people[2].pk): ""}
    give_answer(session, people[2], "absent")
    organiser.post(to("attendance", session), typed)
    assert answers_of(session) == {"青木": "late", "石田": "coming", "上野": "absent"}
    assert session.attendance.get(player=people[0]).arrives_at == time(20, 0)
    organiser.post(to("attendance", session), typed | {str(people[1].pk): "never"})
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    organiser.post(
        to("attendance", session), typed | {str(people[1].pk): "absent", f"initial-{people[1].pk}": "coming"}
    )
    assert answers_of(session) == {"青木": "late", "石田": "coming", "上野": "absent"}


def test_organiser_closes_answers(organiser: Client, aoki: Client, session: Session, people: list[Player]) -> None:
    until = datetime.combine(session.date - timedelta(days=1), time(12, 0), TOKYO)
    organiser.post(to("attendance", session), {"do": "until", "answers_until": until.strftime("%Y-%m-%dT%H:%M")})
    session.refresh_from_db()
    assert session.answers_until == until
    late = (until + timedelta(hours=36)).strftime("%Y-%m-%dT%H:%M")
    answer = organiser.post(to("attendance", session), {"do": "until", "answers_until": late})
    assert "The session has begun by then" in answer.content.decode()
    organiser.post(to("attendance", session), {"do": "close"})
    assert "Are you coming?" not in aoki.get(to("session", session)).content.decode()
    assert (
        "no longer accepts answers" in aoki.post(to("session_answer", session), {"answer": "coming"}).content.decode()
    )
    give_answer(session, people[0], "coming")
    assert answers_of(session) == {"青木": "coming"}


def test_cached_page_stops_asking_after_the_deadline(aoki: Client, session: Session) -> None:
    noon = datetime.combine(in_days(1), time(12, 0), TOKYO)
    set_answers_until(session=session, until=noon + timedelta(minutes=30), by=SYSTEM)
    with time_machine.travel(noon, tick=False):
        before = aoki.get(to("session", session))
    assert "Are you coming?" in before.content.decode()
    with time_machine.travel(noon + timedelta(minutes=29), tick=False):
        assert aoki.get(to("session", session), headers={"If-None-Match": before["ETag"]}).status_code == 304
    with time_machine.travel(noon + timedelta(minutes=31), tick=False):
        after = aoki.get(to("session", session), headers={"If-None-Match": before["ETag"]})
    assert after.status_code == 200
    assert "Are you coming?" not in after.content.decode()


@pytest.mark.parametrize(
    "typed", ["0001-01-01T00:00", "1900-01-01T00:00", "9999-12-31T23:59", "2026-02-30T10:00", "soon"]
)
def test_invalid_deadline_is_refused_and_kept(organiser: Client, session: Session, typed: str) -> None:
    answer = organiser.post(to("attendance", session), {"do": "until", "answers_until": typed})
    assert answer.status_code == 200
    assert typed in answer.content.decode()
    session.refresh_from_db()
    assert session.answers_until is None


def test_attendance_link_that_cannot_be_shown_still_works(organiser: Client, session: Session) -> None:
    address = link_to(session)
    AttendanceLink.objects.update(nonce=uuid4())
    assert "can no longer be shown" in organiser.get(to("attendance", session)).content.decode()
    assert Client().get(address).status_code == 200


def test_history_shows_attendance_answers(organiser: Client, session: Session, people: list[Player]) -> None:
    submit(Client(), f"{link_to(session)}?player={people[0].pk}", answer="late", arrives_at="20:15")
    set_answers_until(session=session, until=timezone.now(), by=SYSTEM)
    page = organiser.get("/en" + reverse("league:history", args=[session.league.slug])).content.decode()
    for part in ("Attendance", "青木", "late", "20:15", "Attendance link", "answers accepted until"):
        assert part in page, part


def test_merged_player_has_one_answer(aoki: Client, session: Session, people: list[Player]) -> None:
    give_answer(session, people[8], "coming")
    give_answer(session, people[7], "absent")
    merge_players(source=people[8], target=people[7], by=SYSTEM, reason="one person")
    merge_players(source=people[7], target=people[6], by=SYSTEM, reason="one person")
    page = aoki.get(to("session", session))
    lines = page.context["comes"].everybody if page.context else ()
    assert [(line.player.pk, line.attendance.answer) for line in lines] == [(people[6].pk, "absent")]
    give_answer(session, people[6], "late")
    assert answers_of(session) == {people[8].name: "coming", people[7].name: "absent", people[6].name: "late"}
    assert "1 coming" in Client().get(to("session", session)).content.decode()


@pytest.mark.long
def test_coming_players_are_selected_for_seats(organiser: Client, session: Session, people: list[Player]) -> None:
    for player in people[:8]:
        give_answer(session, player, "coming")
    give_answer(session, people[2], "late", arrives_at=time(20, 15))
    give_answer(session, people[8], "absent")
    page = organiser.get(to("session_seats", session))
    assert sorted(page.context["form"]["people"].value()) == sorted(str(player.pk) for player in people[:8])
    assert "Ueno (late, 20:15)" in page.content.decode()
    assert "Player 9 (not coming)" in page.content.decode()
    for even in ({}, {"even": "on"}):
        typed = {"people": [player.pk for player in people], "seed": 4, "do": "draw", **even}
        drawn = organiser.post(to("session_seats", session), typed)
        assert [table[4:] for table in drawn.context["tables"].seated()] == [[str(people[2].pk)], []]


@pytest.mark.merge
def test_seats_after_hanchan_are_for_the_next_round(organiser: Client, session: Session, people: list[Player]) -> None:
    session.tables = 2
    session.save()
    give_answer(session, people[0], "late")
    plan_tables(session=session, plans=[TablePlan(1, tuple(people[:4])), TablePlan(2, tuple(people[4:8]))], by=SYSTEM)
    play(session, players=people[:4])
    assert "Round 1: waiting for table 2" in organiser.get(to("session", session)).content.decode()
    play(session, players=people[4:8], table=2)
    page = organiser.get(to("session", session)).content.decode()
    assert "waiting for" not in page
    assert "Draw round 2" in page
    seats = organiser.get(f"{to('session_seats', session)}?draw").content.decode()
    assert "Seats for round 2" in seats
    assert "(will be late)" not in seats


def test_coming_players_replace_the_plan_on_request(organiser: Client, session: Session, people: list[Player]) -> None:
    plan_tables(session=session, plans=[TablePlan(1, tuple(people[:4]))], by=SYSTEM)
    give_answer(session, people[5], "coming")
    page = organiser.get(to("session_seats", session))
    assert (len(page.context["form"]["people"].value()), page.context["number"]) == (5, 5)
    taken = organiser.post(to("session_seats", session), {"do": "coming"})
    assert set(taken.context["form"]["people"].value()) == {str(people[number].pk) for number in (0, 1, 2, 3, 5)}
    assert taken.context["tables"] is None
    assert "Select the 5 who are coming" in taken.content.decode()


def test_my_page_asks_about_the_next_session(aoki: Client, session: Session) -> None:
    sooner = make_session(session.league, in_days(3))
    page = "/en" + reverse("accounts:me")
    assert "Session 1, " in aoki.get(page).content.decode()
    assert submit(aoki, page, answer="coming").status_code == 302
    assert answers_of(sooner) == {"青木": "coming"}
    assert answers_of(session) == {}


@pytest.mark.django_db(transaction=True)
def test_concurrent_first_answers_are_both_in_the_history(session: Session, people: list[Player]) -> None:
    def saying(answer: str) -> Attendance:
        again = Session.objects.select_related("league").get(pk=session.pk)
        return give_answer(again, Player.objects.get(pk=people[0].pk), answer)

    outcomes = at_once(lambda: saying("coming"), lambda: saying("absent"))
    assert all(isinstance(each, Attendance) for each in outcomes), outcomes
    assert session.attendance.get().version == 2
    told = [(each.action, (each.after or {})["answer"]) for each in Revision.objects.filter(subject="attendance")]
    assert [action for action, _ in told] == ["changed", "created"]
    assert told[0][1] == session.attendance.get().answer
