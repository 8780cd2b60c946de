from typing import Any

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Player
from league.tasks import refresh_standings
from tests.browser.visits import fits, signed_in
from tests.budget import varied
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PREFIXES = varied("prefix", ["", "/en"], ids=["ja", "en"])
MONTH = "/l/camarade/standings/2025-11/"

ROWS = """() => {
  const floor = document.querySelector(".bar").getBoundingClientRect().top;
  const rows = [...document.querySelectorAll("table.board tbody tr[id]")];
  const boxes = rows.map((row) => row.getBoundingClientRect());
  const own = boxes[rows.findIndex((row) => row.classList.contains("me"))];
  const covers = (box) => own && box !== own && box.bottom > own.top + 1 && box.top < own.bottom - 1;
  const whole = (box) => box.top >= 0 && box.bottom <= floor + 1 && box.left >= -1 && box.right <= innerWidth + 1;
  return {
    whole: boxes.filter((box) => whole(box) && !covers(box)).length,
    own: own ? whole(own) : null,
    gaps: rows.filter((row) => [...row.querySelectorAll(".line2")].some((part) => part.offsetParent && /差|gap/.test(part.textContent))).length,
  };
}"""
"""Script: fully visible rows, whether one's own is among them, width of the page, rows that show the gap."""

CLASHES = """() => [...document.querySelectorAll("table.board tbody tr[id]")].filter((row) => {
  const words = [...row.querySelectorAll(".name .line2 :is(span, i):not(.sr, .recent, [aria-hidden])")];
  const right = row.querySelector(".trend").getBoundingClientRect();
  const boxes = words.map((word) => word.getBoundingClientRect());
  return boxes.some((box) => box.right > right.left && box.bottom > right.top + 1 && box.top < right.bottom - 1);
}).length"""
"""Script: rows whose second line overlaps the right column."""


def long_month() -> list[Player]:
    """Twelve ranked players without ties, and three with too few hanchan."""
    league = make_league(minimum_month=3)
    people = make_players(league, 15)
    Player.objects.filter(league=league).update(romanised="Tsukasa Nakanishi", name="中西 つかさ")
    for number in range(12):
        group = [people[(number + 3 * seat) % 12] for seat in range(4)]
        play(make_session(league), (50000 + 100 * number**2, 25000, 12000, 13000 - 100 * number**2), players=group)
    play(make_session(league), players=(*people[12:], people[0]))
    settle()
    return people


def reader_of(player: Player) -> User:
    user = make_user("reader", league=player.league, role="player")
    Player.objects.filter(pk=player.pk).update(user=user)
    return user


def seen(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(ROWS)
    return found


@pytest.mark.long
@PREFIXES
@pytest.mark.parametrize("reader", ["a visitor", "the last of the board"])
def test_five_players_fit_the_screen(open_page: OpenPage, live_server: LiveServer, prefix: str, reader: str) -> None:
    people = long_month()
    page = open_page(PHONE, language="en" if prefix else "ja")
    if reader != "a visitor":
        signed_in(page, live_server.url, reader_of(people[14]))
    page.goto(f"{live_server.url}{prefix}{MONTH}")
    found = seen(page)
    assert found["whole"] >= 5, found
    assert found["gaps"] == 11
    assert page.evaluate(CLASHES) == 0
    fits(page)


@pytest.mark.long
@PREFIXES
@pytest.mark.parametrize("place", [0, 14], ids=["first", "below the minimum"])
def test_own_row_stays_while_scrolling(open_page: OpenPage, live_server: LiveServer, prefix: str, place: int) -> None:
    people = long_month()
    page = open_page(PHONE, language="en" if prefix else "ja")
    signed_in(page, live_server.url, reader_of(people[place]))
    page.goto(f"{live_server.url}{prefix}{MONTH}")
    top = page.locator("table.board").bounding_box()
    assert top is not None
    for far in range(0, int(top["y"] + top["height"]) - PHONE[1] + 60, 90):
        page.evaluate(f"scrollTo(0, {far})")
        assert seen(page)["own"] is True, far


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


@pytest.mark.long
@PREFIXES
def test_player_page_is_short_until_opened(open_page: OpenPage, live_server: LiveServer, prefix: str) -> None:
    people = long_month()
    page = open_page(PHONE, language="en" if prefix else "ja")
    page.goto(f"{live_server.url}{prefix}/l/camarade/p/{people[0].pk}/")
    assert page.evaluate("document.documentElement.scrollHeight") <= 2500
    fits(page)
    page.evaluate("for (const part of document.querySelectorAll('.player-parts > details')) part.open = true")
    fits(page)
