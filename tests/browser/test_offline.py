"""Results in a real browser with the network cut at every step: nothing is lost, and exactly one hanchan arrives."""

import re
import uuid
from datetime import timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, HeldResult, Session, TableLink
from league.services.history import SYSTEM
from league.services.links import revoke_link
from league.services.results import void_hanchan
from tests.browser.evenings import played_tonight
from tests.browser.phones import (
    KEEPS_NOTHING,
    PLAIN_HTTP,
    OpenPhone,
    change_records,
    cut_after,
    cut_before,
    is_result,
    mend,
    open_phone,
    ready,
    records,
    save,
    say_state,
    states,
    type_scores,
    wait_while,
)
from tests.conftest import wait_until
from tests.league.entry_contexts import at, link_of, typed
from tests.league.factories import PASSWORD, play
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

__all__ = ["open_phone"]

OTHER = ("400", "300", "200")


@pytest.fixture
def evening(transactional_db: None) -> Session:
    """An open session of today, at whose table Aoki to Eguchi sat last and Eguchi won."""
    del transactional_db
    return played_tonight()


@pytest.fixture
def link(evening: Session) -> TableLink:
    """The link of the only table."""
    return link_of(evening)


def arrived(session: Session) -> int:
    """Return how many hanchan came in besides the one that was there."""
    return session.hanchan.count() - 1


def comes(session: Session, count: int = 1) -> None:
    """Wait until so many have arrived, and see that no more follow."""
    assert wait_until(lambda: arrived(session) >= count)
    assert arrived(session) == count


def go(page: Page, live_server: LiveServer, link: TableLink, prefix: str = "") -> str:
    """Open the entry page by the table's link; return its address."""
    address = f"{live_server.url}{prefix}{at(link)}"
    page.goto(address)
    ready(page)
    return address


# --- The number of taps ----------------------------------------------------------------------------------------------


def count_taps(page: Page) -> None:
    """Let the page count what fingers do: keys of the keyboard on the screen, and taps."""
    page.evaluate("""() => {
      globalThis.taps = 0;
      addEventListener("keydown", () => taps++, true);
      addEventListener("pointerdown", () => taps++, true);
      addEventListener("pagehide", () => sessionStorage.setItem("taps", taps));
    }""")


@pytest.mark.parametrize("prefix", ["", "/en"], ids=["ja", "en"])
@pytest.mark.parametrize(("mode", "taps"), [("fast", 12), ("strict", 16)], ids=["fast", "strict"])
def test_a_hanchan_takes_so_many_taps(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink, mode: str, taps: int, prefix: str
) -> None:
    league = link.session.league
    league.entry_mode = mode
    league.save()
    page = open_phone()
    go(page, live_server, link, prefix)
    expect(page.locator("[name=raw_0]")).to_be_focused()
    count_taps(page)
    scores = ("317", "313", "255", "115")[: 3 if mode == "fast" else 4]
    for number, digits in enumerate(scores):
        page.keyboard.type(digits)
        if number < len(scores) - 1:
            page.keyboard.press("Enter")
    button = page.locator("#save").bounding_box()
    assert button is not None
    assert button["y"] + button["height"] <= 640
    assert page.evaluate("scrollY") == 0
    save(page)
    page.wait_for_url("**/done/**")
    assert page.evaluate("Number(sessionStorage.getItem('taps'))") == taps
    comes(link.session)


# --- The network cut at every step -----------------------------------------------------------------------------------


@pytest.mark.parametrize("lacks", ["", PLAIN_HTTP], ids=["https", "plain http"])
def test_a_reload_brings_back_what_was_typed(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink, lacks: str
) -> None:
    page = open_phone(lacks=lacks)
    go(page, live_server, link)
    type_scores(page)
    page.select_option("[name=player_3]", "guest")
    page.fill("[name=guest_3]", "大西")
    say_state(page, "draft")
    key = page.locator("[name=client_key]").input_value()
    assert wait_until(lambda: ["guest_3", "大西"] in records(page)[0]["fields"])
    page.reload()
    say_state(page, "restored")
    assert page.locator("[name=client_key]").input_value() == key
    assert [page.locator(f"[name=raw_{seat}]").input_value() for seat in range(4)] == ["317", "313", "255", "115"]
    assert page.locator("[name=guest_3]").input_value() == "大西"
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)
    assert states(page) == ["sent"]


def test_a_draft_can_be_discarded(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    go(page, live_server, link)
    type_scores(page)
    say_state(page, "draft")
    page.reload()
    page.tap("[data-discard]")
    expect(page.locator("[name=raw_0]")).to_have_value("")
    page.reload()
    ready(page)
    assert page.locator("[name=raw_0]").input_value() == ""
    assert records(page) == []


def test_a_saved_result_is_no_draft_to_be_discarded(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    go(page, live_server, link)
    type_scores(page)
    say_state(page, "draft")
    page.reload()
    expect(page.locator("[data-discard]")).to_be_visible()
    page.context.set_offline(True)
    save(page)
    say_state(page, "unsent")
    expect(page.locator("[data-discard]")).to_be_hidden()
    # Even a tap that comes through drops nothing: the result is no draft any more.
    page.evaluate("document.querySelector('[data-discard]').click()")
    page.wait_for_timeout(200)
    assert states(page) == ["unsent"]
    page.context.set_offline(False)
    comes(link.session)


def test_a_draft_that_another_tab_has_saved_is_not_discarded(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    address = go(page, live_server, link)
    type_scores(page)
    say_state(page, "draft")
    other = page.context.new_page()
    other.goto(address)
    say_state(other, "restored")
    cut_before(page)
    cut_before(other)
    save(page)
    say_state(page, "unsent")
    other.tap("[data-discard]")
    expect(other.locator("[name=raw_0]")).to_have_value("")
    assert states(page) == ["unsent"]


@pytest.mark.parametrize("lacks", ["", PLAIN_HTTP], ids=["https", "plain http"])
def test_without_network_the_evening_goes_on(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink, lacks: str
) -> None:
    page = open_phone(lacks=lacks)
    go(page, live_server, link)
    page.context.set_offline(True)
    type_scores(page)
    save(page)
    expect(page.locator(".kept h2")).to_have_text("未送信")
    expect(page.locator(".kept h2")).to_be_focused()
    expect(page.locator(".kept [data-why]")).to_contain_text("この端末に保存しました")
    expect(page.locator("[data-outbox-line]")).to_contain_text("未送信 1件")
    page.tap("[data-next]")
    expect(page.locator("#round")).to_have_text("3回戦")
    type_scores(page, OTHER)
    save(page)
    expect(page.locator("[data-outbox-line]")).to_contain_text("未送信 2件")
    assert arrived(link.session) == 0
    page.context.set_offline(False)
    comes(link.session, 2)
    expect(page.locator(".kept h2")).to_have_text("送信済み")
    expect(page.locator("[data-outbox-line]")).to_be_hidden()
    first, second = link.session.hanchan.order_by("-pk")[:2][::-1]
    assert first.seats.get(seat=0).raw_score == 31700
    assert second.seats.get(seat=0).raw_score == 40000
    assert first.played_at < second.played_at


def test_what_waits_on_the_phone_counts_as_played(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    keep_one(page, live_server, link)
    expect(page.locator("#round")).to_have_text("2回戦")
    page.reload()
    ready(page)
    expect(page.locator("#round")).to_have_text("3回戦")
    type_scores(page, OTHER)
    save(page)
    say_state(page, "unsent")
    expect(page.locator(".kept [data-slot=round]")).to_have_text("3回戦")
    # Somebody else is quicker: the server numbers what it gets.
    play(link.session, (20000, 10000, 40000, 30000), list(link.session.league.players.order_by("pk")[:4]))
    mend(page)
    say_state(page, "sent")
    expect(page.locator(".kept [data-slot=round]")).to_have_text("4回戦")
    comes(link.session, 3)
    page.tap("[data-next]")
    expect(page.locator("#round")).to_have_text("5回戦")
    page.goto(f"{live_server.url}/e/outbox/")
    expect(page.locator("#results [data-slot=round]")).to_have_text(["4回戦", "3回戦"])


def test_a_bust_is_asked_about_without_network(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    go(page, live_server, link)
    page.context.set_offline(True)
    type_scores(page, ("600", "250", "160"))
    question = page.locator("#busts fieldset")
    expect(question).to_have_count(1)
    expect(question).to_contain_text("江口")
    save(page)
    say_state(page, "unanswered")
    expect(page.locator("#desk-state")).to_contain_text("江口")
    question.locator("[name=bust_3_by][value='0']").check()
    save(page)
    expect(page.locator(".kept h2")).to_have_text("未送信")
    page.context.set_offline(False)
    comes(link.session)
    bust = link.session.hanchan.order_by("-pk")[0].incidents.get()
    assert (bust.seat, bust.detail) == (3, {"by": "win", "winners": [0]})


def test_what_cannot_be_complete_stays_a_draft(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    go(page, live_server, link)
    page.context.set_offline(True)
    page.tap("[name=raw_0]")
    page.keyboard.type("317")
    save(page)
    say_state(page, "incomplete")
    assert states(page) == ["draft"]
    assert page.locator("[name=raw_0]").input_value() == "317"


def test_a_send_that_dies_on_the_way_is_repeated(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    go(page, live_server, link)
    cut_before(page)
    type_scores(page)
    save(page)
    say_state(page, "unsent")
    assert arrived(link.session) == 0
    mend(page)
    comes(link.session)
    say_state(page, "sent")


@pytest.mark.parametrize("lacks", ["", PLAIN_HTTP], ids=["https", "plain http"])
def test_a_lost_answer_makes_no_second_hanchan(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink, lacks: str
) -> None:
    page = open_phone(lacks=lacks)
    go(page, live_server, link)
    heard = cut_after(page)
    type_scores(page)
    save(page)
    say_state(page, "unsent")
    page.tap("[data-send]")
    wait_while(page, lambda: len(heard) < 2)
    assert heard == [200, 200]
    # The page has to notice that the answer is lost before the network is back, else it waits for its next turn.
    expect(page.locator("[data-send]")).not_to_have_attribute("aria-busy", "true")
    mend(page)
    say_state(page, "sent")
    assert arrived(link.session) == 1
    assert [record["receipt"] for record in records(page)] == [at(link, "table_receipt", _newest(link).pk)]


def _newest(link: TableLink) -> Hanchan:
    return link.session.hanchan.latest("pk")


def test_without_the_key_the_same_would_be_two(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    """The control: it is the key that keeps a repeated result from becoming another hanchan."""
    page = open_phone()
    address = go(page, live_server, link)
    sent: dict[str, Any] = typed(link.session.league) | {"do": "another"}
    for key in (sent["client_key"], sent["client_key"]):
        page.request.post(address, form=sent | {"client_key": key}, headers={"Accept": "application/json"})
    assert arrived(link.session) == 1
    for key in (str(uuid.uuid4()), str(uuid.uuid4())):
        page.request.post(address, form=sent | {"client_key": key}, headers={"Accept": "application/json"})
    assert arrived(link.session) == 3


@pytest.mark.parametrize("lacks", ["", PLAIN_HTTP], ids=["https", "plain http"])
def test_a_reload_while_it_is_sent_makes_no_second_one(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink, lacks: str
) -> None:
    page = open_phone(lacks=lacks)
    address = go(page, live_server, link)
    stuck: list[Route] = []

    def hold(route: Route) -> None:
        if is_result(route) and not stuck:
            route.fetch()
            stuck.append(route)
        else:
            route.fallback()

    page.route("**/*", hold)
    type_scores(page)
    save(page)
    wait_while(page, lambda: not stuck)
    comes(link.session)
    page.goto(address)
    if lacks:
        # Without locks nobody knows that the other page is gone: its claim lapses.
        change_records(page, "{ tried_at: 0 }")
        page.evaluate("dispatchEvent(new Event('online'))")
    assert wait_until(lambda: states(page) == ["sent"])
    assert arrived(link.session) == 1


def test_two_presses_are_one_result(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    go(page, live_server, link)
    type_scores(page)
    page.evaluate("() => { const save = document.getElementById('save'); save.click(); save.click(); save.click(); }")
    page.wait_for_url("**/done/**")
    comes(link.session)


def test_two_tabs_with_one_draft_lose_nothing(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    address = go(page, live_server, link)
    type_scores(page)
    say_state(page, "draft")
    other = page.context.new_page()
    other.goto(address)
    say_state(other, "restored")
    save(page)
    page.wait_for_url("**/done/**")
    save(other)
    other.wait_for_url("**/done/**")
    assert arrived(link.session) == 1
    # The same again, but the second tab goes on with another result under what was one draft.
    page.goto(address)
    type_scores(page, OTHER)
    say_state(page, "draft")
    other.goto(address)
    say_state(other, "restored")
    save(page)
    page.wait_for_url("**/done/**")
    for seat, digits in enumerate(("500", "200", "200")):
        other.fill(f"[name=raw_{seat}]", digits)
    save(other)
    other.wait_for_url("**/done/**")
    assert arrived(link.session) == 3


def test_a_replay_after_a_week_is_still_one(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    address = go(page, live_server, link)
    cut_after(page)
    type_scores(page)
    save(page)
    say_state(page, "unsent")
    comes(link.session)
    week_ago = (timezone.now() - timedelta(days=7)).isoformat()
    change_records(page, f"{{ entered_at: '{week_ago}' }}")
    TableLink.objects.update(expires_at=timezone.now() - timedelta(days=6))
    page.unroute_all(behavior="ignoreErrors")
    page.goto(f"{live_server.url}/e/outbox/")
    assert wait_until(lambda: states(page) == ["sent"])
    assert arrived(link.session) == 1
    page.goto(address)
    assert page.locator("form.entry").count() == 0


# --- Links that end, people who are logged out, results that need a person -------------------------------------------


def test_an_ended_link_still_takes_what_was_typed(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    keep_one(page, live_server, link)
    TableLink.objects.update(expires_at=timezone.now())
    mend(page)
    say_state(page, "sent")
    expect(page.locator("[data-receipt]")).to_be_hidden()
    comes(link.session)


def test_a_revoked_link_takes_nothing_and_nothing_is_lost(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    go(page, live_server, link)
    type_scores(page)
    revoke_link(link=link, by=SYSTEM)
    save(page)
    say_state(page, "ended")
    expect(page.locator(".kept h2")).to_have_text("リンク終了")
    assert page.locator(".kept").inner_text().count("この卓のリンクは終了しました") == 1
    expect(page.locator("[data-next]")).to_be_hidden()
    assert states(page) == ["ended"]
    assert arrived(link.session) == 0
    address = handed_address(page)
    page.reload()
    expect(page.locator("h1")).to_have_text("終了したリンクです")
    expect(page.locator("[data-outbox-line] [role=status]")).to_contain_text("1")
    page.tap("[data-outbox-line] a")
    expect(page.locator("#results > li")).to_have_attribute("data-state", "ended")
    scorer = open_phone()
    scorer.goto(f"{live_server.url}/l/camarade/sessions/{link.session.pk}/enter/")
    log_in(scorer)
    scorer.goto(address)
    scorer.tap("[data-take]")
    expect(scorer.locator("#handed [data-why]")).to_contain_text("ご自分の名前で")
    assert arrived(link.session) == 0
    scorer.tap("[data-open]")
    say_state(scorer, "restored")
    assert scorer.locator("[name=raw_0]").input_value() == "317"
    save(scorer)
    scorer.wait_for_url("**/done/**")
    comes(link.session)


def test_a_held_result_that_somebody_completed_is_sent(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    keep_one(page, live_server, link)
    Session.objects.update(state=Session.State.CLOSED)
    mend(page)
    say_state(page, "held")
    page.goto(f"{live_server.url}/e/outbox/")
    expect(page.locator("#results > li")).to_have_attribute("data-state", "held")
    Session.objects.update(state=Session.State.OPEN)
    (record,) = records(page)
    sent = dict(record["fields"]) | {"client_key": record["client_key"], "do": "save"}
    scorer = Client()
    scorer.force_login(User.objects.get(username="ueno"))
    scorer.post(f"/l/camarade/sessions/{link.session.pk}/enter/", sent)
    assert arrived(link.session) == 1
    page.reload()
    expect(page.locator("#results > li")).to_have_attribute("data-state", "sent")
    assert states(page) == ["sent"]


def test_a_result_for_a_closed_session_is_held(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    go(page, live_server, link)
    page.context.set_offline(True)
    type_scores(page)
    save(page)
    say_state(page, "unsent")
    Session.objects.update(state=Session.State.CLOSED)
    page.context.set_offline(False)
    say_state(page, "held")
    expect(page.locator(".kept h2")).to_have_text("保留中")
    assert HeldResult.objects.count() == 1
    assert arrived(link.session) == 0


def test_what_the_server_refuses_is_said_by_its_own_page(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    go(page, live_server, link)
    page.tap("[name=raw_0]")
    page.keyboard.type("317")
    save(page)
    expect(page.locator("#errors")).to_be_visible()
    assert page.locator("[name=raw_0]").input_value() == "317"
    page.fill("[name=raw_0]", "")
    type_scores(page)
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)


def test_an_equal_result_is_asked_about(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    address = go(page, live_server, link)
    for saves_another in (False, True):
        page.goto(address)
        type_scores(page)
        save(page)
        if saves_another:
            page.tap("button[value=another]")
        page.wait_for_url("**/done/**")
    comes(link.session, 2)
    page.goto(address)
    type_scores(page)
    save(page)
    page.tap("[data-saved-one]")
    page.wait_for_url("**/done/**")
    assert arrived(link.session) == 2
    page.goto(address)
    assert page.locator("[name=raw_0]").input_value() == ""


def test_a_scorer_logged_out_meanwhile_sends_after_logging_in(
    open_phone: OpenPhone, live_server: LiveServer, evening: Session
) -> None:
    page = open_phone()
    address = f"{live_server.url}/l/camarade/sessions/{evening.pk}/enter/"
    page.goto(address)
    log_in(page)
    ready(page)
    type_scores(page)
    page.context.clear_cookies()
    save(page)
    say_state(page, "login")
    assert arrived(evening) == 0
    page.tap("[data-login]")
    log_in(page)
    comes(evening)


def log_in(page: Page) -> None:
    """Log in as the scorer."""
    page.fill("[name=username]", "ueno")
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/enter/**")


def test_a_browser_that_keeps_nothing_still_saves(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone(lacks=KEEPS_NOTHING)
    page.goto(f"{live_server.url}{at(link)}")
    say_state(page, "keeps_nothing")
    # The network comes back, and there is nothing to send: no script falls over that (open_phone looks).
    page.evaluate("dispatchEvent(new Event('online'))")
    type_scores(page)
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)


# --- The list on the phone, and another phone ------------------------------------------------------------------------


def keep_one(page: Page, live_server: LiveServer, link: TableLink) -> None:
    """Type a result without a network, so that it waits on the phone."""
    go(page, live_server, link)
    cut_before(page)
    type_scores(page)
    save(page)
    say_state(page, "unsent")


def test_the_list_sends_mends_and_removes(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    keep_one(page, live_server, link)
    page.goto(f"{live_server.url}/e/outbox/")
    expect(page.locator("#results .tag")).to_have_text("未送信")
    expect(page.locator("#results")).to_contain_text("青木 31,700")
    expect(page.locator("[data-act=remove]")).to_be_hidden()
    change_records(page, f"{{ entered_at: '{(timezone.now() - timedelta(hours=25)).isoformat()}' }}")
    page.reload()
    expect(page.locator("#results")).to_contain_text("1日以上送信できていません")
    page.tap("[data-act=mend]")
    say_state(page, "restored")
    page.fill("[name=raw_0]", "327")
    page.fill("[name=raw_1]", "303")
    page.unroute_all(behavior="ignoreErrors")
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)
    assert _newest(link).seats.get(seat=0).raw_score == 32700
    page.goto(f"{live_server.url}/e/outbox/")
    expect(page.locator("#results .tag")).to_have_text(re.compile("送信済み|確認待ち"))
    page.on("dialog", lambda dialog: dialog.accept())
    page.tap("[data-act=remove]")
    expect(page.locator("#no-results")).to_be_visible()
    assert arrived(link.session) == 1


def handed_address(page: Page) -> str:
    """Return the address behind the code that the phone shows."""
    page.tap("[data-hand]")
    expect(page.locator(".handing-code svg")).to_be_visible()
    address = page.locator("[data-address]").input_value()
    page.tap("[data-close]")
    expect(page.locator("dialog")).to_have_count(0)
    return address


@pytest.mark.parametrize(
    ("prefix", "written"),
    [
        pytest.param("", "2025/11/02(日) 00:12", id="ja"),
        pytest.param("/en", "Sun 2 Nov 2025 00:12", id="en"),
    ],
)
def test_the_list_writes_moments_as_other_pages_do(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink, prefix: str, written: str
) -> None:
    page = open_phone()
    keep_one(page, live_server, link)
    change_records(page, "{ entered_at: new Date(2025, 10, 2, 0, 12).toISOString() }")
    page.goto(f"{live_server.url}{prefix}/e/outbox/")
    expect(page.locator("#results [data-slot=moment]")).to_have_text(written)


@pytest.mark.parametrize("lacks", ["", PLAIN_HTTP], ids=["https", "plain http"])
def test_two_phones_with_one_result_are_one(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink, lacks: str
) -> None:
    page, other = open_phone(lacks=lacks), open_phone(lacks=lacks)
    keep_one(page, live_server, link)
    address = handed_address(page)
    assert len(address) < 1200
    other.goto(address)
    expect(other.locator("#handed")).to_contain_text("青木 31,700")
    assert arrived(link.session) == 0
    other.tap("[data-take]")
    expect(other.locator("#hand-state")).to_have_text("送信済み")
    comes(link.session)
    mend(page)
    say_state(page, "sent")
    other.tap("[data-receipt]")
    other.wait_for_url("**/done/**")
    assert arrived(link.session) == 1


def test_a_code_shows_the_scores_that_it_would_send(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    keep_one(page, live_server, link)
    session = link.session
    own = f"/l/{session.league.slug}/sessions/{session.pk}/enter/?table=1"
    forged = page.evaluate(
        """([text, url]) => {
          const [head, tail] = text.split("#");
          const said = JSON.parse(new TextDecoder().decode(Uint8Array.from(
            atob(tail.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0))));
          said[2] = url;
          said[6][2] = said[6][2].map(([name]) => [name, "25,000"]);
          const bytes = new TextEncoder().encode(JSON.stringify(said));
          return `${head}#${btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")}`;
        }""",
        [handed_address(page), own],
    )
    other = open_phone()
    other.goto(forged)
    expect(other.locator("#handed")).to_contain_text("31,700")
    expect(other.locator("#handed")).not_to_contain_text("25,000")
    expect(other.locator("[data-take]")).to_be_hidden()
    address = str(other.locator("[data-open]").get_attribute("href"))
    assert address.startswith(own)
    assert "raw_0=317" in address


def test_a_code_leads_nowhere_but_to_tables(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    keep_one(page, live_server, link)
    address = handed_address(page)
    spoiled = page.evaluate(
        """(text) => {
          const [head, tail] = text.split("#");
          const said = JSON.parse(new TextDecoder().decode(Uint8Array.from(
            atob(tail.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0))));
          said[2] = "/accounts/logout/";
          const bytes = new TextEncoder().encode(JSON.stringify(said));
          return `${head}#${btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")}`;
        }""",
        address,
    )
    other = open_phone()
    for text in (spoiled, address[:-20], address.split("#")[0] + "#nonsense"):
        other.goto("about:blank")
        other.goto(text)
        expect(other.locator("#handed")).to_contain_text("読み取れません")
    assert records(other) == []


def test_a_second_phone_sees_what_happens(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
    first, second = open_phone(), open_phone()
    go(first, live_server, link)
    go(second, live_server, link)
    type_scores(first)
    expect(second.locator("#elsewhere")).to_contain_text("入力", timeout=15_000)
    expect(second.locator("#elsewhere")).to_contain_text("317")
    together = second.locator("#elsewhere span").first
    expect(together).to_have_text("青木 317")
    expect(together).to_have_css("display", "inline-block")
    save(first)
    first.wait_for_url("**/done/**")
    expect(second.locator("#news")).to_contain_text("2回戦が登録されました", timeout=15_000)
    expect(second.locator("#elsewhere p").first).to_be_empty()
    expect(second.locator("#round")).to_have_text("3回戦", timeout=15_000)
    first.tap("[data-undo] button")
    expect(second.locator("#news [data-hanchan]")).to_have_count(0, timeout=15_000)
    expect(second.locator("#round")).to_have_text("2回戦")


def test_news_of_a_reload_go_with_what_they_tell(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    go(page, live_server, link)
    told = page.locator("#news [data-hanchan]")
    expect(told).to_have_attribute("data-hanchan", str(_newest(link).pk))
    expect(page.locator("#round")).to_have_text("2回戦")
    void_hanchan(hanchan=_newest(link), by=SYSTEM, reason="mistake")
    expect(told).to_have_count(0, timeout=15_000)
    expect(page.locator("#round")).to_have_text("1回戦")


# --- The service worker ----------------------------------------------------------------------------------------------


def at_work(page: Page) -> bool:
    """Return whether the worker answers for the page before long."""
    return wait_until(lambda: bool(page.evaluate("navigator.serviceWorker.controller !== null")))


def controlled(page: Page) -> None:
    """Wait until the worker is at work and has kept the page."""
    assert at_work(page)
    assert wait_until(lambda: kept_pages(page) != [])


def test_one_visit_is_enough_to_work_without_network(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone(workers="allow")
    go(page, live_server, link)
    controlled(page)
    page.context.set_offline(True)
    page.reload()
    ready(page)
    type_scores(page)
    save(page)
    say_state(page, "unsent")
    first = records(page)[0]["client_key"]
    # Gone and come back: the page from the phone's store carries an old key, and must not use it again.
    page.reload()
    ready(page)
    type_scores(page, OTHER)
    save(page)
    say_state(page, "unsent")
    assert len({record["client_key"] for record in records(page)} | {first}) == 2
    page.goto(f"{live_server.url}/e/outbox/")
    expect(page.locator("#results > li")).to_have_count(2)
    page.goto(f"{live_server.url}/l/camarade/players/")
    expect(page.locator("h1")).to_have_text("電波がありません")
    page.goto(f"{live_server.url}/en/l/camarade/players/")
    expect(page.locator("h1")).to_have_text("No network")
    assert arrived(link.session) == 0
    page.context.set_offline(False)
    page.goto(f"{live_server.url}/l/camarade/players/")
    comes(link.session, 2)


def kept_pages(page: Page) -> list[str]:
    """Return the addresses of people's pages that the phone keeps."""
    found: list[str] = page.evaluate("""async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith("tenbo-pages"));
      const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return lists.flat().map((request) => new URL(request.url).pathname);
    }""")
    return found


def test_logging_out_leaves_nobodys_pages(open_phone: OpenPhone, live_server: LiveServer, evening: Session) -> None:
    page = open_phone(workers="allow")
    page.goto(f"{live_server.url}/l/camarade/enter/")
    log_in(page)
    assert at_work(page)
    page.goto(f"{live_server.url}/l/camarade/standings/all/")
    page.goto(f"{live_server.url}/l/camarade/manage/")
    address = f"{live_server.url}/l/camarade/sessions/{evening.pk}/enter/"
    page.goto(address)
    assert wait_until(lambda: len(kept_pages(page)) == 2)
    assert sorted(kept_pages(page)) == [
        f"/l/camarade/sessions/{evening.pk}/enter/",
        "/l/camarade/standings/all/",
    ]
    page.goto(f"{live_server.url}/")
    with page.expect_navigation():
        page.evaluate("document.querySelector('form[action*=logout]').requestSubmit()")
    assert wait_until(lambda: kept_pages(page) == [])
    page.context.set_offline(True)
    page.goto(address)
    expect(page.locator("h1")).to_have_text("電波がありません")
    assert "ueno" not in page.content()


def test_a_page_that_comes_filled_in_is_not_kept(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone(workers="allow")
    address = go(page, live_server, link)
    controlled(page)
    before = kept_pages(page)
    type_scores(page)
    save(page)
    page.wait_for_url("**/done/**")
    page.click("[data-undo] button")
    page.click("#again")
    page.wait_for_url("**?again=*")
    ready(page)
    # The worker has answered this page and a later one: what it keeps of the first it would have kept by now.
    page.goto(f"{live_server.url}/l/camarade/standings/all/")
    assert wait_until(lambda: "/l/camarade/standings/all/" in kept_pages(page))
    assert sorted(set(kept_pages(page))) == sorted({*before, "/l/camarade/standings/all/"})
    assert kept_pages(page).count(urlsplit(address).path) == 1


def test_a_page_that_is_closed_to_somebody_is_dropped(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone(workers="allow")
    address = go(page, live_server, link)
    controlled(page)
    revoke_link(link=link, by=SYSTEM)
    page.reload()
    assert wait_until(lambda: kept_pages(page) == [])
    page.context.set_offline(True)
    page.goto(address)
    expect(page.locator("h1")).to_have_text("電波がありません")


def shells(page: Page) -> list[str]:
    """Return the versions whose files the phone keeps, once the newest is at work."""
    found: list[str] = page.evaluate("""async () => {
      const { installing, waiting } = await navigator.serviceWorker.getRegistration();
      const names = (await caches.keys()).filter((name) => name.startsWith("tenbo-shell-"));
      return installing || waiting ? [] : names.map((name) => name.replace("tenbo-shell-", "")).sort();
    }""")
    return found


def _is_kept(page: Page, version: str) -> bool:
    return version in shells(page)


def test_a_new_version_takes_the_place_of_the_old(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_phone(workers="allow")
    go(page, live_server, link)
    controlled(page)
    type_scores(page)
    say_state(page, "draft")
    for version in ("second", "third"):
        monkeypatch.setattr("league.views.offline.appearance", partial(str, f'"{version}"'))
        page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
        assert wait_until(partial(_is_kept, page, version), 40)
    assert wait_until(lambda: shells(page) == ["second", "third"], 40)
    # The page that was open all the time goes on.
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)


def test_the_wall_reloads_without_network(
    open_phone: OpenPhone, live_server: LiveServer, transactional_db: None
) -> None:
    del transactional_db
    sessions = draw_and_plan(make_tournament(), "qualifying", seed=7)
    play_table(sessions[0], 1, 1, by_entry(sessions[0].tournament))
    page = open_phone(workers="allow")
    page.goto(f"{live_server.url}/l/cinderella/t/t1/wall/?show=standings&block=A")
    expect(page.locator("#badge")).to_contain_text("LIVE")
    controlled(page)
    before = page.locator("tbody").inner_text()
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#badge")).to_contain_text("通信待ち")
    assert page.locator("tbody").inner_text() == before
    page.context.set_offline(False)
    expect(page.locator("#badge")).to_contain_text("LIVE")
