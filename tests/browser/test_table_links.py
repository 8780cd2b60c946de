import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Session
from league.services.links import code_of
from tests.browser.visits import fits, signed_in
from tests.budget import varied
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_session, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def session(transactional_db: None) -> Session:
    """Tonight's session with two tables; Aoki is the organiser."""
    del transactional_db
    league = make_league()
    make_players(league, 5)
    make_user("aoki", league=league, role="organiser")
    return make_session(league, league.day_of(timezone.now()), tables=2)


@pytest.mark.long
@varied("prefix", ["", "/en"], ids=["ja", "en"])
@varied("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_an_organiser_issues_shows_and_revokes_links(
    open_page: OpenPage, live_server: LiveServer, session: Session, prefix: str, size: tuple[int, int]
) -> None:
    page = signed_in(open_page(size), live_server.url, User.objects.get())
    page.goto(f"{live_server.url}{prefix}/l/camarade/sessions/{session.pk}/links/")
    fits(page)
    page.click("[value=issue]")
    first = page.locator("#table-1")
    address = first.locator("[readonly]").input_value()
    code = code_of(session.table_links.get(table=1))
    assert address == f"{live_server.url}{prefix}/e/{code}/"
    first.locator("summary").first.click()
    expect(first.locator("svg.qr-code")).to_be_visible()
    first.locator("summary").last.click()
    fits(page)
    first.locator("[value=revoke-1]").click()
    expect(page.locator("#table-1 [readonly]")).to_have_count(0)
    expect(page.locator("#table-2 [readonly]")).to_have_count(1)
    assert page.goto(address).status == 410  # type: ignore[union-attr]
    fits(page)
