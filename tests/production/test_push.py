"""Pages hear that there is something new through a real nginx with nchan, and go on where it is gone."""

import os
import signal
from collections.abc import Iterator
from time import monotonic, sleep

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from config import push
from league.models import Hanchan, Session
from league.services.history import SYSTEM
from league.tasks import refresh_standings
from tests.conftest import OpenPage
from tests.deadlines import wait_until
from tests.league.factories import make_league, make_session, play
from tests.production.pushing import Edge, edge_before, needs_nchan
from tests.production.servers import children_of
from tests.tournaments.factories import make_tournament
from tournaments.services.hall import set_timer

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True), needs_nchan]

BOARD = "/en/l/camarade/standings/2025-11/"
STATE = f"{BOARD}state/"
WALL = "/en/l/cinderella/t/t1/wall/"
STATE_OF_WALL = f"{WALL}state/"

LATER = 0.3
"""Seconds by which nothing may be saved later because nobody can be told."""


@pytest.fixture
def edge(live_server: LiveServer, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    monkeypatch.setattr(push, "publish", push.Publisher().publish)
    with edge_before(live_server.thread.port) as edge:
        settings.PUSH_URL = edge.push_url
        yield edge
        publisher()._waiting.clear()


def asked(edge: Edge, address: str) -> int:
    """Return how often an address was asked for through the edge."""
    return (edge.folder / "asked.log").read_text("utf-8").count(f"GET {address} ")


def listens_now(page: Page, times: int) -> None:
    """Wait until the page has begun to listen so many times."""
    expect(page.locator("body")).to_have_attribute("data-listens", str(times))


WATCHED = """
const Known = EventSource;
globalThis.EventSource = class extends Known {
  constructor(address) {
    super(address);
    this.addEventListener("open", () => (document.body.dataset.listens = Number(document.body.dataset.listens ?? 0) + 1));
  }
};
"""


def opened(open_page: OpenPage, edge: Edge, address: str) -> Page:
    """Open a page through the edge, and wait until it listens."""
    page = open_page((1280, 720))
    page.clock.install()
    page.add_init_script(WATCHED)
    page.goto(f"http://127.0.0.1:{edge.port}{address}")
    listens_now(page, 1)
    return page


@pytest.mark.timing
def test_a_result_is_announced_by_a_word_and_not_by_asking(open_page: OpenPage, edge: Edge) -> None:
    session = make_session(make_league())
    play(session)
    refresh_standings(session.league_id)
    page = opened(open_page, edge, BOARD)
    # Twice it has asked for what was told before it listened; by itself it would ask after twenty seconds.
    assert wait_until(lambda: asked(edge, STATE) == 2)
    expect(page.locator(".live-bar")).to_be_hidden()
    begun = monotonic()
    play(session)
    refresh_standings(session.league_id)
    expect(page.locator(".live-bar")).to_be_visible(timeout=7_000)
    assert monotonic() - begun < 7
    assert "hanchan" not in edge.log.read_text("utf-8")


@pytest.mark.timing
def test_a_wall_goes_on_without_what_tells_it_and_listens_again(open_page: OpenPage, edge: Edge) -> None:
    tournament = make_tournament()
    page = opened(open_page, edge, WALL)
    assert wait_until(lambda: asked(edge, STATE_OF_WALL) == 3)
    sleep(1)
    assert asked(edge, STATE_OF_WALL) == 3, "a wall that is told does not ask"
    face = page.locator(".projector-aside .clock-face")
    for minutes in (41, 52):
        begun = monotonic()
        set_timer(tournament=tournament, minutes=minutes, starts=False, by=SYSTEM)
        expect(face).to_have_text(f"{minutes}:00", timeout=3_000)
        assert monotonic() - begun < 3

    edge.stop()
    expect(page.locator("#badge")).to_have_attribute("data-state", "lost", timeout=10_000)
    edge.write(pushes=False)
    edge.start()
    expect(page.locator("#badge")).to_have_attribute("data-state", "live")
    set_timer(tournament=tournament, minutes=33, starts=False, by=SYSTEM)
    expect(face).to_have_text("33:00")

    edge.stop()
    edge.write()
    edge.start()
    # It tries again in half a minute or a whole one.
    page.clock.fast_forward(90_000)
    listens_now(page, 2)
    before = asked(edge, STATE_OF_WALL)
    set_timer(tournament=tournament, minutes=24, starts=False, by=SYSTEM)
    expect(face).to_have_text("24:00", timeout=5_000)
    assert asked(edge, STATE_OF_WALL) > before


@pytest.mark.timing
def test_an_edge_that_hangs_makes_nobody_wait_and_loses_nothing(edge: Edge) -> None:
    session = make_session(make_league())
    play(session)
    well = seconds(session)
    assert edge.process
    processes = (edge.process.pid, *children_of(edge.process.pid))
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert max(seconds(session) for _ in range(5)) < well + LATER
        assert wait_until(lambda: publisher().breaker.is_open)
        assert seconds(session) < well + LATER
    finally:
        for pid in processes:
            os.kill(pid, signal.SIGCONT)
    assert Hanchan.objects.count() == 8
    assert wait_until(lambda: not publisher().breaker.is_open)
    edge.stop()
    assert seconds(session) < well + LATER


def seconds(session: Session) -> float:
    """Save a result, and return how long that takes."""
    begun = monotonic()
    play(session)
    return monotonic() - begun


def publisher() -> push.Publisher:
    """Return the one that this test tells."""
    found: push.Publisher = push.publish.__self__  # type: ignore[attr-defined]
    return found
