"""A keyboard that counts its keys and the time for which it waits."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page

WAYS = """(selector) => {
  const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled;
  const asked = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
  const all = [...document.querySelectorAll(asked)].filter((element) => element.tabIndex >= 0 && seen(element));
  const groups = new Set();
  const stops = all.filter((element) => {
    if (element.type !== "radio") return true;
    const group = document.getElementsByName(element.name);
    const chosen = [...group].find((each) => each.checked);
    return chosen ? chosen === element : !groups.has(element.name) && groups.add(element.name);
  });
  const to = stops.indexOf(document.querySelector(selector));
  const here = stops.indexOf(document.activeElement);
  const main = stops.findIndex((element) => document.getElementById("main").contains(element));
  return { to, here, main, count: stops.length };
}"""


class Keyboard:
    """Presses real keys on a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.keys = 0
        self.waited = 0.0

    def press(self, *keys: str) -> None:
        """Press keys; a chord is one."""
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        """Press a key for each letter."""
        self.press(*text)

    def go_to(self, selector: str) -> None:
        """Go to a field or a button by the shortest way."""
        way = self.page.evaluate(WAYS, selector)
        to, here, main = way["to"], way["here"], way["main"]
        assert to >= 0, selector
        ahead, back = to - here, (here - to if here >= 0 else way["count"] - to)
        through = 2 + to - main + 1
        if here < 0 and main <= to and through < min(ahead, back):
            self.press("Tab", "Enter")
            ahead = to - main + 1
        elif 0 <= back < ahead or ahead < 0:
            self.press(*["Shift+Tab"] * back)
            ahead = 0
        self.press(*["Tab"] * ahead)
        assert self.page.evaluate("(selector) => document.activeElement === document.querySelector(selector)", selector)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the time of what is waited for."""
        began = time.monotonic()
        yield
        self.waited += time.monotonic() - began
