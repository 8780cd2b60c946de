"""P11 in a browser: when the largest part of a page is there on a slow line and phone, and when the page listens."""

import sys
from collections.abc import Iterator

from django.test import Client
from playwright.sync_api import Browser, sync_playwright

from bench.pages import phone_pages
from bench.product import Loaded
from bench.race import Row
from bench.servers import web
from tests.browsers import FLAGS, find_browser, launching, use_own_node

SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
"""Milliseconds and bytes a second, as the profile of that name has them."""

WATCH = """
window.seen = {largest: 0, busy: 0};
const told = (kind, take) => new PerformanceObserver(list => list.getEntries().forEach(take)).observe({type: kind, buffered: true});
told("largest-contentful-paint", entry => { seen.largest = entry.startTime; });
told("longtask", entry => { seen.busy = entry.startTime + entry.duration; });
"""
SEEN = "[seen.largest, Math.max(seen.busy, performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart)]"


def rows(facts: Loaded, rounds: int) -> Iterator[Row]:
    """Yield what the first visits of the entry page and of boards show; nothing where there is no Chromium."""
    path = find_browser()
    if path is None:
        print("No Chromium, so P11 is not timed; python -m tests.tools brings one.", file=sys.stderr)
        return
    use_own_node()
    with web() as (port, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS), env={**launching(path)})
        for name, (address, client) in phone_pages(facts).items():
            visits = [_seen(browser, f"http://127.0.0.1:{port}{address}", client) for _ in range(rounds)]
            for what, goal, figures in zip(
                ("largest paint", "interactive"), (2_000, 3_500), zip(*visits, strict=True), strict=True
            ):
                value = sorted(figures)[len(figures) // 2]
                yield Row(f"P11 {name}: ms to {what}, slow 4G, CPU / 4", f"{value:,.0f} ms", "", value, goal)
        browser.close()


def _seen(browser: Browser, address: str, client: Client) -> tuple[float, float]:
    context = browser.new_context(viewport={"width": 360, "height": 640}, has_touch=True)
    try:
        context.add_cookies([{"name": n, "value": each.value, "url": address} for n, each in client.cookies.items()])
        page = context.new_page()
        page.add_init_script(WATCH)
        devtools = context.new_cdp_session(page)
        devtools.send("Network.emulateNetworkConditions", SLOW_4G)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        page.goto(address, wait_until="load")
        page.wait_for_timeout(1_000)
        largest, interactive = page.evaluate(SEEN)
        return float(largest), float(interactive)
    finally:
        context.close()
