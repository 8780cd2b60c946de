import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.visits import signed_in
from tests.conftest import PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_user
from tests.tournaments.factories import make_tournament

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.long
def test_other_buttons_cover_nothing_before_the_form_is_used(open_page: OpenPage, live_server: LiveServer) -> None:
    league = make_league()
    make_user("ishida", league=league, role="organiser")
    make_tournament(league, "swiss", players=8)
    make_players(league, 40)
    page = signed_in(open_page(PHONE), live_server.url, User.objects.get())
    page.goto(f"{live_server.url}/l/camarade/t/t1/entries/")
    button = page.locator("#entering .button").last
    expect(button).not_to_be_in_viewport()
    page.locator("[name=players]").first.check()
    expect(button).to_be_in_viewport(ratio=1)
    page.locator("[name=players]").first.uncheck()
    page.fill("[name=names]", "青木")
    page.evaluate("document.activeElement.blur()")
    expect(button).to_be_in_viewport(ratio=1)
