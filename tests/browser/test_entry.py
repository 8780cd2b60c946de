"""A result typed on a phone in a real browser, and what the boards make of it."""

from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, League, Session, Standing
from tests.browser.evenings import played_tonight
from tests.browser.phones import ready
from tests.budget import varied
from tests.conftest import PHONE, OpenPage
from tests.league.factories import PASSWORD, settle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

POINTS = {
    "ja": (["+21.7", "+1.3", "▲4.5", "▲18.5"], ["+31", "+6", "▲9", "▲28"]),
    "en": (["+21.7", "+1.3", "−4.5", "−18.5"], ["+31", "+6", "−9", "−28"]),
}


@pytest.fixture
def evening(transactional_db: None) -> Session:
    """An open session of today, at whose table Aoki to Eguchi sat last and Eguchi won."""
    del transactional_db
    return played_tonight()


def log_in(page: Page, live_server: LiveServer, language: str) -> None:
    """Go to the entry page the way a scorer does: by the bar, through the log-in."""
    prefix = "" if language == "ja" else "/en"
    page.goto(f"{live_server.url}{prefix}/l/camarade/enter/")
    page.fill("[name=username]", User.objects.get().username)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/enter/")


@pytest.mark.merge
@varied("language", ["ja", "en"])
def test_twelve_taps_enter_a_hanchan_and_move_the_boards(
    open_page: OpenPage, live_server: LiveServer, evening: Session, language: str
) -> None:
    page = open_page(PHONE)
    log_in(page, live_server, language)
    ready(page)
    expect(page.locator("[name=raw_0]")).to_be_focused()
    for number, digits in enumerate(("317", "313", "255")):
        page.keyboard.type(digits)
        if number < 2:
            page.keyboard.press("Enter")
    ranking, settlement = POINTS[language]
    for number in range(4):
        expect(page.locator(f"#out-{number} .seat-points")).to_contain_text(ranking[number])
        expect(page.locator(f"#out-{number} .seat-other")).to_contain_text(settlement[number])
    assert page.locator("[name=raw_3]").input_value() == "115"
    expect(page.locator("#echo-3 .tag")).to_be_visible()
    button = page.locator("#save").bounding_box()
    assert button is not None
    assert button["y"] + button["height"] <= PHONE[1]
    assert page.evaluate("scrollY") == 0
    page.keyboard.press("Enter")
    expect(page.locator("#save")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    assert [seat.raw_score for seat in Hanchan.objects.order_by("-pk")[0].seats.order_by("seat")] == [
        31700, 31300, 25500, 11500
    ]  # fmt: skip
    settle()
    check_boards(page, evening.league, ranking)


def check_boards(page: Page, league: League, ranking: list[str]) -> None:
    """Follow the receipt to the month and the year; both have moved."""
    first = page.locator(".receipt tbody tr").first.inner_text()
    assert ranking[0] in first
    assert "↑2" in first
    links = page.locator(".receipt thead a")
    addresses = [str(link.get_attribute("href")) for link in links.all()]
    assert len(addresses) == 2
    receipt = urlsplit(page.url)
    for address in addresses:
        page.goto(f"{receipt.scheme}://{receipt.netloc}{address}")
        expect(page.locator("tbody tr").first).to_contain_text("+11.5")
    leaders = Standing.objects.filter(league=league, rank=1).values_list("player__name", "hanchan")
    assert set(leaders) == {("江口", 2)}


@pytest.mark.long
def test_choosing_somebody_who_sits_elsewhere_changes_the_seats(
    open_page: OpenPage, live_server: LiveServer, evening: Session
) -> None:
    page = open_page(PHONE)
    log_in(page, live_server, "ja")
    ready(page)
    players = [page.locator(f"[name=player_{number}]") for number in range(4)]
    before = [player.input_value() for player in players]
    players[0].select_option(before[2])
    assert [player.input_value() for player in players] == [before[2], before[1], before[0], before[3]]
    players[3].select_option("guest")
    expect(page.locator("[name=guest_3]")).to_be_focused()
    assert evening.hanchan.count() == 1
