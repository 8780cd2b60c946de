import re
from collections.abc import Sequence
from dataclasses import asdict

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.http.entry_context import EntryContext
from league.models.editions import raise_edition
from league.services.history import SYSTEM, Actor
from tests.browser.visits import signed_in
from tests.conftest import PHONE, OpenPage
from tests.deadlines import PROCESS, patience, wait_until
from tests.league.entry_contexts import link_of
from tests.league.factories import PASSWORD, make_players, make_user, planned_players, play
from tests.tournaments import factories
from tournaments.core.facts import Remedy
from tournaments.core.ticking import Situation
from tournaments.http.hall import ticker_url
from tournaments.models import HallDisplay, StageSession, Tick
from tournaments.selectors.hall import LiveTable
from tournaments.services.decisions import withdraw
from tournaments.services.hall import record_tick, set_timer
from tournaments.services.short_tables import Settlement

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES = [(1280, 720), (1920, 1080)]
USED = 0.6
"""Minimum share of the screen in use, in squares of 1/32 of its width."""

MEASURE = """() => {
  const cell = innerWidth / 32, rows = Math.ceil(innerHeight / cell), used = new Set(), found = [];
  const parts = "td, th, h1, h2, h3, p, li, dt, dd, .momentum, .bracket-svg";
  for (const each of document.querySelectorAll(parts)) {
    const box = each.getBoundingClientRect();
    if (each.closest("[hidden], .sr") || box.width < 3 || box.height < 3 || !each.checkVisibility()) continue;
    if (each.textContent.trim() || each.tagName === "svg") found.push(each);
    for (let x = Math.floor(box.left / cell); x * cell < box.right; x++)
      for (let y = Math.floor(box.top / cell); y * cell < box.bottom; y++) used.add(`${x} ${y}`);
  }
  document.querySelectorAll(".at-table td.rank").forEach((each) => (each.textContent = "12"));
  const root = document.documentElement;
  const bottom = Math.max(...found.map((each) => each.getBoundingClientRect().bottom));
  const type = (each) => parseFloat(getComputedStyle(each).fontSize);
  return {
    used: used.size / (32 * rows),
    fits: root.scrollWidth <= innerWidth && root.scrollHeight <= innerHeight && bottom <= innerHeight * 0.96,
    cut: [...document.querySelectorAll("td:is(.rank, .raw, .pt, .gap)")].filter(
      (each) => !each.closest("[hidden]") && each.scrollWidth > each.clientWidth + 1).length,
    smallest: Math.min(...found.filter((each) => each.tagName !== "svg").map(type)) / innerHeight,
    names: Math.min(...[...document.querySelectorAll(".screen:not([hidden]) .who")]
      .filter((each) => !each.closest("thead")).map(type)) / innerHeight,
  };
}"""


SHOW = """(wanted) => {
  document.documentElement.dataset.theme = ["dark", "light"][wanted % 2];
  document.querySelectorAll("[data-screen]").forEach((each, number) => (each.hidden = number !== wanted));
}"""
"""Script: show one screen of the wall; every other one in the light theme."""

MORE_ROWS = """() => {
  const cards = document.querySelector(".screen:not([hidden]) .b-cards");
  const rows = cards.querySelector("ul");
  while (rows.children.length < 12) rows.append(rows.firstElementChild.cloneNode(true));
  cards.className = "b-cards b-cards-tall-1 lines-12";
  while (cards.children.length > 1) cards.lastElementChild.remove();
}"""
"""Script: leave one card of a screen, with twelve players."""

TOPS = """(number) => [...document.querySelectorAll("table")[number].querySelectorAll("tbody .rank")].map(
  (each) => Math.round(each.getBoundingClientRect().top))"""
"""Script: where the lines of a list are."""

CUT = """() => [...document.querySelectorAll(".screen:not([hidden]) :is(.hand-cards > li, .b-card)")].filter(
  (card) => card.scrollHeight > card.clientHeight + 1 || card.scrollWidth > card.clientWidth + 1
).map((card) => card.textContent.trim().slice(0, 40))"""
"""Script: cards whose content overflows."""


def measured(page: Page, address: str, size: tuple[int, int]) -> dict[str, float]:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(address)
    expect(page.locator("#badge")).to_have_attribute("data-state", "live")
    found: dict[str, float] = page.evaluate(MEASURE)
    return found


def tick(tables: dict[tuple[int, int], LiveTable], final: StageSession, *hands: tuple[int, ...]) -> None:
    players = [player.pk for player in planned_players(final.session, 1, factories.tournament_round(final))]
    tables[final.session_id, 1] = factories.live_table(players, *hands)
    # The ticker raises the league's edition.
    raise_edition(final.tournament.league_id)


@pytest.mark.merge
def test_final_fills_the_hall_display_and_follows_the_ticker(
    open_page: OpenPage, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticked: dict[tuple[int, int], LiveTable] = {}
    monkeypatch.setattr("tournaments.views.projector.live_tables", lambda _sessions: dict(ticked))
    final = factories.final_of_four()
    tick(ticked, final, (33000, 24000, 23000, 20000), (25000, 32000, 23000, 20000))
    wall = f"{live_server.url}/l/cinderella/t/t1/wall/"
    page = open_page(SIZES[0])
    for size in SIZES:
        for view in ("tables", "conditions", "standings", "seating", "bracket"):
            found = measured(page, f"{wall}?view={view}", size)
            assert (found["fits"], found["cut"]) == (True, 0), view
            assert found["used"] >= USED, (view, found)
            assert found["smallest"] >= 1 / 28, view
            if view not in {"conditions", "bracket"}:
                assert found["names"] >= 1 / 16, view
    for size in ((1024, 768), PHONE):
        found = measured(page, f"{wall}?view=tables", size)
        assert (found["fits"], found["cut"]) == (True, 0), size
    page.goto(f"{wall}?view=tables")
    expect(page.locator("td.raw", has_text="32,000")).to_be_visible()
    expect(page.locator(".need p").first).to_contain_text("優勝")
    tick(ticked, final, (33000, 24000, 23000, 20000), (25000, 32000, 23000, 20000), (41000, 26000, 18000, 15000))
    expect(page.locator("td.raw", has_text="41,000")).to_be_visible()
    del ticked[final.session_id, 1]
    factories.play_table(final, 1, factories.tournament_round(final), factories.by_entry(final.tournament))
    expect(page.locator("td.raw")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize(("players", "query"), [(40, "?view=standings&stage={}"), (16, "?view=seating")])
def test_many_players_fit_on_one_screen(open_page: OpenPage, live_server: LiveServer, players: int, query: str) -> None:
    tournament = factories.make_tournament(format_key="open-final-table", players=players)
    stage = tournament.format.stages[0].key
    sessions = factories.draw_and_plan(tournament, stage)
    if "standings" in query:
        factories.play_planned(sessions[0], factories.by_entry(tournament))
    page = open_page(SIZES[0])
    for size in SIZES:
        found = measured(page, f"{live_server.url}/l/cinderella/t/t1/wall/{query.format(stage)}", size)
        assert (found["fits"], found["cut"]) == (True, 0), found
        assert found["used"] >= USED or players < 40, found
        assert found["smallest"] >= 1 / 28, found
        if "standings" in query:
            assert page.locator(".screen:not([hidden]) tbody tr:has(.rank)").count() == players


LONG = (
    "Alexander Lindqvist",
    'Tom "Tsumo" Taylor',
    "Christopher Montgomery",
    "Grace Hughes",
    "Peggy Jaqueline Quigley",
)

CUT_NAMES = """() => [...document.querySelectorAll(".screen:not([hidden]) :is(.panels .who span, .table .who, small, th.of)")].filter(
  (each) => each.checkVisibility() && !each.matches(".sr")
    && (each.scrollWidth > each.clientWidth || each.getBoundingClientRect().right > innerWidth * 0.96
      || each.getBoundingClientRect().right > (each.closest(".table li")?.getBoundingClientRect().right ?? Infinity))
).map((each) => each.textContent)"""
"""Script: names, words beside them and column titles that are cut."""


@pytest.mark.merge
def test_no_long_name_or_substitute_is_cut_and_a_phone_reads_them(open_page: OpenPage, live_server: LiveServer) -> None:
    tournament = factories.make_tournament(format_key="open-final-table", players=16)
    session = factories.draw_and_plan(tournament, "open")[0]
    for table in (1, 2, 3, 4):
        factories.play_table(session, table, 1, factories.by_entry(tournament))
    (new,) = make_players(tournament.league, 1)
    settlement = Settlement(Remedy.SUBSTITUTE, new, None, "")
    withdraw(entry=factories.entry(tournament, 16), stage="open", reason="ill", by=SYSTEM, settlement=settlement)
    for number, player in enumerate(tournament.league.players.order_by("pk")):
        player.romanised = LONG[number % len(LONG)]
        player.save()
    raise_edition(tournament.league_id)
    page = open_page(SIZES[0])
    for size in (*SIZES, (1280, 800), (1024, 768), (1080, 1920)):
        for language, view in (("/en", "standings"), ("", "standings"), ("/en", "seating")):
            found = measured(page, f"{live_server.url}{language}/l/cinderella/t/t1/wall/?view={view}", size)
            assert (found["fits"], found["cut"], page.evaluate(CUT_NAMES)) == (True, 0, []), (size, view)
            if view == "seating":
                # The letters of two tables are the largest for the width of a card.
                page.evaluate("document.querySelector('.tables').classList.replace('tables-4', 'tables-2')")
                assert page.evaluate(CUT_NAMES) == [], size
            if view == "standings":
                assert page.locator("tbody .who").count() == 17
                left, right = page.evaluate(TOPS, 0), page.evaluate(TOPS, 1)
                assert size not in SIZES or (left[: len(right)], found["smallest"] >= 1 / 28) == (right, True), size
                lowest = page.locator("tbody tr:not(.filler)").evaluate_all(
                    "(rows) => Math.max(...rows.map((each) => each.getBoundingClientRect().bottom)) / innerHeight"
                )
                assert lowest > 0.85, size
    wall = f"{live_server.url}/en/l/cinderella/t/t1/wall/?view=standings"
    assert measured(page, wall, PHONE)["smallest"] * PHONE[1] >= 12
    expect(page.get_by_text("withdrew", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


@pytest.mark.long
def test_large_bracket_rotates_through_readable_rounds(open_page: OpenPage, live_server: LiveServer) -> None:
    tournament = factories.make_tournament(None, "elimination-4", players=64)
    factories.play_planned(factories.draw_and_plan(tournament, "round-1")[0], factories.by_entry(tournament))
    page = open_page(SIZES[0])
    for size in SIZES:
        measured(page, f"{live_server.url}/l/{tournament.league.slug}/t/t1/wall/?view=bracket", size)
        screens = page.locator("[data-screen]")
        assert [screens.nth(number).locator(".b-card").count() for number in range(7)] == [6, 6, 4, 4, 4, 4, 4]
        for number in range(7):
            page.evaluate(SHOW, number)
            found = page.evaluate(MEASURE)
            assert found["fits"], number
            assert found["smallest"] >= 1 / 28, number
            assert found["used"] >= USED, number
            assert page.evaluate(CUT) == []
        # A stage of more players has smaller letters.
        page.evaluate(SHOW, 0)
        page.evaluate(MORE_ROWS)
        assert page.evaluate(CUT) == []


@pytest.mark.long
def test_remote_controls_the_display_and_the_timer_survives_sleep(open_page: OpenPage, live_server: LiveServer) -> None:
    tournament = factories.draw_and_plan(factories.make_tournament(), "qualifying", seed=7)[0].tournament
    make_user("ishida", league=tournament.league, role="referee")
    set_timer(tournament=tournament, minutes=60, starts=True, by=SYSTEM)
    wall, phone = open_page(SIZES[0]), open_page()
    wall.goto(f"{live_server.url}/l/cinderella/t/t1/wall/")
    phone.goto(f"{live_server.url}/accounts/login/?next=/l/cinderella/t/t1/remote/")
    phone.locator("[name=username]").fill("ishida")
    phone.locator("[name=password]").fill(PASSWORD)
    phone.locator("[name=password]").press("Enter")
    phone.set_viewport_size({"width": 360, "height": 740})
    phone.locator("[name=scene][value=timer]").check()
    phone.get_by_role("button", name="表示").click()
    expect(phone.get_by_role("status").filter(has_text="表示中: タイマー")).to_be_visible()
    # The button and the clock stand above the bar at the bottom, also after a choice.
    for seen in (phone.get_by_role("button", name="表示"), phone.locator("#hall-timer .clock-face")):
        box = seen.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 684
    phone.get_by_text("お知らせと言語").click()
    phone.locator("[name=message]").fill("昼休みは13:00まで")
    phone.locator("[name=language]").select_option("en")
    phone.get_by_role("button", name="表示").click()
    expect(wall.locator(".clock-huge")).to_be_visible()
    expect(wall.locator(".projector-message")).to_have_text("昼休みは13:00まで")
    expect(wall.locator("html")).to_have_attribute("lang", "en")

    # After two hours of sleep the page's clock is behind the server's.
    HallDisplay.objects.filter(tournament=tournament).update(length=HallDisplay.objects.get().length - 1800)
    raise_edition(tournament.league_id)
    expect(wall.locator(".clock-huge .clock-face")).to_contain_text("29:")
    wall.reload()
    expect(wall.locator(".clock-huge .clock-face")).to_contain_text("29:")
    expect(phone.locator("#hall-timer .clock-face")).to_contain_text("29:")

    wall.context.set_offline(True)
    expect(wall.locator("#badge")).to_contain_text("Waiting for the network")
    expect(wall.locator(".clock-huge .clock-face")).to_contain_text("29:")
    phone.get_by_role("button", name="止める").click()
    wall.context.set_offline(False)
    expect(wall.locator("#badge")).to_contain_text("LIVE")
    expect(wall.locator(".clock-huge .clock-word")).to_be_visible()


CLOSE = ((24300, 31900, 25600, 18200), (33500, 21400, 27700, 17400), (20100, 29800, 18900, 31200))
"""Three hanchan after which any of the four can still win."""

LOWEST = """() => Math.max(...[...document.querySelectorAll(".said p")]
  .filter((each) => each.checkVisibility()).map((each) => each.getBoundingClientRect().bottom / innerHeight))"""


@pytest.mark.long
def test_needs_of_all_players_fit_with_all_their_sentences(open_page: OpenPage, live_server: LiveServer) -> None:
    tournament = factories.make_tournament()
    for stage in ("qualifying", "po1", "po2", "po3"):
        factories.play_stage(tournament, stage)
    final = factories.draw_and_plan(tournament, "final")[0]
    for number, raw in enumerate(CLOSE, start=1):
        play(final.session, raw, planned_players(final.session, 1, number), table=1, round=number)
    page = open_page(SIZES[0])
    page.goto(f"{live_server.url}/l/cinderella/t/t1/wall/?view=conditions")
    screens = page.locator("[data-screen]")
    assert page.locator(".said > div").count() == 4
    for number in range(screens.count()):
        page.evaluate(SHOW, number)
        assert page.evaluate(LOWEST) <= 0.97, number
    said = page.locator(".said p").all_text_contents()
    page.goto(f"{live_server.url}/l/cinderella/t/t1/stage/final/")
    cards = page.locator(".t-needs-list > li").all()
    first = [card.locator("> p:not([class]), .plain li").first.text_content() for card in cards]
    assert len(said) > len(first) == 4
    assert [each for each in said if each in first] == first


@pytest.mark.long
def test_display_keeps_its_figures_while_offline(open_page: OpenPage, live_server: LiveServer) -> None:
    stage_sessions = factories.draw_and_plan(factories.make_tournament(), "qualifying", seed=7)
    for number in (1, 2):
        for table in (1, 2):
            factories.play_table(stage_sessions[0], table, number, factories.by_entry(stage_sessions[0].tournament))
    address = f"{live_server.url}/l/cinderella/t/t1/wall/?show=standings&block=A"
    page = open_page(SIZES[0])
    page.goto(address)
    assert wait_until(lambda: bool(page.evaluate("localStorage.length")))
    old = page.content()
    badge, rows = page.locator("#badge"), page.locator("tbody tr:has(.rank)")
    expect(badge).to_contain_text("LIVE")
    expect(rows).to_have_count(8)
    before = page.locator("tbody").inner_text()

    page.context.set_offline(True)
    expect(badge).to_contain_text("通信待ち")
    expect(badge).to_contain_text(re.compile(r"\d\d:\d\d"))
    factories.play_planned(stage_sessions[1], factories.by_entry(stage_sessions[1].tournament))
    factories.play_table(stage_sessions[0], 1, 3, factories.by_entry(stage_sessions[0].tournament))
    # The page polls twice more without an answer; the table stays.
    for _ in range(2):
        page.wait_for_event("requestfailed", timeout=1000 * patience(PROCESS))
    expect(badge).to_contain_text("通信待ち")
    assert page.locator("tbody").inner_text() == before

    page.context.set_offline(False)
    expect(badge).to_contain_text("LIVE")
    expect(page.locator("tbody")).to_contain_text("3/8")
    assert page.locator("tbody").inner_text() != before

    # After a reload, the browser loads the cached page but cannot fetch the state.
    page.route(address, lambda route: route.fulfill(body=old, content_type="text/html"))
    page.route("**/wall/state/**", lambda route: route.abort())
    page.reload()
    expect(badge).to_contain_text("通信待ち")
    expect(page.locator("tbody")).to_contain_text("3/8")


ALL_SCENES = ("tables", "conditions", "standings", "seating", "bracket", "timer")
KINDS = ("tables", "hand", "standings", "seating", "bracket", "bracket", "timer")
SCORES = ((33000, 24000, 23000, 20000), (31000, 24000, 25000, 20000), (31000, 22900, 25000, 21100))


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
def test_ticker_remote_and_hall_display_are_accessible(open_page: OpenPage, live_server: LiveServer) -> None:
    # The final is in the last hand of its last hanchan; the timer runs.
    final = factories.final_of_four()
    rounds = [0, factories.tournament_round(final)]
    seats = final.session.planned_seats.filter(round__in=rounds, table=1).order_by("seat")
    players = tuple(seats.values_list("player", flat=True))
    for number, scores in enumerate(SCORES, 1):
        situation = Situation(scores, ("S2", "S3", "S4")[number - 1], 1, 0)
        place = {"session": final.session, "table": 1, "round": factories.tournament_round(final), "seats": players}
        record_tick(tick=Tick(**place, number=number, **asdict(situation), at=timezone.now()), by=SYSTEM)
    set_timer(tournament=final.tournament, minutes=60, starts=True, by=SYSTEM)
    page = signed_in(open_page(), live_server.url, factories.director(final.tournament.league))
    page.emulate_media(reduced_motion="reduce")
    ticker = ticker_url(EntryContext(final.session, 1, Actor(None, "table link 1", link_of(final.session))))
    hall = [f"{live_server.url}{prefix}/l/cinderella/t/t1" for prefix in ("", "/en")]
    for here in hall:
        for address in (here.removesuffix("/l/cinderella/t/t1") + ticker, f"{here}/remote/"):
            page.goto(address)
            look(page, "html")
    page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    look(page, "html")
    for here in hall:
        look_at_screens(page, f"{here}/wall/?show={','.join(ALL_SCENES)}", KINDS)
        look_at_screens(page, f"{here}/overlay/?show=tables,conditions", ("tables", "hand"))
    factories.play_table(final, 1, factories.tournament_round(final), factories.by_entry(final.tournament))
    factories.approve_stage(final.tournament, "final")
    for here in hall:
        look_at_screens(page, f"{here}/wall/", ("champion",))


@pytest.mark.merge
def test_all_four_scores_of_a_tournament_stand_above_the_button(open_page: OpenPage, live_server: LiveServer) -> None:
    tournament = factories.make_tournament(format_key="swiss", players=12)
    (session,) = factories.draw_and_plan(tournament, "swiss")
    page = signed_in(open_page((360, 740)), live_server.url, factories.director(tournament.league))
    page.goto(f"{live_server.url}/l/cinderella/sessions/{session.session_id}/enter/?table=2")
    total, button = page.locator(".entry-sum"), page.get_by_role("button", name="この点数で登録する")
    for width, height in ((360, 740), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        last, save = total.bounding_box(), button.bounding_box()
        assert last
        assert save
        assert last["y"] + last["height"] <= save["y"] + 1
        assert save["y"] + save["height"] <= height
