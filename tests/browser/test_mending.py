"""Errors of a file mended in the table, without a script, on a phone and on a desktop; and rules from a day on."""

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import ImportBatch, ImportMending, League
from league.services.history import SYSTEM
from league.services.rules import save_version
from tests.browser.test_import import enter, look
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle
from tests.league.imports.files import batch_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROWS = """日付,卓,回戦,席,選手,素点,メモ
21-31-11,1,1,東,青木,31700,
21-31-11,1,1,南,石田,313oo,
21-31-11,1,1,西,上野,25500,
21-31-11,1,1,北,江口,11500,
2025-11-21,1,2,東,青木,42000,
2025-11-21,1,2,南,石田,28000,
2025-11-21,1,2,西,上野,18500,
2025-11-21,1,2,北,江口,11400,途中で交代
"""


@pytest.fixture
def league(transactional_db: None) -> League:
    """A league of four with one hanchan, and an organiser."""
    del transactional_db
    league = make_league()
    make_user("ishida", league=league, role="organiser")
    play(make_session(league), (10000, 20000, 30000, 40000), make_players(league, 4))
    settle()
    return league


@pytest.mark.long
@pytest.mark.parametrize(("size", "start"), [(PHONE, ""), (DESKTOP, "/en")], ids=["phone", "desktop"])
def test_errors_are_mended_in_the_table(
    league: League, live_server: LiveServer, open_page: OpenPage, size: tuple[int, int], start: str
) -> None:
    batch = batch_of(league, ROWS)
    page = open_page(size, dark=size == DESKTOP)
    enter(page, live_server, "ja", f"{start}/l/camarade/manage/import/{batch.pk}/check/")
    page.click("#mend")
    page.wait_for_url("**/mend/")
    expect(page.locator(".mend-game")).to_have_count(3)
    look(page)
    page.locator(".mend-game").first.locator("input").fill("2025-11-21")
    page.fill("[name=c3-5]", "31300")
    page.press("[name=c3-5]", "Enter")
    expect(page.locator(".mend-game")).to_have_count(1)
    look(page)
    page.fill("[name=c9-5]", "11500")
    page.click("#check-again")
    page.wait_for_url("**/check/")
    assert ImportMending.objects.count() == 3
    look(page)
    page.goto(f"{live_server.url}{start}/l/camarade/manage/import/{ImportBatch.objects.get().pk}/")
    expect(page.locator("#mended tbody tr")).to_have_count(3)
    look(page)


@pytest.mark.long
@pytest.mark.parametrize(("size", "start"), [(PHONE, ""), (DESKTOP, "/en")], ids=["phone", "desktop"])
def test_rules_are_put_in_force_from_a_day_on(
    league: League, live_server: LiveServer, open_page: OpenPage, size: tuple[int, int], start: str
) -> None:
    old = league.current_version
    assert old is not None
    version = save_version(ruleset=old.ruleset, parameters={**old.parameters, "oka": "0"}, note="", by=SYSTEM)
    page = open_page(size, dark=size == DESKTOP)
    enter(page, live_server, "ja", f"{start}/l/camarade/manage/rules/{version.pk}/edit/")
    page.goto(f"{live_server.url}{start}/l/camarade/rules/{version.pk}/")
    look(page)
    expect(page.locator("[name=first]")).to_be_hidden()
    page.check("[name=which][value=since]")
    expect(page.locator("[name=first]")).to_be_visible()
    look(page)
    page.fill("[name=first]", "")
    page.click("#preview-effect")
    expect(page.locator("#rescoring .error").first).to_be_visible()
    look(page)
    page.fill("[name=first]", "2025-11-01")
    page.click("#preview-effect")
    page.wait_for_url("**/jobs/**")
    expect(page.locator("#job-days")).to_contain_text("2025")
    look(page)
