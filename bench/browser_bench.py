"""P12 in a browser on a slow line: when the largest part of a page is there, how much it moves about, how soon it reacts."""

import sys
from collections.abc import Iterator
from dataclasses import replace

from playwright.sync_api import Browser, Page, sync_playwright

from bench.race import Row
from bench.servers import web
from bench.weight_bench import pages_of
from league.models import League
from tests.browsers import FLAGS, find_browser, launching, use_own_node

SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
"""Milliseconds and bytes a second, as the profile of that name has them."""

WATCH = """
window.seen = {largest: 0, shift: 0, slowest: 0, moved: [], painted: "", reacted: ""};
const called = node => {
  const element = node.nodeType === 1 ? node : node.parentElement;
  return element ? element.cloneNode(false).outerHTML.replace(/\\s+/g, " ").slice(0, 70) : "?";
};
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) {
    seen.largest = entry.startTime;
    seen.painted = entry.element ? called(entry.element) : "";
  }
}).observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) {
    seen.shift += entry.value;
    for (const {node} of entry.sources) if (node) seen.moved.push([entry.value, entry.startTime, called(node)]);
  }
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (entry.interactionId && entry.duration > seen.slowest) {
    seen.slowest = entry.duration;
    const run = Math.round(entry.processingEnd - entry.processingStart);
    seen.reacted = `${entry.name} on ${entry.target ? called(entry.target) : "?"}, ${run} ms of it in scripts`;
  }
}).observe({type: "event", durationThreshold: 16, buffered: true});
"""

TYPED = ("317", "313", "255")
"""Scores of three players, in hundreds; the page works the fourth out."""


GOALS = (("ms to the largest paint", 2_000), ("thousandths of layout shift", 20), ("ms to the slowest reaction", 100))
"""What is measured, on a slow 4G line."""

MOVED = 4
"""So many elements are named that moved."""

Figure = tuple[float, tuple[str, ...]]
"""What was measured, and by what: which element was painted, moved, or reacted."""


def rows(league: League, rounds: int) -> Iterator[Row]:
    """Yield what the first visits of the entry page and a board show; nothing where there is no Chromium."""
    path = find_browser()
    if path is None:
        print("No Chromium, so P12 is not timed; python -m tests.tools brings one.", file=sys.stderr)
        return
    use_own_node()
    pages, cookie = pages_of(league)
    with web() as (port, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), env={**launching(path)})
        for name, address in pages.items():
            visits = [_seen(browser, f"http://127.0.0.1:{port}{address}", cookie) for _ in range(rounds)]
            for (what, goal), figures in zip(GOALS, zip(*visits, strict=True), strict=True):
                value, why = sorted(figures)[len(figures) // 2]
                row = Row(f"P12 {name}: {what}, slow 4G", f"{value:,.0f}", "", value / goal, 1)
                yield row if row.ok else replace(row, why=why)
        browser.close()


def _seen(browser: Browser, address: str, cookie: str) -> list[Figure]:
    """Return what the first visit of a page shows, in the order of GOALS; the phone is narrow and has nothing of it yet."""
    name, _, value = cookie.partition("=")
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True)
    try:
        context.add_cookies([{"name": name, "value": value, "url": address}])
        page = context.new_page()
        page.add_init_script(WATCH)
        context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW_4G)
        page.goto(address, wait_until="load")
        page.wait_for_timeout(500)
        shown = page.evaluate("({...seen})")
        _use(page)
        slowest = page.evaluate("({...seen})")
        moved = sorted(shown["moved"], key=lambda each: -each[0])[:MOVED]
        return [
            (float(shown["largest"]), (shown["painted"],)),
            (
                1_000 * float(shown["shift"]),
                tuple(f"{1_000 * by:.0f} at {at:.0f} ms: {what}" for by, at, what in moved),
            ),
            (float(slowest["slowest"]), (slowest["reacted"],)),
        ]
    finally:
        context.close()


def _use(page: Page) -> None:
    """Type a result where one is entered, tap what opens elsewhere."""
    first = page.locator("[name=raw_0]")
    if first.count():
        first.tap()
        for digits in TYPED:
            page.keyboard.type(digits)
            page.keyboard.press("Enter")
    else:
        page.locator("summary").first.tap()
    page.wait_for_timeout(300)
