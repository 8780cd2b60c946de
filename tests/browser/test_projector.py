"""The projector in a real browser: nothing scrolls, and a lost network takes nothing away."""

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.budget import varied
from tests.conftest import OpenPage
from tests.deadlines import PROCESS, patience, wait_until
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_planned, play_table
from tournaments.models import StageSession

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PROJECTOR = (1280, 720)
LEAST = 28
"""The smallest text is one of so many parts of the height of the screen."""


@pytest.fixture
def stage_sessions(transactional_db: None) -> list[StageSession]:
    """Two blocks of eight; of the first session two hanchan are played in block A."""
    del transactional_db
    sessions = draw_and_plan(make_tournament(), "qualifying", seed=7)
    strength = by_entry(sessions[0].tournament)
    for number in (1, 2):
        for table in (1, 2):
            play_table(sessions[0], table, number, strength)
    return sessions


def measured(page: Page) -> dict[str, int]:
    """Return whether anything is cut off or scrolls, and the smallest type; without what goes away with the pointer."""
    measure = """() => {
      const FOR_THE_HAND = ".projector-sound, .projector-remote";
      const shown = [...document.querySelectorAll("body *")].filter((each) => {
        const box = each.getBoundingClientRect();
        const text = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        return text && box.width > 2 && !each.closest(`.sr, .sr-only, [hidden], noscript, script, ${FOR_THE_HAND}`);
      });
      const root = document.documentElement;
      return {
        scrolls: Number(root.scrollWidth > innerWidth || root.scrollHeight > innerHeight),
        cut: [...document.querySelectorAll(".rank, .pt, .of, .gap")].filter(
          (each) => each.scrollWidth > each.clientWidth + 1 && !each.querySelector(".sr")).length,
        smallest: Math.min(...shown.map((each) => parseFloat(getComputedStyle(each).fontSize))),
        left: Math.min(...shown.map((each) => each.getBoundingClientRect().left)),
        right: Math.max(...shown.map((each) => each.getBoundingClientRect().right)),
        bottom: Math.max(...shown.map((each) => each.getBoundingClientRect().bottom)),
      };
    }"""
    found: dict[str, int] = page.evaluate(measure)
    return found


@pytest.mark.long
@varied("size", [PROJECTOR, (1920, 1080)], ids=["720p", "1080p"])
@pytest.mark.parametrize(
    "query", ["?show=standings", "?show=standings&block=A", "?show=seating"], ids=["sixteen", "eight", "tables"]
)
@varied("prefix", ["", "/en"], ids=["ja", "en"])
def test_nothing_scrolls_and_everything_is_large(
    open_page: OpenPage,
    live_server: LiveServer,
    stage_sessions: list[StageSession],
    size: tuple[int, int],
    query: str,
    prefix: str,
) -> None:
    del stage_sessions
    page = open_page(size)
    page.goto(f"{live_server.url}{prefix}/l/cinderella/t/t1/wall/{query}")
    expect(page.locator("#badge")).to_have_attribute("data-state", "live")
    found = measured(page)
    assert not found["scrolls"]
    assert not found["cut"]
    assert found["smallest"] >= size[1] / LEAST
    assert found["left"] >= size[0] * 0.05 - 1
    assert found["right"] <= size[0] * 0.95 + 1
    assert found["bottom"] <= size[1] * 0.95 + 1


@pytest.mark.long
def test_sixteen_in_one_block_fit_too(open_page: OpenPage, live_server: LiveServer, transactional_db: None) -> None:
    del transactional_db
    tournament = make_tournament(format_key="open-final-table", players=16)
    stage = tournament.format.stages[0].key
    play_planned(draw_and_plan(tournament, stage)[0], by_entry(tournament))
    page = open_page(PROJECTOR)
    page.goto(f"{live_server.url}/l/cinderella/t/t1/wall/?show=standings&stage={stage}")
    found = measured(page)
    assert not found["scrolls"]
    assert not found["cut"]
    assert found["smallest"] >= PROJECTOR[1] / LEAST
    assert found["bottom"] <= PROJECTOR[1] * 0.95 + 1


@pytest.mark.long
def test_the_projector_outlives_a_lost_network(
    open_page: OpenPage, live_server: LiveServer, stage_sessions: list[StageSession]
) -> None:
    page = open_page(PROJECTOR)
    page.goto(f"{live_server.url}/l/cinderella/t/t1/wall/?show=standings&block=A")
    badge, rows = page.locator("#badge"), page.locator("tbody tr:not(.cut)")
    expect(badge).to_contain_text("LIVE")
    expect(rows).to_have_count(8)
    before = page.locator("tbody").inner_text()

    page.context.set_offline(True)
    expect(badge).to_contain_text("通信待ち")
    expect(badge).to_contain_text(re.compile(r"\d\d:\d\d"))
    play_planned(stage_sessions[1], by_entry(stage_sessions[1].tournament))
    play_table(stage_sessions[0], 1, 3, by_entry(stage_sessions[0].tournament))
    # The page asks in vain twice more: the table stays.
    for _ in range(2):
        page.wait_for_event("requestfailed", timeout=1000 * patience(PROCESS))
    expect(badge).to_contain_text("通信待ち")
    assert page.locator("tbody").inner_text() == before

    page.context.set_offline(False)
    expect(badge).to_contain_text("LIVE")
    expect(page.locator("tbody")).to_contain_text("3/8")
    assert page.locator("tbody").inner_text() != before


@pytest.mark.long
def test_a_server_that_fails_leaves_the_last_figures_after_a_reload(
    open_page: OpenPage, live_server: LiveServer, stage_sessions: list[StageSession]
) -> None:
    address = f"{live_server.url}/l/cinderella/t/t1/wall/?show=standings&block=A"
    page = open_page(PROJECTOR)
    page.goto(address)
    assert wait_until(lambda: bool(page.evaluate("localStorage.length")))
    old = page.content()
    play_table(stage_sessions[0], 1, 3, by_entry(stage_sessions[0].tournament))
    expect(page.locator("tbody")).to_contain_text("3/8")
    # The browser brings up the page it once loaded, and the state cannot be had.
    page.route(address, lambda route: route.fulfill(body=old, content_type="text/html"))
    page.route("**/wall/state/**", lambda route: route.abort())
    page.reload()
    expect(page.locator("#badge")).to_contain_text("通信待ち")
    expect(page.locator("tbody")).to_contain_text("3/8")


@pytest.mark.long
def test_a_projector_without_script_still_shows_the_table(
    open_page: OpenPage, live_server: LiveServer, stage_sessions: list[StageSession]
) -> None:
    del stage_sessions
    page = open_page(PROJECTOR, scripts=False)
    page.goto(f"{live_server.url}/l/cinderella/t/t1/wall/?show=standings")
    expect(page.locator("tbody tr:not(.cut)")).to_have_count(16)
    assert page.locator("meta[http-equiv=refresh]").count() == 1
