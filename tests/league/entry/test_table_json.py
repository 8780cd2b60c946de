from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from league.models import Confirmation, Hanchan, HeldResult, League, Player, Revision, Seat, Session, TableLink
from league.selectors.entry import recorded_under
from league.services import held_results
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from league.services.results import void_hanchan
from league.views.receipts import UNDO_GRACE, UNDO_SECONDS
from tests.conftest import needs_postgresql
from tests.league.entry_contexts import EVENING, JSON, at, link_of, typed, url
from tests.league.factories import correct, logged_in, make_league, make_players, make_session, play
from tests.league.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def link() -> Iterator[TableLink]:
    league = make_league()
    make_players(league, 4)
    with time_machine.travel(EVENING, tick=False):
        yield link_of(make_session(league, EVENING.date(), tables=2))


def send(address: str, sent: dict[str, Any], client: Client | None = None) -> tuple[int, dict[str, Any]]:
    answer = (client or Client(enforce_csrf_checks=True)).post(address, sent, headers=JSON)
    return answer.status_code, answer.json()


def page_of(session: Session, name: str = "enter_session") -> str:
    return url(name, session.league, session.pk)


def test_result_sent_by_link_and_page_is_saved_once(link: TableLink) -> None:
    sent = typed(link.session.league, player_3="guest", guest_3="小川")
    first = send(at(link), sent)
    second = send(page_of(link.session), sent, logged_in(link.session.league, "scorer"))
    assert (first[0], first[1]["new"]) == (200, True)
    assert (second[0], second[1]["new"]) == (200, False)
    assert first[1]["hanchan"] == second[1]["hanchan"]
    assert Player.objects.filter(name="小川").count() == 1


def test_result_by_link_is_recorded_for_the_link_not_the_user(link: TableLink) -> None:
    owner = logged_in(link.session.league, "owner")
    status, said = send(at(link), typed(link.session.league, device="a1b2c3"), owner)
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


def test_resent_result_reports_that_it_was_voided(link: TableLink) -> None:
    sent = typed(link.session.league)
    hanchan = Hanchan.objects.get(pk=send(at(link), sent)[1]["hanchan"])
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")
    status, said = send(at(link), sent | {"unsent": "1"})
    assert (status, said["state"], said["standing"], said["new"]) == (200, "saved", "voided", False)


def test_resent_result_moved_to_another_table_counts_as_saved(link: TableLink) -> None:
    sent = typed(link.session.league)
    number = send(at(link), sent)[1]["hanchan"]
    Hanchan.objects.filter(pk=number).update(table=2)
    Session.objects.update(state=Session.State.CLOSED)
    status, said = send(at(link), sent | {"unsent": "1"})
    assert (status, said["state"], said["hanchan"], said["receipt"]) == (200, "saved", number, "")
    assert Client().post(at(link), sent)["Location"] == at(link)
    assert Hanchan.objects.count() == 1
    assert not HeldResult.objects.exists()


def test_key_of_another_league_is_refused(link: TableLink) -> None:
    other = play(make_session(make_league("other")))
    status, said = send(at(link), typed(link.session.league, client_key=str(other.client_key)))
    assert (status, said["state"]) == (422, "refused")
    assert link.session.hanchan.count() == 0


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_same_result_from_many_phones_at_once_is_saved_once() -> None:
    league = make_league()
    make_players(league, 4)
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
    league = make_league()
    make_players(league, 4)
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


def test_held_result_is_completed_by_a_scorer(link: TableLink) -> None:
    sent = typed(link.session.league, "317", "313", "255", "999", note="卓上の写真あり")
    for _time in range(2):
        send(at(link), sent | {"unsent": "1", "entered_at": EVENING.isoformat()})
    kept = HeldResult.objects.get()
    scorer = logged_in(link.session.league, "scorer")
    with time_machine.travel(EVENING + timedelta(days=1), tick=False):
        page = scorer.get(f"{page_of(link.session)}?table=1&held={kept.pk}")
        shown = [page.context["form"][name].value() for name in ("raw_3", "client_key", "note")]
        assert shown == ["999", sent["client_key"], "卓上の写真あり"]
        assert page.context["shows_errors"]
        status, said = send(page_of(link.session), sent | {"raw_3": "115"}, scorer)
    assert (status, said["new"]) == (200, True)
    assert Hanchan.objects.get().played_at == EVENING
    kept.refresh_from_db()
    assert kept.hanchan_id == said["hanchan"]
    assert kept.settled_by == "scorer"
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
    answers = [send(at(link), typed(link.session.league, do="another"))[0] for _ in range(21)]
    assert answers == [200] * 20 + [429]
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
        pytest.param("2025-02-30T10:00:00Z", None, id="no such day"),
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


def test_preview_sent_after_its_result_is_ignored(link: TableLink) -> None:
    sent = typed(link.session.league, device="aaaa")
    send(at(link), sent)
    Client().post(at(link, "table_preview"), sent)
    assert Client().get(at(link, "table_state"), {"device": "bbbb"}).json()["typing"] is None


def planned(size: int = 4, **league: Any) -> tuple[TableLink, list[Player]]:
    """Return a table link of tonight's session, with all players but the last planned."""
    created = make_league("turns", **league)
    players = make_players(created, size + 1)
    session = make_session(created, created.day_of(datetime.now(UTC)))
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:size]), waiting=(players[size],))], by=SYSTEM)
    return link_of(session), players


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
    link, players = planned(size=size, card=card)
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
    number = send(at(link), typed(link.session.league))[1]["hanchan"]
    receipt = at(link, "table_receipt", number)
    with time_machine.travel(EVENING + timedelta(minutes=2), tick=False):
        assert receipt in Client().get(at(link)).content.decode()
        assert receipt not in Client().get(at(link), {"seats": "same"}).content.decode()
    with time_machine.travel(EVENING + timedelta(minutes=4), tick=False):
        assert receipt not in Client().get(at(link)).content.decode()
