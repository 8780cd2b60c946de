"""The points ticker on a phone: hands are typed, offline and back, undone, and the last hand is told on every key."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.http.entry_context import EntryContext
from league.models import Session
from league.services.history import Actor
from tests.browser.phones import OpenPhone, open_phone, records
from tests.conftest import wait_until
from tests.league.entry_contexts import link_of
from tests.tournaments.factories import draw_and_plan, make_cinderella_league, make_tournament
from tournaments.http.ticker import ticker_url
from tournaments.models import StageSession, Tick
from tournaments.selectors.live import live_tables

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

__all__ = ["open_phone"]


@pytest.fixture
def table(transactional_db: None) -> StageSession:
    """A table of four whose only hanchan decides who goes on."""
    del transactional_db
    league = make_cinderella_league()
    tournament = make_tournament(league, "elimination-4", players=16)
    return draw_and_plan(tournament, tournament.format.stages[0].key)[0]


def address(session: Session) -> str:
    """Return the ticker of the first table, by its link."""
    return ticker_url(EntryContext(session, 1, Actor(None, "table link 1", link_of(session))))


def go(page: Page, live_server: LiveServer, session: Session) -> None:
    page.goto(f"{live_server.url}{address(session)}")
    expect(page.locator("[data-ticker]")).to_have_attribute("data-ready", "1")


def type_hand(page: Page, *scores: str) -> None:
    page.fill("[name=raw_0]", scores[0])
    for number, score in enumerate(scores[1:], start=1):
        page.fill(f"[name=raw_{number}]", score)


def test_a_hanchan_is_typed_at_the_table(open_phone: OpenPhone, live_server: LiveServer, table: StageSession) -> None:
    session = table.session
    page = open_phone()
    go(page, live_server, session)
    now, save = page.locator("[data-now]"), page.locator("[data-save]")
    type_hand(page, "211", "289", "250")
    expect(page.locator("#auto_3")).to_have_text("25,000")
    expect(page.locator("[data-next]")).to_have_text("東2局 · 0本場 · 供託0本")
    save.tap()
    expect(now).to_have_text("東2局 · 0本場 · 供託0本")
    assert wait_until(lambda: Tick.objects.count() == 1)
    # Without the network it goes on, and what was typed arrives in its order.
    page.context.set_offline(True)
    page.tap("[value=riichi-2]")
    expect(now).to_have_text("東2局 · 0本場 · 供託1本")
    expect(page.locator("[value=riichi-2]")).to_have_attribute("aria-pressed", "true")
    type_hand(page, "211", "239", "300")
    save.tap()
    expect(now).to_have_text("東3局 · 0本場 · 供託0本")
    expect(page.locator("[data-unsent-banner]")).to_contain_text("未送信 2件")
    assert Tick.objects.count() == 1
    page.context.set_offline(False)
    assert wait_until(lambda: Tick.objects.count() == 3)
    assert [tick.hand for tick in Tick.objects.order_by("at")] == ["E2", "E2", "E3"]
    assert wait_until(lambda: records(page) == [])
    expect(page.locator("#course tr")).to_have_count(2)
    # A slip is taken back by another fact.
    page.tap("[name=takes_back]")
    expect(now).to_have_text("東2局 · 0本場 · 供託1本")
    assert wait_until(lambda: Tick.objects.count() == 4)
    # In the last hand every key tells what it would mean.
    page.locator("summary", has_text="局・本場・供託を直す").tap()
    page.select_option("[name=hand]", "S4")
    type_hand(page, "211", "239", "300")
    expect(page.locator("#last-hands")).to_contain_text("ツモ")
    expect(page.locator("#last-hands")).to_contain_text("放銃")
    assert Tick.objects.count() == 4
    save.tap()
    expect(now).to_have_text("南4局 · 0本場 · 供託0本")
    assert wait_until(lambda: live_tables([session.pk])[session.pk, 1].hand == "S4")
    # A reload shows the same, and the scores go to the entry page.
    page.reload()
    expect(page.locator("#last-hands")).to_contain_text("ツモ")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 360
    page.locator("[data-handover] button").tap()
    expect(page.locator("[name=raw_2]")).to_have_value("30.0")
    assert session.hanchan.count() == 0
