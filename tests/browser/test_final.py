"""A final in a browser: the last hands typed at the table, seen on the wall, handed over, saved, and the champion."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.http.entry_context import EntryContext
from league.services.history import Actor
from tests.browser.phones import say_state
from tests.conftest import OpenPage
from tests.deadlines import wait_until
from tests.league.entry_contexts import link_of
from tests.league.factories import planned_players, play
from tests.tournaments.factories import (
    approve_stage,
    draw_and_plan,
    final_of_four,
    make_tournament,
    play_stage,
    tournament_round,
)
from tournaments.http.hall import ticker_url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLOSE = ((24300, 31900, 25600, 18200), (33500, 21400, 27700, 17400), (20100, 29800, 18900, 31200))
"""Three hanchan after which everybody can still win, each by many ways."""

SHOW = """(wanted) =>
  document.querySelectorAll("[data-screen]").forEach((each, number) => (each.hidden = number !== wanted))"""
LOWEST = """() => Math.max(...[...document.querySelectorAll(".said p")]
  .filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect().bottom / innerHeight))"""


def hand(page: Page, *scores: str) -> None:
    for number, score in enumerate(scores):
        page.fill(f"[name=raw_{number}]", score)
    page.locator("[data-save]").click()


@pytest.mark.long
def test_the_last_hanchan_goes_from_the_table_to_the_champion_on_the_wall(
    open_page: OpenPage, live_server: LiveServer
) -> None:
    final = final_of_four()
    tournament, session = final.tournament, final.session
    seated = planned_players(session, 1, tournament_round(final))
    wall, phone = open_page((1280, 720)), open_page()
    wall.goto(f"{live_server.url}/l/cinderella/t/t1/wall/")
    phone.goto(
        f"{live_server.url}{ticker_url(EntryContext(session, 1, Actor(None, 'table link 1', link_of(session))))}"
    )
    expect(phone.locator("[data-ticker]")).to_have_attribute("data-ready", "1")
    hand(phone, "330", "240", "230")
    expect(wall.locator("td.raw", has_text="33,000")).to_be_visible()
    phone.locator("summary", has_text="局・本場・供託を直す").click()
    phone.select_option("[name=hand]", "S4")
    hand(phone, "270", "300", "180")
    expect(phone.locator("[data-now]")).to_contain_text("南4局")
    expect(wall.locator("td.raw", has_text="18,000")).to_be_visible()
    hand(phone, "120", "100", "80")
    phone.locator("[data-handover] button").click()
    say_state(phone, "from_ticker")
    phone.locator("#save").click()
    assert wait_until(lambda: session.hanchan.count() == tournament_round(final))
    last = session.hanchan.get(round=tournament_round(final))
    # In the order of the seats as they were typed: nobody got another's score on the way.
    assert {seat.player_id: seat.raw_score for seat in last.seats.all()} == {
        player.pk: raw for player, raw in zip(seated, (12000, 10000, 8000, 70000), strict=True)
    }
    expect(wall.locator("td.raw")).to_have_count(0)
    approve_stage(tournament, "final")
    expect(wall.locator(".crown")).to_be_visible()


@pytest.mark.long
def test_what_all_four_need_in_a_close_final_is_never_cut(open_page: OpenPage, live_server: LiveServer) -> None:
    tournament = make_tournament()
    for stage in ("qualifying", "po1", "po2", "po3"):
        play_stage(tournament, stage)
    final = draw_and_plan(tournament, "final")[0]
    for number, raw in enumerate(CLOSE, start=1):
        play(final.session, raw, planned_players(final.session, 1, number), table=1, round=number)
    page = open_page((1280, 720))
    page.goto(f"{live_server.url}/l/cinderella/t/t1/wall/?view=conditions")
    screens = page.locator("[data-screen]")
    assert screens.count() > 1
    assert page.locator(".said > div").count() == 4
    for number in range(screens.count()):
        page.evaluate(SHOW, number)
        assert page.evaluate(LOWEST) <= 0.97, number
    said = page.locator(".said p").all_text_contents()
    page.goto(f"{live_server.url}/l/cinderella/t/t1/stage/final/")
    assert said == page.locator(".t-needs-list .plain li").all_text_contents()
