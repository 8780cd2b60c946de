"""From the owner's page to the player's own: an invitation is made, opened on a phone without script, and taken up by a new account."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import Invitation
from tests.conftest import DESKTOP, OpenPage
from tests.league.factories import PASSWORD, make_league, make_players, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def fits(page: Page) -> None:
    """Nothing sticks out sideways, and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def log_in(page: Page, name: str) -> None:
    """Log in on the page that asks for it."""
    page.fill("[name=username]", name)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")


@pytest.mark.long
def test_from_the_owner_to_the_players_own_page(open_page: OpenPage, live_server: LiveServer) -> None:
    league = make_league(is_public=False)
    player = make_players(league, 4)[0]
    make_user("owner", league=league, role="owner")
    desk = open_page(DESKTOP)
    desk.goto(f"{live_server.url}/l/camarade/manage/")
    log_in(desk, "owner")
    desk.click("text=招待する")
    desk.select_option("[name=player]", str(player.pk))
    fits(desk)
    desk.click("text=招待を作る")
    expect(desk.locator("svg.qr-code")).to_be_visible()
    fits(desk)
    phone = open_page(scripts=False)
    phone.goto(desk.locator("#address").input_value())
    expect(phone.locator("main")).to_contain_text("青木")
    phone.click("main >> text=アカウントを作る")
    phone.fill("[name=username]", "tanaka")
    phone.fill("[name=password]", "pon-chi-kan-9")
    phone.press("[name=password]", "Enter")
    phone.wait_for_url("**/join/**")
    phone.click("text=参加する")
    phone.wait_for_url(f"**/l/camarade/p/{player.pk}/")
    expect(phone.locator("h1")).to_have_text("青木")
    player.refresh_from_db()
    assert str(player.user) == "tanaka"
    assert Invitation.objects.get().uses == 1
