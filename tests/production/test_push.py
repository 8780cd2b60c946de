"""Pages hear that there is something new through a real nginx with nchan, and go on where it is gone."""

from collections.abc import Iterator
from time import monotonic, sleep

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from config import push
from league import background
from league.models import Hanchan
from league.services.history import SYSTEM
from tests.conftest import OpenPage, wait_until
from tests.league.factories import make_league, make_session, play
from tests.processes import free_port
from tests.production.pushing import Edge, edge_before, needs_nchan
from tests.tournaments.factories import make_tournament
from tournaments.services.timers import set_timer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), needs_nchan]

BOARD = "/en/l/camarade/standings/2025-11/"
STATE = f"{BOARD}state/"
WALL = "/en/l/cinderella/t/t1/wall/"

LATER = 0.3
"""Seconds by which nothing may be saved later because nobody can be told."""


@pytest.fixture
def edge(live_server: LiveServer, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    monkeypatch.setattr(push, "publish", push.Publisher().publish)
    with edge_before(live_server.thread.port) as edge:
        settings.PUSH_URL = edge.push_url
        yield edge


def asked(edge: Edge, address: str) -> int:
    """Return how often an address was asked for through the edge."""
    return (edge.folder / "asked.log").read_text("utf-8").count(f"GET {address} ")


def listens_now(page: Page) -> None:
    """Wait until the page listens, and has asked for what came before."""
    page.wait_for_function("performance.getEntriesByName('tenbo-listens').length > 0")


WATCHED = """
const Known = EventSource;
globalThis.EventSource = class extends Known {
  constructor(address) {
    super(address);
    this.addEventListener("open", () => performance.mark("tenbo-listens"));
  }
};
"""


def opened(open_page: OpenPage, edge: Edge, address: str) -> Page:
    """Open a page through the edge, and wait until it listens."""
    page = open_page((1280, 720))
    page.add_init_script(WATCHED)
    page.goto(f"http://127.0.0.1:{edge.port}{address}")
    listens_now(page)
    return page


def test_a_result_is_announced_by_a_word_and_not_by_asking(open_page: OpenPage, edge: Edge) -> None:
    session = make_session(make_league())
    play(session)
    background.retire()
    page = opened(open_page, edge, BOARD)
    # Whatever came before has been asked for; from now on the page's own clock stands still but for what it is told.
    assert wait_until(lambda: asked(edge, STATE) == 2, 8)
    expect(page.locator(".live-bar")).to_be_hidden()
    begun = monotonic()
    play(session)
    background.retire()
    expect(page.locator(".live-bar")).to_be_visible(timeout=6_000)
    assert monotonic() - begun < 6, "a page that asks would have done so after twenty seconds"
    page.locator(".live-bar a").click()
    expect(page.locator("#board")).to_contain_text("2")
