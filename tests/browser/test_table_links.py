"""The organiser's page of links and what two phones at one table see of each other, in a real browser."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, Session
from league.services.links import code_of
from tests.browser.phones import ready
from tests.budget import varied
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.entry_contexts import link_of
from tests.league.factories import PASSWORD, make_league, make_players, make_session, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def session(transactional_db: None) -> Session:
    """Tonight's session with two tables; Aoki is the organiser."""
    del transactional_db
    league = make_league()
    make_players(league, 5)
    make_user("aoki", league=league, role="organiser")
    return make_session(league, league.day_of(timezone.now()), tables=2)


def fits(page: Page) -> None:
    """Nothing sticks out sideways, and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.long
@varied("prefix", ["", "/en"], ids=["ja", "en"])
@varied("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_an_organiser_issues_shows_and_revokes_links(
    open_page: OpenPage, live_server: LiveServer, session: Session, prefix: str, size: tuple[int, int]
) -> None:
    page = open_page(size)
    page.goto(f"{live_server.url}{prefix}/l/camarade/sessions/{session.pk}/links/")
    page.fill("[name=username]", "aoki")
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/links/")
    fits(page)
    page.click("[value=issue]")
    first = page.locator("#table-1")
    address = first.locator("[readonly]").input_value()
    code = code_of(session.table_links.get(table=1))
    assert address == f"{live_server.url}{prefix}/e/{code}/"
    first.locator("summary").first.click()
    expect(first.locator("svg.qr-code")).to_be_visible()
    first.locator("summary").last.click()
    fits(page)
    first.locator("[value=revoke-1]").click()
    expect(page.locator("#table-1 [readonly]")).to_have_count(0)
    expect(page.locator("#table-2 [readonly]")).to_have_count(1)
    assert page.goto(address).status == 410  # type: ignore[union-attr]
    fits(page)


@pytest.mark.long
def test_a_second_phone_sees_what_is_typed_and_what_was_saved(
    open_page: OpenPage, live_server: LiveServer, session: Session
) -> None:
    address = f"{live_server.url}/e/{code_of(link_of(session))}/"
    first, second = open_page(PHONE), open_page(PHONE)
    for page in (first, second):
        page.goto(address)
        ready(page)
    for seat, player in enumerate(session.league.players.order_by("pk")[:4]):
        first.select_option(f"[name=player_{seat}]", str(player.pk))
    first.locator("[name=raw_0]").press_sequentially("317")
    expect(second.locator("#elsewhere")).to_contain_text("317")
    expect(first.locator("#elsewhere")).to_have_text(re.compile(r"^\s*$"))
    for seat, digits in ((1, "313"), (2, "255")):
        first.locator(f"[name=raw_{seat}]").press_sequentially(digits)
    first.click("#save")
    first.wait_for_url("**/done/**")
    link = second.locator("#news a")
    expect(link).to_be_visible(timeout=20_000)
    expect(second.locator("#elsewhere")).to_have_text(re.compile(r"^\s*$"))
    link.click()
    second.wait_for_url(f"**/done/{Hanchan.objects.get().pk}/")
    assert not second.context.cookies()


@pytest.mark.long
def test_without_a_script_the_page_says_so_when_it_is_opened(
    open_page: OpenPage, live_server: LiveServer, session: Session
) -> None:
    address = f"{live_server.url}/e/{code_of(link_of(session))}/"
    page = open_page(PHONE, scripts=False)
    page.goto(address)
    for seat, player in enumerate(session.league.players.order_by("pk")[:4]):
        page.select_option(f"[name=player_{seat}]", str(player.pk))
        page.fill(f"[name=raw_{seat}]", ("317", "313", "255", "115")[seat])
    page.click("#save")
    page.wait_for_url("**/done/**")
    assert not page.context.cookies()
    other = open_page(PHONE, scripts=False)
    other.goto(address)
    expect(other.locator("#news a")).to_be_visible()
    assert Hanchan.objects.count() == 1
