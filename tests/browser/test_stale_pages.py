import pytest
from playwright.sync_api import Route, expect
from pytest_django.live_server_helper import LiveServer

from league.tasks import refresh_standings
from tests.conftest import DESKTOP, OpenPage
from tests.league.factories import make_league, make_session, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.long
def test_stale_page_from_the_edge_is_requested_again(open_page: OpenPage, live_server: LiveServer) -> None:
    session = make_session(make_league())
    play(session)
    refresh_standings(session.league_id)
    page = open_page(DESKTOP)
    address = f"{live_server.url}/l/{session.league.slug}/standings/all/"
    page.goto(address)
    before = page.content()
    bar, board = page.locator(".live-bar"), page.locator("#board")
    points = board.inner_text()
    play(session)
    refresh_standings(session.league_id)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(bar).to_be_visible()
    answered: list[str] = []

    def as_an_edge_would(route: Route) -> None:
        answered.append("STALE" if not answered else "HIT")
        if answered == ["STALE"]:
            route.fulfill(body=before, content_type="text/html; charset=utf-8", headers={"X-Cache": "STALE"})
        else:
            route.continue_()

    page.route(address, as_an_edge_would)
    bar.locator("a").click()
    expect(bar).to_be_hidden()
    assert answered == ["STALE", "HIT"]
    assert board.inner_text() != points
