import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Player
from tests.conftest import OpenPage
from tests.tournaments.factories import draw_and_plan, make_tournament

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.long
def test_table_is_found_while_typing(open_page: OpenPage, live_server: LiveServer) -> None:
    draw_and_plan(make_tournament(), "qualifying")
    aoki = Player.objects.get(name="青木")
    page = open_page()
    page.goto(f"{live_server.url}/l/cinderella/t/t1/seating/")
    page.fill("#q", "ｱｵ")
    shown = page.locator("#find-answers > li:not([hidden])")
    expect(shown).to_have_count(1)
    expect(shown).to_contain_text("青木")
    expect(page.locator(f'[data-seat="{aoki.pk}"].found')).to_have_count(8)
    page.fill("#q", "いないひと")
    expect(shown).to_have_count(0)
    expect(page.locator("#find-nobody")).to_be_visible()
    page.fill("#q", "")
    expect(page.locator("#find-nobody")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
