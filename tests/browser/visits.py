from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import Page

from tests.league.factories import client_of


def signed_in(page: Page, base: str, user: User) -> Page:
    value = client_of(user).cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": base}])
    return page


def fits(page: Page) -> None:
    """Assert that the page does not overflow sideways and axe finds nothing."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    found = Axe().run(page)
    assert found.violations_count == 0, (page.url, found.generate_report())
