import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan
from tests.budget import varied
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_stage, play_table

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def names(page: Page) -> list[str]:
    return page.locator(".what-if-grip").all_inner_texts()


def leader(page: Page) -> str:
    return page.locator("#what-follows tbody tr").first.inner_text()


def places(page: Page) -> list[str]:
    return [select.input_value() for select in page.locator(".what-if-seat select").all()]


@pytest.mark.long
@varied("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@varied("prefix", ["", "/en"], ids=["ja", "en"])
def test_players_are_dragged(live_server: LiveServer, open_page: OpenPage, size: tuple[int, int], prefix: str) -> None:
    tournament = make_tournament()
    for stage in ("qualifying", "po1", "po2", "po3"):
        play_stage(tournament, stage)
    (session,) = draw_and_plan(tournament, "final")
    for number in (1, 2, 3):
        play_table(session, 1, number, by_entry(tournament))
    what_if = f"{live_server.url}{{}}/l/cinderella/t/t1/what-if/final/"
    stored = Hanchan.objects.count()
    page = open_page(size, language=prefix.strip("/") or "ja")
    page.goto(what_if.format(prefix))
    before = names(page)
    assert places(page) == ["", "", "", ""]
    grips = page.locator(".what-if-grip")
    grips.nth(3).scroll_into_view_if_needed()
    below, above = grips.nth(3).bounding_box(), grips.nth(0).bounding_box()
    assert below
    assert above
    page.mouse.move(below["x"] + 30, below["y"] + 20)
    page.mouse.down()
    page.mouse.move(above["x"] + 30, above["y"] + 20, steps=12)
    page.mouse.up()

    expect(page).to_have_url(re.compile(r"\?.*p\d=1"))
    assert names(page) == [before[3], *before[:3]]
    assert places(page) == ["1", "2", "3", "4"]
    expect(page.locator(".what-if-ribbon b")).to_be_visible()
    points = [text.strip() for text in page.locator(".what-if-points").all_inner_texts()]
    assert all(points)

    grips.nth(0).press("ArrowDown")
    assert names(page)[:2] == [before[0], before[3]]
    expect(grips.nth(1)).to_be_focused()
    expect(page.locator(".what-if-points").first).not_to_have_text(points[1])
    # The URL holds the whole state: others see the same names in the same order.
    expect(page).to_have_url(re.compile(r"p3=2"))
    seen = leader(page)
    page.goto(page.url)
    assert names(page)[:2] == [before[0], before[3]]
    assert leader(page) == seen
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert Hanchan.objects.count() == stored
