import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.http.entry_context import EntryContext
from league.models import Session
from league.services.history import Actor
from tests.browser.phones import records, save, say_state
from tests.browser.test_offline import kept_pages
from tests.conftest import OpenPage
from tests.deadlines import wait_until
from tests.league.entry_contexts import link_of
from tests.tournaments.factories import draw_and_plan, make_cinderella_league, make_tournament
from tournaments.http.hall import ticker_url
from tournaments.models import StageSession, Tick
from tournaments.selectors.hall import live_tables

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def table() -> StageSession:
    tournament = make_tournament(make_cinderella_league(), "elimination-4", players=16)
    return draw_and_plan(tournament, tournament.format.stages[0].key)[0]


def go(page: Page, live_server: LiveServer, session: Session) -> None:
    address = ticker_url(EntryContext(session, 1, Actor(None, "table link 1", link_of(session))))
    page.goto(f"{live_server.url}{address}")
    expect(page.locator("[data-ticker]")).to_have_attribute("data-ready", "1")


def type_hand(page: Page, *scores: str) -> None:
    page.fill("[name=raw_0]", scores[0])
    for number, score in enumerate(scores[1:], start=1):
        page.fill(f"[name=raw_{number}]", score)


def swap_first_two(page: Page) -> tuple[str, str]:
    second_name = page.locator(".ticker-who [data-who='1']").inner_text()
    page.locator("summary", has_text="席順").tap()
    first, second = (page.locator(f"select[name=player_{seat}]").input_value() for seat in range(2))
    page.select_option("select[name=player_0]", second)
    page.select_option("select[name=player_1]", first)
    page.locator("button", has_text="席順を直す").tap()
    expect(page.locator(".ticker-who [data-who='0']")).to_have_text(second_name)
    return first, second


def scores_on(page: Page) -> list[str]:
    return [page.locator(f"[name=raw_{seat}]").input_value() for seat in range(4)]


@pytest.mark.long
def test_offline_hanchan_is_sent_later(open_phone: OpenPage, live_server: LiveServer, table: StageSession) -> None:
    session = table.session
    page = open_phone(service_workers="allow")
    go(page, live_server, session)
    now, save_hand = page.locator("[data-now]"), page.locator("[data-save]")
    assert wait_until(lambda: len(kept_pages(page)) == 2)
    type_hand(page, "211", "289", "250")
    save_hand.tap()
    assert wait_until(lambda: Tick.objects.count() == 1)
    assert wait_until(lambda: records(page) == [])
    page.context.set_offline(True)
    type_hand(page, "211", "239", "300")
    save_hand.tap()
    expect(now).to_have_text("東3局 · 0本場 · 供託0本")
    type_hand(page, "201", "239")
    # After a reload, hands that were sent, are waiting or are half typed are still there.
    page.reload()
    expect(page.locator("[data-ticker]")).to_have_attribute("data-ready", "1")
    expect(now).to_have_text("東3局 · 0本場 · 供託0本")
    expect(page.locator("#course tr")).to_have_count(2)
    expect(page.locator("#raw_1")).to_have_value("239")
    # Invalid input gets one message; a mistaken hand can be withdrawn.
    save_hand.tap()
    expect(page.locator("#ticker-state")).to_contain_text("合いません")
    page.fill("[name=raw_2]", "310")
    save_hand.tap()
    page.tap("[name=takes_back]")
    expect(now).to_have_text("東3局 · 0本場 · 供託0本")
    first_key, second_key = swap_first_two(page)
    # From the ticker to the entry page, back for a correction, and once more.
    page.locator("[data-handover] button").tap()
    say_state(page, "from_ticker")
    expect(page.locator("select[name=player_0]")).to_have_value(second_key)
    assert scores_on(page) == ["211", "239", "300", "250"]
    page.go_back()
    type_hand(page, "191", "259", "300")
    save_hand.tap()
    page.locator("[data-handover] button").tap()
    say_state(page, "from_ticker")
    assert scores_on(page) == ["191", "259", "300", "250"]
    save(page)
    say_state(page, "unsent")
    assert session.hanchan.count() == 0
    page.context.set_offline(False)
    assert wait_until(lambda: session.hanchan.count() == 1)
    seats = [(str(seat.player_id), seat.raw_score) for seat in session.hanchan.get().seats.order_by("seat")]
    assert seats[:2] == [(second_key, 19100), (first_key, 25900)]
    assert wait_until(lambda: Tick.objects.count() == 6)


@pytest.mark.long
def test_ticker_shows_riichi_and_last_hand(open_phone: OpenPage, live_server: LiveServer, table: StageSession) -> None:
    page = open_phone()
    go(page, live_server, table.session)
    type_hand(page, "211", "289", "250")
    expect(page.locator("#auto_3")).to_have_text("25,000")
    expect(page.locator("[data-next]")).to_have_text("東2局 · 0本場 · 供託0本")
    page.tap("[value=riichi-2]")
    expect(page.locator("[value=riichi-2]")).to_have_attribute("aria-pressed", "true")
    page.locator("summary", has_text="局・本場・供託を直す").tap()
    page.select_option("[name=hand]", "S4")
    type_hand(page, "211", "239", "300")
    expect(page.locator("#last-hands")).to_contain_text("ツモ")
    expect(page.locator("#last-hands")).to_contain_text("放銃")
    page.locator("[data-save]").tap()
    expect(page.locator("[data-now]")).to_have_text(re.compile("^南4局 · 0本場"))
    assert wait_until(lambda: live_tables([table.session.pk])[table.session.pk, 1].situation.hand == "S4")
    page.reload()
    expect(page.locator("#last-hands")).to_contain_text("ツモ")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
