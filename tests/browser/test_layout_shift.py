import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import TableLink
from tests.browser.phones import go, ready, save, type_scores
from tests.budget import varied
from tests.conftest import PHONE, OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


PREFIXES = varied("prefix", ["", "/en"], ids=["ja", "en"])

STILL = 0.02
"""Maximum cumulative layout shift."""

WITH_KEYBOARD = 380
"""Height in pixels left above a number pad on a phone 640 high."""

WATCH = """
globalThis.moves = [];
globalThis.moving = new PerformanceObserver((list) => moves.push(...list.getEntries()));
moving.observe({ type: "layout-shift", buffered: true });
"""

MOVED = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  moves.push(...moving.takeRecords());
  return moves.map(({ value, sources }) => [value, sources.map(({ node }) => node?.id || node?.className || node?.nodeName)]);
}"""


def stands_still(page: Page) -> None:
    moves = page.evaluate(MOVED)
    assert sum(value for value, _ in moves) <= STILL, moves


def asks_again(page: Page) -> None:
    page.evaluate("dispatchEvent(new Event('online'))")


@pytest.mark.long
@PREFIXES
@pytest.mark.parametrize("height", [PHONE[1], WITH_KEYBOARD], ids=["whole", "keyboard"])
def test_other_phones_input_causes_no_layout_shift(
    open_phone: OpenPage, live_server: LiveServer, link: TableLink, prefix: str, height: int
) -> None:
    first, second = open_phone(), open_phone()
    second.set_viewport_size({"width": PHONE[0], "height": height})
    second.add_init_script(WATCH)
    go(second, live_server, link, prefix)
    expect(second.locator("html[data-low]")).to_have_count(int(height == WITH_KEYBOARD))
    go(first, live_server, link, prefix)
    type_scores(first)
    expect(first.locator("#out-3")).to_contain_text("18.5")
    asks_again(second)
    expect(second.locator("#elsewhere p").first).to_be_visible()
    expect(second.locator("#elsewhere")).to_contain_text("317")
    stands_still(second)
    second.reload()
    expect(second.locator("#elsewhere")).to_contain_text("317")
    ready(second)
    stands_still(second)
    save(first)
    first.wait_for_url("**/done/**")
    asks_again(second)
    expect(second.locator("#news a")).to_be_visible()
    expect(second.locator("#news")).to_contain_text("2")
    expect(second.locator("#elsewhere p").first).to_be_empty()
    stands_still(second)
