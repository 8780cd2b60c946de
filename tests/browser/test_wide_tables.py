from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from league.models import Session
from tests.budget import varied
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_session, play, settle
from tests.tournaments import factories
from tournaments.models import Tournament

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1280", "360"])
PREFIXES = varied("prefix", ["", "/en"], ids=["ja", "en"])

COVERED = """(region) => {
  const rows = [...region.querySelectorAll("thead tr")];
  const heads = [...rows.at(-1).children];
  const box = () => region.getBoundingClientRect();
  const stays = heads.map((head) => getComputedStyle(head).position === "sticky");
  const free = () => [
    heads.filter((_, at) => stays[at] && at < heads.length / 2).reduce((far, head) => Math.max(far, head.getBoundingClientRect().right), box().left),
    heads.filter((_, at) => stays[at] && at >= heads.length / 2).reduce((near, head) => Math.min(near, head.getBoundingClientRect().left), box().right),
  ];
  const covered = [];
  for (const [at, head] of heads.entries()) {
    region.scrollLeft = 0;
    const [from] = stays[at] ? [box().left] : free();
    region.scrollLeft += head.getBoundingClientRect().left - from;
    const [least, most] = stays[at] ? [box().left, box().right] : free();
    const now = head.getBoundingClientRect();
    if (now.left < least - 1 || now.right > most + 1) covered.push([at, head.innerText, now.left, now.right, least, most]);
  }
  region.scrollLeft = 0;
  if (region.scrollWidth > Math.max(region.firstElementChild.offsetWidth, region.clientWidth)) covered.push("what sticks out");
  return covered;
}"""
"""Script: columns of a region's table that stay covered at any scroll position."""

IN_VIEW = """(region) => {
  region.scrollLeft = 0;
  const boxes = [...[...region.querySelectorAll("thead tr")].at(-1).children].map((head) => head.getBoundingClientRect());
  const { left, right } = region.getBoundingClientRect();
  const last = boxes.at(-1).left;
  const seen = boxes.filter((box, at) => box.left >= left - 1 && box.right <= (at === boxes.length - 1 ? right : last) + 1);
  return { seen: seen.length, of: boxes.length, total: boxes.at(-1).right <= right + 1 && right <= innerWidth };
}"""
"""Script: how many columns are fully visible before scrolling, and whether the last is among them."""


def evening(tables: int = 3, rounds: int = 4) -> Session:
    session = make_session(league := make_league())
    people = make_players(league, 4 * tables)
    for number in range(1, rounds + 1):
        for table in range(tables):
            play(session, players=people[4 * table : 4 * table + 4], table=table + 1, round=number)
    settle()
    return session


def qualifying() -> Tournament:
    tournament = factories.make_tournament()
    for stage_session in factories.draw_and_plan(tournament, "qualifying"):
        factories.play_planned(stage_session, factories.by_entry(tournament))
    settle()
    return tournament


def open_folds(page: Page) -> None:
    page.evaluate("for (const fold of document.querySelectorAll('details.fold')) fold.open = true")


def tables_of(page: Page) -> list[dict[str, object]]:
    open_folds(page)
    regions = page.locator(".table-scroll:has(.sum-stays)")
    found = []
    for number in range(regions.count()):
        region = regions.nth(number)
        assert region.evaluate(COVERED) == []
        found.append(region.evaluate(IN_VIEW))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return found


def pages_of_an_evening() -> list[str]:
    session = evening()
    home = f"/l/{session.league.slug}/sessions/{session.pk}/"
    return [f"{home}{view}" for view in ("", "?view=raw", "?view=placement", "?view=running")]


def pages_of_a_stage() -> list[str]:
    tournament = qualifying()
    return [f"/l/{tournament.league.slug}/t/{tournament.key}/stage/qualifying/"]


def pages_of_a_large_session() -> list[str]:
    session = evening(tables=6, rounds=7)
    return [f"/l/{session.league.slug}/sessions/{session.pk}/?by={by}" for by in ("round", "table")]


@pytest.mark.long
@SIZES
@PREFIXES
@pytest.mark.parametrize(
    ("pages", "tables", "columns"),
    [
        # Columns: round, twelve players, sum.
        pytest.param(pages_of_an_evening, 1, 14, id="session"),
        # Columns: player, eight hanchan, total.
        pytest.param(pages_of_a_stage, 2, 10, id="stage"),
        pytest.param(pages_of_a_large_session, 1, None, id="large session"),
    ],
)
def test_total_column_stays_visible_and_every_column_can_be_reached(
    open_page: OpenPage,
    live_server: LiveServer,
    size: tuple[int, int],
    prefix: str,
    *,
    pages: Callable[[], list[str]],
    tables: int,
    columns: int | None,
) -> None:
    page = open_page(size)
    for address in pages():
        page.goto(f"{live_server.url}{prefix}{address}")
        found = tables_of(page)
        assert [table["total"] for table in found] == [size == DESKTOP or pages is pages_of_a_stage] * tables
        if size == DESKTOP and columns is not None:
            assert {table["seen"] for table in found} == {columns}, address


@pytest.mark.long
def test_score_table_of_sixteen_shows_all_of_them_and_the_sums(open_page: OpenPage, live_server: LiveServer) -> None:
    session = evening(tables=4, rounds=3)
    page = open_page(DESKTOP)
    page.goto(f"{live_server.url}/en/l/{session.league.slug}/sessions/{session.pk}/")
    (shown,) = tables_of(page)
    assert shown["seen"] == 18, "the round, sixteen players and their sums"


@pytest.mark.long
def test_phone_shows_standings_first_and_two_hanchan_at_once(open_page: OpenPage, live_server: LiveServer) -> None:
    tournament = factories.make_tournament()
    session = factories.draw_and_plan(tournament, "qualifying")[0]
    for table, number in factories.planned_tables(session)[:4]:
        factories.play_table(session, table, number, factories.by_entry(tournament))
    settle()
    page = open_page(PHONE)
    home = f"{live_server.url}/l/{tournament.league.slug}/t/{tournament.key}/"
    page.goto(home)
    top = "(each) => each.getBoundingClientRect().top"
    assert page.locator(".block-table").first.evaluate(top) < page.locator(".t-bracket").evaluate(top)
    page.goto(f"{home}stage/qualifying/")
    (shown,) = tables_of(page)
    assert (shown["seen"], shown["of"]) == (4, 4)
    page.locator(".share > summary").click()
    assert page.locator("#share-text").evaluate("(each) => each.offsetWidth") > 280


@pytest.mark.long
def test_wide_table_uses_the_window_and_the_frame_stays(open_page: OpenPage, live_server: LiveServer) -> None:
    session = evening(tables=5)
    home = f"{live_server.url}/l/{session.league.slug}/"
    page = open_page((1800, 900))
    page.goto(f"{home}sessions/{session.pk}/")
    open_folds(page)
    edges = "(each) => [each.getBoundingClientRect().left, each.getBoundingClientRect().right]"
    logo, table = (page.locator(which).evaluate(edges) for which in (".brand", ".table-scroll:has(.sum-stays)"))
    assert table[0] < logo[0]
    assert table[1] - table[0] > 1150
    page.goto(home)
    assert page.locator(".brand").evaluate(edges)[0] == logo[0]


@pytest.mark.long
def test_names_and_facts_of_a_session_wrap_between_words(open_page: OpenPage, live_server: LiveServer) -> None:
    session = evening()
    session.league.sessions.update(venue="中央公民館 第2和室", start_time="18:30")
    session.league.players.filter(name="青木").update(name="西園寺 薫", romanised="")
    page = open_page(DESKTOP)
    page.goto(f"{live_server.url}/en/l/{session.league.slug}/sessions/{session.pk}/?view=points")
    lines = "(name) => [...name.getClientRects()].map((line) => [Math.round(line.width / 16), line.right])"
    (first, end), (second, same) = page.locator(".sheet thead .player span").evaluate(lines)
    assert (first, second, end) == (3, 1, same)
    page = open_page(PHONE)
    page.goto(f"{live_server.url}/l/{session.league.slug}/sessions/{session.pk}/")
    middles = (
        "(facts) => facts.map((fact) => fact.getBoundingClientRect()).map((box) => Math.round(box.top + box.bottom))"
    )
    assert len(set(page.locator(".session-facts > *").evaluate_all(middles))) == 1
