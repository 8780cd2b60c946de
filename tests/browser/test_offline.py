"""Result entry with the network cut: nothing typed is lost, and exactly one hanchan is stored.

How the outbox handles each response and schedules retries is tested without a browser in tests/scripts.
"""

import time
from functools import partial
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Session, TableLink
from league.services.history import SYSTEM
from league.services.links import revoke_link
from league.services.planning import TablePlan, plan_tables
from tests.browser.evenings import arrived, comes
from tests.browser.phones import (
    KEEPS_NOTHING,
    PLAIN_HTTP,
    go,
    log_in,
    ready,
    records,
    save,
    say_state,
    states,
    tap_into,
    type_scores,
)
from tests.conftest import OpenPage
from tests.deadlines import wait_until
from tests.league.entry_contexts import at
from tests.league.factories import play
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OTHER = ("400", "300", "200")


@pytest.mark.long
@pytest.mark.parametrize("lacks", ["", PLAIN_HTTP], ids=["https", "plain http"])
def test_draft_survives_a_reload(open_phone: OpenPage, live_server: LiveServer, link: TableLink, lacks: str) -> None:
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
    # Pressing two or three times stores one result.
    page.evaluate("() => { const save = document.getElementById('save'); save.click(); save.click(); save.click(); }")
    page.wait_for_url("**/done/**")
    comes(link.session)
    assert states(page) == ["sent"]


@pytest.mark.long
def test_draft_can_be_discarded(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
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


@pytest.mark.merge
@pytest.mark.parametrize("lacks", ["", PLAIN_HTTP], ids=["https", "plain http"])
def test_session_continues_offline(open_phone: OpenPage, live_server: LiveServer, link: TableLink, lacks: str) -> None:
    page = open_phone(lacks=lacks)
    go(page, live_server, link)
    page.context.set_offline(True)
    type_scores(page)
    save(page)
    expect(page.locator(".kept h2")).to_have_text("未送信")
    expect(page.locator(".kept h2")).to_be_focused()
    expect(page.locator(".kept [data-why]")).to_contain_text("この端末に保存しました")
    expect(page.locator("[data-unsent-banner]")).to_contain_text("未送信 1件")
    expect(page.locator("#round")).to_have_text("2回戦")
    page.tap("[data-next]")
    expect(page.locator("#round")).to_have_text("3回戦")
    type_scores(page, OTHER)
    save(page)
    expect(page.locator("[data-unsent-banner]")).to_contain_text("未送信 2件")
    expect(page.locator(".kept [data-slot=round]")).to_have_text("3回戦")
    assert arrived(link.session) == 0
    # Other tables play; this one keeps its round numbers.
    play(link.session, (20000, 10000, 40000, 30000), table=2, round=2)
    page.context.set_offline(False)
    comes(link.session, 3)
    expect(page.locator(".kept h2")).to_have_text("送信済み")
    expect(page.locator(".kept [data-slot=round]")).to_have_text("3回戦")
    expect(page.locator("[data-unsent-banner]")).to_be_hidden()
    first, second = link.session.hanchan.order_by("-pk")[:2][::-1]
    assert first.seats.get(seat=0).raw_score == 31700
    assert second.seats.get(seat=0).raw_score == 40000
    assert first.played_at < second.played_at
    page.tap("[data-next]")
    expect(page.locator("#round")).to_have_text("4回戦")
    page.goto(f"{live_server.url}/e/outbox/")
    expect(page.locator("#results [data-slot=round]")).to_have_text(["3回戦", "2回戦"])


@pytest.mark.long
def test_missing_fields_are_reported_offline(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    go(page, live_server, link)
    page.context.set_offline(True)
    tap_into(page, "[name=raw_0]")
    page.keyboard.type("317")
    save(page)
    say_state(page, "incomplete")
    assert states(page) == ["draft"]
    assert page.locator("[name=raw_0]").input_value() == "317"
    page.fill("[name=raw_0]", "")
    type_scores(page, ("600", "250", "160"))
    question = page.locator("#busts fieldset")
    expect(question).to_have_count(1)
    expect(question).to_contain_text("江口")
    save(page)
    say_state(page, "unanswered")
    expect(page.locator("#entry-state")).to_contain_text("江口")
    question.locator("[name=bust_3_by][value='0']").check()
    save(page)
    expect(page.locator(".kept h2")).to_have_text("未送信")
    page.context.set_offline(False)
    comes(link.session)
    bust = link.session.hanchan.order_by("-pk")[0].incidents.get()
    assert (bust.seat, bust.detail) == (3, {"by": "win", "winners": [0]})


def late(route: Route) -> None:
    time.sleep(1)
    route.fallback()


@pytest.mark.long
def test_questions_open_on_the_entry_page(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    address = go(page, live_server, link)
    tap_into(page, "[name=raw_0]")
    page.keyboard.type("317")
    save(page)
    expect(page.locator("#errors")).to_be_visible()
    assert page.locator("[name=raw_0]").input_value() == "317"
    page.fill("[name=raw_0]", "")
    type_scores(page)
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)
    page.goto(address)
    ready(page)
    type_scores(page)
    save(page)
    page.tap("button[value=another]")
    page.wait_for_url("**/done/**")
    comes(link.session, 2)
    page.goto(address)
    ready(page)
    type_scores(page)
    save(page)
    expect(page.locator("[data-saved-one]")).to_be_visible()
    ready(page)
    # On a slow network the page stays open, and must not store the result again.
    page.route("**/done/**", late)
    page.tap("[data-saved-one]")
    page.wait_for_url("**/done/**")
    assert arrived(link.session) == 2
    page.goto(address)
    assert page.locator("[name=raw_0]").input_value() == ""


@pytest.mark.long
def test_draft_of_a_finished_table_can_be_saved(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    seated = tuple(link.session.league.players.order_by("pk"))
    plan_tables(session=link.session, plans=[TablePlan(1, seated, 1)], by=SYSTEM)
    page = open_phone()
    go(page, live_server, link)
    expect(page.locator("#save")).to_be_hidden()
    page.tap("#further > summary")
    for seat, player in enumerate(seated):
        page.select_option(f"[name=player_{seat}]", str(player.pk))
    type_scores(page)
    say_state(page, "draft")
    page.reload()
    say_state(page, "restored")
    expect(page.locator("#save")).to_be_visible()
    save(page)
    # Without a plan the page asks for the players.
    page.tap("[value=seated]")
    page.wait_for_url("**/done/**")
    comes(link.session)


@pytest.mark.long
def test_result_is_sent_after_logging_in_again(open_phone: OpenPage, live_server: LiveServer, evening: Session) -> None:
    page = open_phone()
    page.goto(f"{live_server.url}/l/camarade/sessions/{evening.pk}/enter/")
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


@pytest.mark.long
def test_result_is_saved_without_any_storage(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone(lacks=KEEPS_NOTHING)
    page.goto(f"{live_server.url}{at(link)}")
    say_state(page, "keeps_nothing")
    # Back online with an empty outbox: open_phone fails the test on a script error.
    page.evaluate("dispatchEvent(new Event('online'))")
    type_scores(page)
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)


def at_work(page: Page) -> bool:
    """Return whether the service worker controls the page within a while."""
    return wait_until(lambda: bool(page.evaluate("navigator.serviceWorker.controller !== null")))


def controlled(page: Page) -> None:
    """Wait until the service worker is active and has cached the page."""
    assert at_work(page)
    assert wait_until(lambda: kept_pages(page) != [])


@pytest.mark.long
def test_entry_works_offline_after_one_visit(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone(service_workers="allow")
    go(page, live_server, link)
    controlled(page)
    page.context.set_offline(True)
    page.reload()
    ready(page)
    type_scores(page)
    save(page)
    say_state(page, "unsent")
    first = records(page)[0]["client_key"]
    # Back on the page: the cached copy carries an old key, which must not be used again.
    page.reload()
    ready(page)
    # The pending result counts as played, although the cached page does not include it.
    expect(page.locator("#round")).to_have_text("3回戦")
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
    found: list[str] = page.evaluate("""async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith("tenbo-pages"));
      const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return lists.flat().map((request) => new URL(request.url).pathname);
    }""")
    return found


@pytest.mark.long
def test_logging_out_removes_cached_pages(open_phone: OpenPage, live_server: LiveServer, evening: Session) -> None:
    page = open_phone(service_workers="allow")
    page.goto(f"{live_server.url}/l/camarade/enter/")
    log_in(page)
    assert at_work(page)
    page.goto(f"{live_server.url}/l/camarade/standings/all/")
    page.goto(f"{live_server.url}/l/camarade/manage/")
    address = f"{live_server.url}/l/camarade/sessions/{evening.pk}/enter/"
    page.goto(address)
    assert wait_until(lambda: len(kept_pages(page)) == 2)
    assert sorted(kept_pages(page)) == [f"/l/camarade/sessions/{evening.pk}/enter/", "/l/camarade/standings/all/"]
    page.goto(f"{live_server.url}/")
    with page.expect_navigation():
        page.evaluate("document.querySelector('form[action*=logout]').requestSubmit()")
    assert wait_until(lambda: kept_pages(page) == [])
    page.context.set_offline(True)
    page.goto(address)
    expect(page.locator("h1")).to_have_text("電波がありません")
    assert "ueno" not in page.content()


@pytest.mark.long
def test_prefilled_page_is_not_cached(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone(service_workers="allow")
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
    # The service worker has handled two pages, so anything it caches is cached by now.
    page.goto(f"{live_server.url}/l/camarade/standings/all/")
    assert wait_until(lambda: "/l/camarade/standings/all/" in kept_pages(page))
    assert sorted(set(kept_pages(page))) == sorted({*before, "/l/camarade/standings/all/"})
    assert kept_pages(page).count(urlsplit(address).path) == 1


@pytest.mark.long
def test_page_of_revoked_link_leaves_the_cache(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone(service_workers="allow")
    address = go(page, live_server, link)
    controlled(page)
    revoke_link(link=link, by=SYSTEM)
    page.reload()
    assert wait_until(lambda: kept_pages(page) == [])
    page.context.set_offline(True)
    page.goto(address)
    expect(page.locator("h1")).to_have_text("電波がありません")


def shells(page: Page) -> list[str]:
    found: list[str] = page.evaluate("""async () => {
      const { installing, waiting } = await navigator.serviceWorker.getRegistration();
      const names = (await caches.keys()).filter((name) => name.startsWith("tenbo-shell-"));
      return installing || waiting ? [] : names.map((name) => name.replace("tenbo-shell-", "")).sort();
    }""")
    return found


def _is_kept(page: Page, version: str) -> bool:
    return version in shells(page)


@pytest.mark.long
def test_new_version_replaces_the_cached_one(
    open_phone: OpenPage, live_server: LiveServer, link: TableLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_phone(service_workers="allow")
    go(page, live_server, link)
    controlled(page)
    type_scores(page)
    say_state(page, "draft")
    for version in ("second", "third"):
        monkeypatch.setattr("league.views.offline.appearance", partial(str, f'"{version}"'))
        page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
        assert wait_until(partial(_is_kept, page, version), 40)
    assert wait_until(lambda: shells(page) == ["second", "third"], 40)
    # The page that was open still works.
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)


@pytest.mark.long
def test_hall_display_reloads_offline(open_phone: OpenPage, live_server: LiveServer, transactional_db: None) -> None:
    del transactional_db
    sessions = draw_and_plan(make_tournament(), "qualifying", seed=7)
    play_table(sessions[0], 1, 1, by_entry(sessions[0].tournament))
    page = open_phone(service_workers="allow")
    page.goto(f"{live_server.url}/l/cinderella/t/t1/wall/?show=standings&block=A")
    expect(page.locator("#badge")).to_contain_text("LIVE")
    controlled(page)
    before = page.locator("#screens").inner_text()
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#badge")).to_contain_text("通信待ち")
    assert page.locator("#screens").inner_text() == before
    page.context.set_offline(False)
    expect(page.locator("#badge")).to_contain_text("LIVE")
