"""How often a phone really sends for something when it opens a page for the first time."""

from collections import Counter

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from league.models import Session, TableLink
from tests.browser.evenings import evening, link
from tests.browser.phones import OpenPhone, go, open_phone

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

__all__ = ["evening", "link", "open_phone"]


def listen(page: Page) -> Counter[str]:
    """Return what a page asks for from now on, by kind of file; what stands in the page itself is not asked for."""
    asked: Counter[str] = Counter()
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")
    wire.on(
        "Network.requestWillBeSent",
        lambda event: None if event["request"]["url"].startswith("data:") else asked.update([event["type"]]),
    )
    return asked


@pytest.mark.long
def test_a_table_is_ready_after_a_dozen_requests(
    open_phone: OpenPhone, live_server: LiveServer, link: TableLink
) -> None:
    page = open_phone()
    asked = listen(page)
    go(page, live_server, link)
    page.wait_for_load_state("networkidle")
    assert asked["Script"] == 4
    assert asked["Fetch"] == 1
    assert asked.total() <= 12, asked


@pytest.mark.long
def test_a_leaderboard_asks_for_less(open_phone: OpenPhone, live_server: LiveServer, evening: Session) -> None:
    page = open_phone()
    asked = listen(page)
    page.goto(f"{live_server.url}/l/{evening.league.slug}/standings/all/")
    page.wait_for_load_state("networkidle")
    assert asked["Script"] == 4
    assert asked.total() <= 10, asked
