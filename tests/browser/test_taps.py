"""The number of taps that a hanchan takes on a phone."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import TableLink
from tests.browser.evenings import comes, evening, link
from tests.browser.phones import OpenPhone, go, open_phone, save
from tests.budget import varied

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

__all__ = ["evening", "link", "open_phone"]


def count_taps(page: Page) -> None:
    """Let the page count what fingers do: keys of the keyboard on the screen, and taps."""
    page.evaluate("""() => {
      globalThis.taps = 0;
      addEventListener("keydown", () => taps++, true);
      addEventListener("pointerdown", () => taps++, true);
      addEventListener("pagehide", () => sessionStorage.setItem("taps", taps));
    }""")


@pytest.mark.long
@varied("prefix", ["", "/en"], ids=["ja", "en"])
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
