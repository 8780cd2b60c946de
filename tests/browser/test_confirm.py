import pytest
from django.urls import reverse
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, League
from league.services.history import SYSTEM, Actor
from league.services.links import code_of, issue_link
from tests.browser.visits import fits, signed_in
from tests.conftest import OpenPage
from tests.league.factories import correct, make_league, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db(transaction=True)

SHORTEST = 44
"""Minimum size of a tap target, in pixels."""


@pytest.fixture
def league() -> League:
    return make_league(confirmed_by="all", players=4)


@pytest.fixture
def receipt(league: League, live_server: LiveServer) -> str:
    session = make_session(league)
    hanchan = play(session)
    link = issue_link(session=session, table=1, by=SYSTEM)
    Hanchan.objects.update(recorded_through=link)
    return f"{live_server.url}/en/e/{code_of(link)}/done/{hanchan.pk}/"


@pytest.mark.long
def test_four_confirmations_from_one_phone_do_not_confirm_the_result(open_page: OpenPage, receipt: str) -> None:
    page = open_page()
    page.goto(receipt)
    buttons = page.locator("#said .confirm-button")
    for number in range(4):
        box = buttons.first.bounding_box()
        assert box is not None
        assert box["height"] >= SHORTEST
        buttons.first.scroll_into_view_if_needed()
        before = page.evaluate("scrollY")
        buttons.first.click()
        page.get_by_role("heading", name=f"{number + 1} of 4 confirmed").wait_for()
        assert page.evaluate("scrollY") == before
    assert Hanchan.objects.get().state == "recorded"
    assert page.url == receipt
    devices = set(Hanchan.objects.get().confirmations.values_list("device", flat=True))
    assert len(devices) == 1
    assert devices != {""}


@pytest.mark.long
def test_confirmation_is_sent_once_online(open_page: OpenPage, receipt: str) -> None:
    page = open_page()
    page.goto(receipt)
    page.context.set_offline(True)
    page.locator("#said .confirm-button").first.click()
    page.get_by_text("No network.").wait_for()
    assert not Hanchan.objects.get().confirmations.exists()
    page.context.set_offline(False)
    page.get_by_role("heading", name="1 of 4 confirmed").wait_for()
    assert Hanchan.objects.get().confirmations.count() == 1
    page.locator("#said .confirm-no").last.click()
    expect(page.locator("#said [name=note]")).to_be_visible()
    fits(page)


@pytest.mark.long
def test_conflicting_correction_is_accessible(open_page: OpenPage, live_server: LiveServer, league: League) -> None:
    hanchan = play(make_session(league))
    settle()
    page = signed_in(open_page(), live_server.url, make_user("ishida", league=league, role="organiser"))
    page.goto(live_server.url + reverse("league:correct", args=[league.slug, hanchan.pk]))
    page.fill("[name=raw_0]", "30000")
    page.fill("[name=raw_3]", "13200")
    page.fill("[name=reason]", "misread")
    correct(hanchan, (31700, 30000, 26800, 11500), by=Actor(make_user("ueno"), "web"))
    settle()
    page.click("#save")
    expect(page.locator("[role=alert] .notice-title")).to_contain_text("ueno")
    fits(page)
