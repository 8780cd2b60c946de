"""People at their own devices who go only where the pages lead them, and read what stands there."""

import re
from dataclasses import dataclass, field

from axe_playwright_python.sync_playwright import Axe
from django.urls import resolve
from django.utils.translation import gettext, override, pgettext
from playwright.sync_api import Locator, Page, expect

BETWEEN_PATHS = re.compile(r"^https?://[^/]+|[?#].*$")


@dataclass
class Newcomer:
    """Somebody with a device and a language; what they read and press is named by its English sentence.

    `scripts`: whether the device runs any; without them axe cannot look at its pages.
    """

    page: Page
    language: str
    name: str
    scripts: bool = True
    looked_at: set[str] = field(default_factory=set)

    def say(self, text: str, context: str = "") -> str:
        """Return a sentence of the pages in the language of this person."""
        with override(self.language):
            return pgettext(context, text) if context else gettext(text)

    def opens(self, address: str) -> None:
        """Type an address, or scan it."""
        self.page.goto(address)
        self.looks()

    def looks(self) -> None:
        """See that nothing sticks out sideways, and that axe finds nothing on a page that is new to this person."""
        assert self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), self.page.url
        path = BETWEEN_PATHS.sub("", self.page.url)
        assert path.startswith("/en/") == (self.language == "en"), path
        with override(self.language):
            name = resolve(path).view_name
        if self.scripts and name not in self.looked_at:
            self.looked_at.add(name)
            found = Axe().run(self.page)
            assert found.violations_count == 0, found.generate_report()

    def follows(self, text: str, context: str = "", *, within: str = "body") -> None:
        """Follow the first link with these words that can be seen."""
        self._goes_by("link", self.say(text, context), within)

    def finds(self, text: str, context: str = "") -> None:
        """Follow a link of the frame, which a phone keeps behind its last tab."""
        more = self.page.locator(".bar-phone summary")
        if more.is_visible():
            more.click()
        self.follows(text, context)

    def presses(self, text: str, context: str = "", *, within: str = "main") -> None:
        """Press the first button with these words that can be seen."""
        self._goes_by("button", self.say(text, context), within)

    def fills(self, **values: str) -> None:
        """Type into fields of these names, or choose in them by what stands there."""
        for name, value in values.items():
            found = self.page.locator(f"main [name={name}]").filter(visible=True).first
            if found.evaluate("(field) => field.localName") == "select":
                found.select_option(label=value)
            else:
                found.fill(value)

    def taps(self, text: str) -> None:
        """Press a button that may leave the page where it is."""
        self._named("button", self.say(text), "main").click()

    def chooses(self, text: str, context: str = "") -> None:
        """Choose one of several."""
        self.page.locator("main").get_by_label(self.say(text, context), exact=True).check()

    def reads(self, *texts: str, within: str = "main") -> None:
        """See words on the page."""
        for text in texts:
            expect(self.page.locator(within)).to_contain_text(text)

    def _goes_by(self, role: str, words: str, within: str) -> None:
        found = self._named(role, words, within)
        with self.page.expect_navigation(wait_until="load"):
            found.click()
        self.looks()

    def _named(self, role: str, words: str, within: str) -> Locator:
        found = self.page.locator(within).get_by_role(role, name=words)  # type: ignore[arg-type]
        first = found.filter(visible=True).first
        expect(first).to_be_visible()
        return first
