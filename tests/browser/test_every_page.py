import pytest
from pytest_django.live_server_helper import LiveServer

from tests.browser.visits import fits, signed_in
from tests.budget import varied
from tests.conftest import OpenPage
from tests.permissions.table import pages_for
from tests.permissions.world import World

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDE = {"tournaments:overlay"}
"""Pages not meant for a phone."""

PARTS = {"tournaments:hall"}
"""Parts of other pages, requested by their scripts; they have no document of their own."""


@pytest.mark.long
@varied("prefix", ["", "/en"], ids=["ja", "en"])
def test_every_page_fits_a_phone_and_is_accessible(open_page: OpenPage, live_server: LiveServer, prefix: str) -> None:
    world, dark = World("public", is_public=True), bool(prefix)
    root = signed_in(open_page(dark=dark), live_server.url, world.users["superuser"])
    phones, seen, wrong = {"superuser": root, "anonymous": open_page(dark=dark)}, set(), []
    for route in pages_for():
        if route.name.startswith("admin:") or route.name in {"healthz", "metrics", *WIDE, *PARTS}:
            continue
        address = prefix + world.address(route)
        for person, page in phones.items():
            answer = world.ask(person, "GET", address)
            if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
                page.goto(live_server.url + address)
                page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
                try:
                    fits(page)
                except AssertionError as error:
                    wrong.append(f"{route.name}: {error}"[:1500])
                seen.add(route.name)
                break
    assert len(seen) > 100
    assert wrong == []
