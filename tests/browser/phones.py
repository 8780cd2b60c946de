import re
from typing import Any

from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from league.models import TableLink
from tests.deadlines import wait_until
from tests.league.entry_contexts import at
from tests.league.factories import PASSWORD

PLAIN_HTTP = """
  delete Navigator.prototype.serviceWorker;
  delete Navigator.prototype.locks;
  delete Crypto.prototype.randomUUID;
"""
"""APIs that browsers disable on plain HTTP from other machines."""

KEEPS_NOTHING = "Object.defineProperty(globalThis, 'indexedDB', { value: undefined });"
"""Simulates a private window without storage."""

RECORDS = """async () => {
  const { $store } = await import("/static/js/outbox.js");
  return $store.all();
}"""


def ready(page: Page) -> None:
    expect(page.locator("#entry-context")).to_have_attribute("data-ready", "1")


def go(page: Page, live_server: LiveServer, link: TableLink, prefix: str = "") -> str:
    address = f"{live_server.url}{prefix}{at(link)}"
    page.goto(address)
    ready(page)
    return address


def tap_into(page: Page, field: str) -> None:
    """Tap a field until it has the focus: on a busy machine a touch may end so late that it is a long press."""

    def is_in() -> bool:
        page.tap(field)
        return bool(page.locator(field).evaluate("(field) => field === document.activeElement"))

    assert wait_until(is_in), f"{field} takes no tap"


def type_scores(page: Page, scores: tuple[str, ...] = ("317", "313", "255")) -> None:
    """Type the scores one after the other, once the scripts run: before that, Enter would submit the form."""
    ready(page)
    tap_into(page, "[name=raw_0]")
    for number, digits in enumerate(scores):
        page.keyboard.type(digits)
        if number < len(scores) - 1:
            page.keyboard.press("Enter")
    expect(page.locator("[data-sum]")).to_have_class(re.compile("good"))


def save(page: Page) -> None:
    page.tap("#save")


def say_state(page: Page, state: str) -> None:
    ready(page)
    expect(page.locator("#entry-context")).to_have_attribute("data-state", state)
    expect(page.locator("#entry-state")).not_to_be_empty()


def records(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(RECORDS)
    return found


def states(page: Page) -> list[str]:
    return sorted(record["state"] for record in records(page))


def change_records(page: Page, facts: str) -> None:
    """Set fields, written as JavaScript, in every record on the phone."""
    page.evaluate(
        f"""async () => {{
          const {{ $store }} = await import("/static/js/outbox.js");
          const {{ all, change }} = $store;
          for (const {{ client_key }} of await all()) {{
            await change(client_key, (known) => ({{ ...known, ...{facts} }}));
          }}
        }}"""
    )


def is_result(route: Route) -> bool:
    request = route.request
    return request.method == "POST" and "application/json" in request.headers.get("accept", "")


def mend(page: Page) -> None:
    page.unroute_all(behavior="ignoreErrors")
    page.evaluate("dispatchEvent(new Event('online'))")


def keep_one(page: Page, live_server: LiveServer, link: TableLink) -> None:
    go(page, live_server, link)
    page.route("**/*", lambda route: route.abort() if is_result(route) else route.fallback())
    type_scores(page)
    save(page)
    say_state(page, "unsent")


def log_in(page: Page) -> None:
    page.fill("[name=username]", "ueno")
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/enter/**")
