"""Accessibility (axe) of ticker, remote and every hall display in the last hand, in both languages."""

from collections.abc import Sequence
from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.http.entry_context import EntryContext
from league.services.history import SYSTEM, Actor
from tests.browser.visits import signed_in
from tests.conftest import OpenPage
from tests.league.entry_contexts import link_of
from tests.tournaments.factories import approve_stage, by_entry, director, final_of_four, play_table, tournament_round
from tournaments.core.ticking import Situation
from tournaments.http.hall import ticker_url
from tournaments.models import StageSession
from tournaments.services.hall import TypedTick, record_tick, set_timer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE, SCREEN = (360, 740), (1280, 720)
SCENES = ("tables", "conditions", "standings", "seating", "bracket", "timer")
KINDS = ("tables", "hand", "standings", "seating", "bracket", "bracket", "timer")
SCORES = ((33000, 24000, 23000, 20000), (31000, 24000, 25000, 20000), (31000, 22900, 25000, 21100))

CUT = """() => [...document.querySelectorAll(".screen:not([hidden]) :is(.hand-cards > li, .b-card)")].filter(
  (card) => card.scrollHeight > card.clientHeight + 1 || card.scrollWidth > card.clientWidth + 1
).map((card) => card.textContent.trim().slice(0, 40))"""
"""Script: cards whose content overflows."""


@pytest.fixture
def final(transactional_db: None) -> StageSession:
    """A final in the last hand of its last hanchan, with a running timer."""
    del transactional_db
    final = final_of_four()
    seats = final.session.planned_seats.filter(round__in=[0, tournament_round(final)], table=1).order_by("seat")
    players = tuple(seats.values_list("player", flat=True))
    for number, scores in enumerate(SCORES, 1):
        situation = Situation(scores, ("S2", "S3", "S4")[number - 1], 1, 0)
        typed = TypedTick(uuid4(), tournament_round(final), number, players, situation)
        record_tick(session=final.session, table=1, typed=typed, by=SYSTEM)
    set_timer(tournament=final.tournament, minutes=60, starts=True, by=SYSTEM)
    return final


SHOW = """(wanted) => {
  document.documentElement.dataset.theme = ["dark", "light"][wanted % 2];
  document.querySelectorAll("[data-screen]").forEach((each, number) => (each.hidden = number !== wanted));
}"""
"""Script: show one screen of the wall; every other one in the light theme."""


def look(page: Page, part: str) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    assert page.evaluate(CUT) == [], page.url
    found = Axe().run(page, part)
    assert found.violations_count == 0, (page.url, part, found.generate_report())


def look_at_screens(page: Page, address: str, kinds: Sequence[str]) -> None:
    page.goto(address)
    expect(page.locator("[data-screen]")).to_have_count(len(kinds))
    for number, kind in enumerate(kinds):
        page.evaluate(SHOW, number)
        expect(page.locator(f".scene-{kind}:not([hidden])")).to_have_count(1)
        look(page, "html" if number == 0 else "#screens")


@pytest.mark.long
def test_ticker_remote_and_hall_display_are_accessible(
    open_page: OpenPage, live_server: LiveServer, final: StageSession
) -> None:
    page = signed_in(open_page(PHONE), live_server.url, director(final.tournament.league))
    page.emulate_media(reduced_motion="reduce")
    ticker = ticker_url(EntryContext(final.session, 1, Actor(None, "table link 1", link_of(final.session))))
    hall = [f"{live_server.url}{prefix}/l/cinderella/t/t1" for prefix in ("", "/en")]
    for here in hall:
        for address in (here.removesuffix("/l/cinderella/t/t1") + ticker, f"{here}/remote/"):
            page.goto(address)
            look(page, "html")
    page.set_viewport_size({"width": SCREEN[0], "height": SCREEN[1]})
    look(page, "html")
    for here in hall:
        look_at_screens(page, f"{here}/wall/?show={','.join(SCENES)}", KINDS)
        look_at_screens(page, f"{here}/overlay/?show=tables,conditions", ("tables", "hand"))
    play_table(final, 1, tournament_round(final), by_entry(final.tournament))
    approve_stage(final.tournament, "final")
    for here in hall:
        look_at_screens(page, f"{here}/wall/", ("champion",))
