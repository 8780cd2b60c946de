"""What a phone does through the link of its table: see the names, save once, undo, and learn what others do."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from league.models import Hanchan, HeldResult, Session, TableLink
from league.selectors.link_keys import LATE_RESULTS
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link, revoke_link
from league.services.planning import TablePlan, plan_tables
from league.services.results import TableAndTime, correct_hanchan, result_of, void_hanchan
from league.views.receipts import UNDO_GRACE, UNDO_SECONDS
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = pytest.mark.django_db

JSON: Any = {"HTTP_ACCEPT": "application/json"}


@pytest.fixture
def link(db: None) -> TableLink:
    """The link of table 1 of tonight's session, where Aoki to Eguchi are planned."""
    del db
    league = make_league(is_public=False)
    players = make_players(league, 5)
    session = make_session(league, league.day_of(timezone.now()), tables=2)
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4]), waiting=(players[4],))], by=SYSTEM)
    return issue_link(session=session, table=1, by=SYSTEM)


def at(link: TableLink, page: str = "") -> str:
    return f"/e/{code_of(link)}/{page}"


def typed(link: TableLink, scores: tuple[str, ...] = ("317", "313", "255", "115"), **more: str) -> dict[str, str]:
    """Return the fields of a finished hanchan of the first four players."""
    players = link.session.league.players.order_by("pk")
    names = {f"player_{seat}": str(players[seat].pk) for seat in range(4)}
    raw = {f"raw_{seat}": text for seat, text in enumerate(scores)}
    return {"client_key": str(uuid.uuid4()), "sticks_left": "0", **names, **raw, **more}


def send(link: TableLink, fields: dict[str, str]) -> Any:
    """Return the answer to a script that sends a result."""
    return Client(enforce_csrf_checks=True).post(at(link), fields, **JSON)


def test_the_names_of_the_table_are_there_without_login(client: Client, link: TableLink) -> None:
    answer = client.get(at(link))
    assert answer.status_code == 200
    players = list(link.session.league.players.order_by("pk"))
    form = answer.context["form"]
    assert [form[f"player_{seat}"].value() for seat in range(4)] == [str(player.pk) for player in players[:4]]
    assert answer.context["page"].table.choices.waiting == (players[4],)
    assert not answer.cookies
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "noindex" in answer.headers["X-Robots-Tag"]


def test_a_result_is_stored_with_its_link_and_phone(link: TableLink) -> None:
    fields = typed(link, device="a1b2c3")
    answer = send(link, fields)
    assert answer.status_code == 200
    hanchan = Hanchan.objects.get()
    assert answer.json() == {
        "state": "saved",
        "hanchan": hanchan.pk,
        "round": hanchan.round,
        "receipt": at(link, f"done/{hanchan.pk}/"),
        "new": True,
        "standing": "recorded",
        "differs": False,
    }
    assert (hanchan.table, hanchan.recorded_through, hanchan.device) == (1, link, "a1b2c3")
    again = send(link, fields)
    assert (again.status_code, again.json()["new"]) == (200, False)
    assert Hanchan.objects.count() == 1


@pytest.mark.long
def test_the_form_works_without_a_script(client: Client, link: TableLink) -> None:
    answer = client.post(at(link), typed(link))
    hanchan = Hanchan.objects.get()
    assert answer.headers["Location"] == at(link, f"done/{hanchan.pk}/")
    page = client.get(answer.headers["Location"])
    assert page.status_code == 200
    assert at(link, f"undo/{hanchan.pk}/") in page.content.decode()
    gone = client.post(at(link, f"undo/{hanchan.pk}/"))
    assert gone.status_code == 302
    hanchan.refresh_from_db()
    assert hanchan.is_voided
    assert f"{at(link)}?again={hanchan.pk}" in client.get(gone["Location"]).content.decode()
    assert client.get(at(link), {"again": hanchan.pk}).context["form"].is_valid()
    # Once the table has another result, that is not what comes next any more; nor is it after somebody else's decision.
    client.post(at(link), typed(link))
    assert "?again=" not in client.get(gone["Location"]).content.decode()
    twin = Hanchan.objects.valid().get()
    void_hanchan(hanchan=twin, by=SYSTEM, reason="twice")
    assert "?again=" not in client.get(at(link, f"done/{twin.pk}/")).content.decode()
    elsewhere = play(link.session, table=2)
    void_hanchan(hanchan=elsewhere, by=SYSTEM, reason="twice")
    assert not client.get(at(link), {"again": elsewhere.pk}).context["form"].is_bound


def test_undo_is_over_after_its_seconds_and_belongs_to_the_own_link(client: Client, link: TableLink) -> None:
    own = Hanchan.objects.get(pk=send(link, typed(link)).json()["hanchan"])
    foreign = play(link.session, table=1)
    for hanchan, later in ((foreign, 0), (own, UNDO_SECONDS + UNDO_GRACE + 1)):
        with time_machine.travel(timezone.now() + timedelta(seconds=later), tick=False):
            assert client.post(at(link, f"undo/{hanchan.pk}/")).status_code == 302
        hanchan.refresh_from_db()
        assert not hanchan.is_voided


def test_undo_leaves_alone_what_was_corrected(client: Client, link: TableLink) -> None:
    hanchan = Hanchan.objects.get(pk=send(link, typed(link)).json()["hanchan"])
    correct_hanchan(
        hanchan=hanchan,
        seen_version=1,
        result=result_of(hanchan),
        table_and_time=TableAndTime(),
        by=SYSTEM,
        reason="the sheet",
    )
    answer = client.post(at(link, f"undo/{hanchan.pk}/"))
    assert answer["Location"] == at(link, f"done/{hanchan.pk}/?said=late")
    assert not Hanchan.objects.get().is_voided


@pytest.mark.parametrize("code", ["x", "1-", "-abc", "zz-" + "a" * 26, "9" * 40, "1-é", "²-abc"])
def test_wrong_codes_open_nothing(client: Client, link: TableLink, code: str) -> None:
    del link
    answer = client.get(f"/e/{code}/")
    assert answer.status_code == 404
    assert client.get(f"/e/{code}/", **JSON).json()["state"] == "unknown"


def test_an_ended_link_takes_nothing_that_was_typed_later(link: TableLink) -> None:
    with time_machine.travel(link.expires_at + timedelta(hours=1), tick=False):
        for entered in (timezone.now().isoformat(), "", "yesterday"):
            assert send(link, typed(link, unsent="1", entered_at=entered)).status_code == 410
    assert not Hanchan.objects.exists()


@pytest.mark.parametrize("played_at", ["1950-01-01T00:00", "2031-05-05T20:00"])
def test_a_link_enters_its_own_evening_only(link: TableLink, played_at: str) -> None:
    answer = send(link, typed(link, played_at=played_at))
    assert (answer.status_code, answer.json()["state"]) == (422, "refused")
    assert not Hanchan.objects.exists()


@pytest.mark.long
def test_a_link_does_not_fill_the_league(link: TableLink, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [send(link, typed(link, do="another")).status_code for _ in range(21)]
    assert answers == [200] * 20 + [429]
    cache.clear()
    monkeypatch.setattr("league.services.entry.MAX_RESULTS", 20)
    answer = send(link, typed(link, do="another"))
    assert (answer.status_code, answer.json()["state"]) == (422, "refused")
    assert Hanchan.objects.count() == 20


def test_much_later_or_revoked_it_takes_nothing(link: TableLink) -> None:
    late = link.expires_at + LATE_RESULTS
    with time_machine.travel(late, tick=False):
        assert send(link, typed(link, unsent="1")).status_code == 410
    revoke_link(link=link, by=SYSTEM)
    assert send(link, typed(link)).status_code == 410
    assert send(link, typed(link, unsent="1")).status_code == 410
    assert not Hanchan.objects.exists()


def test_an_equal_result_is_asked_about(link: TableLink) -> None:
    first = send(link, typed(link)).json()
    answer = send(link, typed(link))
    assert answer.status_code == 409
    assert answer.json()["state"] == "same"
    assert answer.json()["receipt"] == first["receipt"]
    assert send(link, typed(link, do="another")).json()["new"] is True
    assert Hanchan.objects.count() == 2


def test_a_sum_that_is_off_is_refused_and_what_a_phone_kept_is_held(link: TableLink) -> None:
    fields = typed(link, ("317", "313", "255", "105"))
    answer = send(link, fields)
    assert (answer.status_code, answer.json()["state"]) == (422, "refused")
    assert not HeldResult.objects.exists()
    entered = timezone.now()
    late = {"unsent": "1", "device": "abc", "entered_at": entered.isoformat()}
    for _ in range(2):
        assert send(link, fields | late).json()["state"] == "held"
    held = HeldResult.objects.get()
    assert (held.reason, held.table, held.device) == ("sum", 1, "abc")
    assert held.typed["raw_3"] == ["105"]
    assert held.entered_at == entered
    with time_machine.travel(entered + timedelta(days=1), tick=False):
        client = Client()
        client.force_login(make_user("ueno", league=link.session.league, role="scorer"))
        client.post(f"/l/camarade/sessions/{link.session.pk}/enter/", fields | {"raw_3": "115", "do": "save"})
    held.refresh_from_db()
    assert held.hanchan == Hanchan.objects.get()
    assert held.hanchan.played_at == entered
    assert held.settled_at


def test_a_closed_session_holds_what_arrives_late(client: Client, link: TableLink) -> None:
    Session.objects.update(state=Session.State.CLOSED)
    assert client.get(at(link)).status_code == 200
    assert send(link, typed(link)).json()["state"] == "refused"
    assert send(link, typed(link, unsent="1")).json()["state"] == "held"
    assert HeldResult.objects.get().reason == "closed"


def test_a_held_result_opens_on_the_scorers_page_as_it_was_typed(client: Client, link: TableLink) -> None:
    fields = typed(link, ("317", "313", "255", "105"), unsent="1", note="卓上の写真あり")
    send(link, fields)
    session = link.session
    client.force_login(make_user("ueno", league=session.league, role="scorer"))
    held = HeldResult.objects.get()
    page = client.get(f"/l/{session.league.slug}/sessions/{session.pk}/enter/?table=1&held={held.pk}")
    form = page.context["form"]
    assert form["raw_3"].value() == "105"
    assert form["client_key"].value() == fields["client_key"]
    assert form["note"].value() == "卓上の写真あり"
    assert page.context["shows_errors"]


def test_the_second_phone_sees_what_is_typed_and_what_was_saved(link: TableLink) -> None:
    client = Client()
    mine, other = "aaaa", "bbbb"
    client.post(at(link, "preview/"), typed(link, ("317", "", "", "")) | {"device": mine})
    own = client.get(at(link, "state/"), {"device": mine}).json()
    seen = client.get(at(link, "state/"), {"device": other}).json()
    assert own["typing"] is None
    assert seen["typing"]["scores"] == ["317", "", "", ""]
    assert seen["typing"]["names"][0] == "青木"
    assert (seen["round"], seen["hanchan"]) == (1, [])
    fields = typed(link, device=mine)
    saved = send(link, fields).json()
    later = client.get(at(link, "state/"), {"device": other}).json()
    assert later["typing"] is None
    assert later["round"] == 2
    (hanchan,) = later["hanchan"]
    assert hanchan["client_key"] == fields["client_key"]
    assert (hanchan["id"], hanchan["receipt"], hanchan["standing"]) == (saved["hanchan"], saved["receipt"], "recorded")


def test_turns_are_taken_for_the_next_hanchan(client: Client, link: TableLink) -> None:
    players = list(link.session.league.players.order_by("pk"))
    saved = send(link, typed(link)).json()
    receipt = client.get(saved["receipt"])
    assert "seats=rotate" in receipt.content.decode()
    assert receipt.context["turns"] == (players[3],)
    page = client.get(at(link), {"seats": "rotate"})
    shown = [page.context["form"][f"player_{seat}"].value() for seat in range(4)]
    assert shown == [str(player.pk) for player in (*players[:3], players[4])]
    same = client.get(at(link))
    assert [same.context["form"][f"player_{seat}"].value() for seat in range(4)] == [
        str(player.pk) for player in players[:4]
    ]


def test_a_script_without_login_is_told_so(client: Client, link: TableLink) -> None:
    session = link.session
    answer = client.post(f"/l/camarade/sessions/{session.pk}/enter/", typed(link), **JSON)
    assert (answer.status_code, answer.json()["state"]) == (403, "login")


def test_three_enter_their_result_through_the_link_of_their_table(client: Client) -> None:
    league = make_league("sanma", card="tenhou-3p")
    players = make_players(league, 4)
    session = make_session(league, league.day_of(timezone.now()))
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:3]), waiting=(players[3],))], by=SYSTEM)
    link = issue_link(session=session, table=1, by=SYSTEM)
    page = client.get(at(link))
    assert [name for name in page.context["form"].fields if name.startswith("raw_")] == ["raw_0", "raw_1", "raw_2"]
    scores = {"raw_0": "450", "raw_1": "350", "raw_2": ""}
    sent = {f"player_{seat}": str(player.pk) for seat, player in enumerate(players[:3])} | scores
    sent |= {"client_key": str(uuid.uuid4()), "sticks_left": "0", "device": "a1b2c3"}
    shown = client.post(at(link, "preview/"), sent)
    assert shown.status_code == 200
    seen = client.get(at(link, "state/"), {"device": "b2c3d4"}).json()["typing"]
    assert seen["scores"] == ["450", "350", "250"]
    answer = send(link, sent)
    assert (answer.status_code, answer.json()["state"]) == (200, "saved")
    hanchan = Hanchan.objects.get()
    assert list(hanchan.seats.order_by("seat").values_list("raw_score", flat=True)) == [45000, 35000, 25000]
    receipt = client.get(answer.json()["receipt"])
    assert receipt.context["turns"] == (players[2],), "the one who goes out"
    turned = client.get(at(link), {"seats": "rotate"}).context["form"]
    assert [turned[f"player_{seat}"].value() for seat in range(3)] == [
        str(player.pk) for player in (*players[:2], players[3])
    ]


def test_what_three_could_not_send_is_held_and_completed(client: Client) -> None:
    league = make_league("sanma", card="tenhou-3p")
    players = make_players(league, 3)
    link = issue_link(session=make_session(league, league.day_of(timezone.now())), table=1, by=SYSTEM)
    sent = {f"player_{seat}": str(player.pk) for seat, player in enumerate(players)}
    sent |= {"raw_0": "450", "raw_1": "350", "raw_2": "249", "client_key": str(uuid.uuid4()), "sticks_left": "0"}
    assert send(link, sent).json()["state"] == "refused"
    assert send(link, sent | {"unsent": "1"}).json()["state"] == "held"
    client.force_login(make_user("ueno", league=league, role="scorer"))
    held = HeldResult.objects.get()
    page = client.get(f"/l/sanma/sessions/{link.session.pk}/enter/?table=1&held={held.pk}")
    assert [page.context["form"][f"raw_{seat}"].value() for seat in range(3)] == ["450", "350", "249"]
    client.post(f"/l/sanma/sessions/{link.session.pk}/enter/", sent | {"raw_2": "250", "do": "save"})
    held.refresh_from_db()
    assert held.hanchan == Hanchan.objects.get()
