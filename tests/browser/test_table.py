import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
from league.services.planning import TablePlan, plan_tables
from tests.browser.phones import ready
from tests.browser.visits import fits
from tests.budget import varied
from tests.conftest import PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_session

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.long,
    varied("language", ["ja", "en"]),
]

WITH_KEYBOARD = 380
"""Height in pixels left above a number pad on a phone 640 high."""

FINGER = 44
"""Minimum size of a tap target, in pixels."""


@pytest.fixture
def page(open_page: OpenPage, live_server: LiveServer, language: str) -> Page:
    league = make_league()
    session = make_session(league, league.day_of(timezone.now()))
    plan_tables(session=session, plans=[TablePlan(1, tuple(make_players(league, 4)))], by=SYSTEM)
    link = issue_link(session=session, table=1, by=SYSTEM)
    """Open the link on a new phone, and wait until the scripts run."""
    page = open_page(PHONE)
    page.goto(f"{live_server.url}{'' if language == 'ja' else '/en'}/e/{code_of(link)}/")
    ready(page)
    return page


def type_scores(page: Page, *scores: str) -> None:
    for number, digits in enumerate(scores):
        page.fill(f"[name=raw_{number}]", digits)


def test_fields_sum_and_button_are_above_the_keyboard(page: Page) -> None:
    page.locator("[name=raw_0]").focus()
    page.set_viewport_size({"width": PHONE[0], "height": WITH_KEYBOARD})
    expect(page.locator("html[data-low]")).to_have_count(1)
    type_scores(page, "317", "313", "255")
    expect(page.locator("#out-3")).to_contain_text("18.5")
    page.evaluate("scrollTo(0, 0)")
    for part in ("[name=raw_0]", "[name=raw_1]", "[name=raw_2]", "[name=raw_3]", "[data-sum]", "#save"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= WITH_KEYBOARD, part
    fits(page)


LOWEST = 350
"""Height in pixels left above a tall keyboard on a phone 640 high."""

SEEN = """(part) => {
  const box = part.getBoundingClientRect();
  return part.contains(document.elementFromPoint(box.left + box.width / 2, box.top + 1))
    && part.contains(document.elementFromPoint(box.left + box.width / 2, box.bottom - 1));
}"""
"""Script: whether an element is entirely in view and not covered."""


def test_sum_and_button_are_visible_while_typing(page: Page) -> None:
    page.set_viewport_size({"width": PHONE[0], "height": LOWEST})
    expect(page.locator("html[data-low]")).to_have_count(1)
    for number, digits in enumerate(("317", "313", "255", "115")):
        page.click(f"[name=raw_{number}]")
        page.fill(f"[name=raw_{number}]", digits)
        expect(page.locator(f"[name=raw_{number}]")).to_be_focused()
        for part in (f"[name=raw_{number}]", "#sum-total", "#save"):
            assert page.locator(part).evaluate(SEEN), (number, part)
    expect(page.locator(".entry-sum.good")).to_have_count(1)
    fits(page)


def test_receipt_shows_undo_with_the_time_left(page: Page) -> None:
    type_scores(page, "317", "313", "255")
    page.click("#save")
    page.wait_for_url("**/done/*/")
    button = page.locator("[data-undo] button")
    assert button.evaluate(SEEN)
    box = button.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= PHONE[1] / 2
    assert box["height"] >= FINGER
    expect(page.locator("[data-left]")).to_have_text(re.compile(r"\((5:00|4:[0-5]\d)\)"))


def test_leftover_stick_is_corrected_with_one_tap(page: Page) -> None:
    type_scores(page, "317", "313", "255", "105")
    expect(page.locator("#verdict")).to_contain_text("1,000")
    fits(page)
    page.click("#save")
    expect(page.locator("#errors")).to_be_visible()
    ready(page)
    page.click("#verdict button")
    expect(page.locator("#out-0")).to_contain_text("+22.7")
    expect(page.locator("#errors")).to_be_hidden()
    page.click("[name=raw_3]")
    page.keyboard.type("105")
    assert page.input_value("[name=raw_3]") == "105"
    page.click("#save")
    page.wait_for_url("**/done/*/")
    assert Hanchan.objects.get().sticks_left == 1


def test_answer_about_a_bust_survives_a_retyped_score(page: Page) -> None:
    type_scores(page, "600", "250", "160")
    page.check("[name=bust_3_by][value='0']")
    page.fill("[name=raw_0]", "590")
    expect(page.locator("[name=bust_3_by]")).to_have_count(0)
    page.fill("[name=raw_0]", "600")
    expect(page.locator("[name=bust_3_by][value='0']")).to_be_checked()


def test_tie_names_the_higher_player_and_seats_can_be_swapped(page: Page, language: str) -> None:
    type_scores(page, "308", "308", "250", "134")
    first, second = ("青木", "石田") if language == "ja" else ("Aoki", "Ishida")
    expect(page.locator("#ties .notice-title")).to_contain_text(re.compile(f"30,800.*{first}.*{second}"))
    expect(page.locator("#out-0")).to_contain_text("+20.8")
    expect(page.locator("#out-1")).to_contain_text("+0.8")
    fits(page)
    page.locator("[value=swap-0]").first.click()
    expect(page.locator("#ties .notice-title")).to_contain_text(re.compile(f"30,800.*{second}.*{first}"))
