import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.conftest import DESKTOP, OpenPage
from tests.league.factories import PASSWORD, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAINTED = "document.documentElement.dataset.theme ?? 'auto'"


def log_in(page: Page, base: str) -> None:
    page.goto(f"{base}/accounts/login/")
    page.locator("[name=username]").fill("aoki")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")


@pytest.mark.long
def test_theme_of_the_account_applies_on_another_device(open_page: OpenPage, live_server: LiveServer) -> None:
    make_user("aoki")
    desk = open_page(DESKTOP)
    log_in(desk, live_server.url)
    desk.wait_for_url("**/me/")
    desk.get_by_role("banner").get_by_role("link", name="アカウント").click()
    desk.locator("[name=theme]").select_option("dark")
    desk.get_by_role("button", name="アカウントを保存").click()
    expect(desk.get_by_text("アカウントを保存しました。")).to_be_visible()
    assert desk.evaluate(PAINTED) == "dark"

    phone = open_page()
    phone.goto(live_server.url)
    assert phone.evaluate(PAINTED) == "auto"
    log_in(phone, live_server.url)
    phone.wait_for_url("**/me/")
    assert phone.evaluate(PAINTED) == "dark"

    # A choice made later on one device applies there until the account's choice changes again.
    phone.locator("[data-theme-switch] [value=auto]").click()
    phone.goto(live_server.url)
    assert phone.evaluate(PAINTED) == "auto"
    desk.locator("[name=theme]").select_option("light")
    desk.get_by_role("button", name="アカウントを保存").click()
    expect(desk.get_by_text("アカウントを保存しました。")).to_be_visible()
    phone.goto(f"{live_server.url}/me/")
    assert phone.evaluate(PAINTED) == "light"
