"""P12 in a browser on a slow line, by option: when the largest part of a page is there, and how much it moves about."""

import statistics
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

from bench.race import Row, count
from bench.servers import web
from bench.weight_bench import pages_of
from league.models import League
from tests.browsers import FLAGS, find_browser, launching, use_own_node

SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
"""Milliseconds and bytes a second, as the profile of that name has them."""

WATCH = """
window.seen = {largest: 0, shift: 0};
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) seen.largest = entry.startTime;
}).observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shift += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""


def rows(league: League, rounds: int) -> Iterator[Row]:
    """Yield, for the entry page and a board, milliseconds to the largest paint and thousandths of layout shift."""
    path = find_browser()
    if path is None:
        message = "no Chromium; run: python -m tests.tools"
        raise RuntimeError(message)
    use_own_node()
    pages, cookie = pages_of(league)
    with web() as (port, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), env={**launching(path)})
        for name, address in pages.items():
            seen = [_seen(browser, f"http://127.0.0.1:{port}{address}", cookie) for _ in range(rounds)]
            largest, shift = (statistics.median(column) for column in zip(*seen, strict=True))
            yield count(f"P12 {name}: ms to the largest paint, slow 4G", round(largest), goal=2_000)
            yield count(f"P12 {name}: thousandths of layout shift", round(1_000 * shift), goal=20)
        browser.close()


def _seen(browser: Browser, address: str, cookie: str) -> tuple[float, float]:
    """Return what the first visit of a page shows; the phone is 360 pixels wide and has nothing of it yet."""
    name, _, value = cookie.partition("=")
    context = browser.new_context(viewport={"width": 360, "height": 640})
    try:
        context.add_cookies([{"name": name, "value": value, "url": address}])
        page = context.new_page()
        page.add_init_script(WATCH)
        context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW_4G)
        page.goto(address, wait_until="load")
        page.wait_for_timeout(500)
        seen = page.evaluate("seen")
        return float(seen["largest"]), float(seen["shift"])
    finally:
        context.close()
