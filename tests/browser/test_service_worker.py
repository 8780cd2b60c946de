from functools import partial
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Session, TableLink
from league.services.history import SYSTEM
from league.services.links import revoke_link
from tests.browser.evenings import arrived, comes, evening, link
from tests.browser.phones import (
    OpenPhone,
    go,
    log_in,
    open_phone,
    ready,
    records,
    save,
    say_state,
    type_scores,
)
from tests.deadlines import wait_until
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

__all__ = ["evening", "link", "open_phone"]

OTHER = ("400", "300", "200")


def at_work(page: Page) -> bool:
    """Return whether the service worker controls the page within a while."""
    return wait_until(lambda: bool(page.evaluate("navigator.serviceWorker.controller !== null")))


def controlled(page: Page) -> None:
    """Wait until the service worker is active and has cached the page."""
    assert at_work(page)
    assert wait_until(lambda: kept_pages(page) != [])


@pytest.mark.long
def test_entry_works_offline_after_one_visit(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
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
    """Return the URLs of personal pages in the phone's cache."""
    found: list[str] = page.evaluate("""async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith("tenbo-pages"));
      const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return lists.flat().map((request) => new URL(request.url).pathname);
    }""")
    return found


@pytest.mark.long
def test_logging_out_removes_cached_pages(open_phone: OpenPhone, live_server: LiveServer, evening: Session) -> None:
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


@pytest.mark.long
def test_prefilled_page_is_not_cached(open_phone: OpenPhone, live_server: LiveServer, link: TableLink) -> None:
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
    # The service worker has handled two pages, so anything it caches is cached by now.
    page.goto(f"{live_server.url}/l/camarade/standings/all/")
    assert wait_until(lambda: "/l/camarade/standings/all/" in kept_pages(page))
    assert sorted(set(kept_pages(page))) == sorted({*before, "/l/camarade/standings/all/"})
    assert kept_pages(page).count(urlsplit(address).path) == 1


@pytest.mark.long
def test_page_of_a_revoked_link_is_removed_from_the_cache(
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
    # The page that was open still works.
    save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)


@pytest.mark.long
def test_hall_display_reloads_offline(open_phone: OpenPhone, live_server: LiveServer, transactional_db: None) -> None:
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
