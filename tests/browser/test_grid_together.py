import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, Session
from league.selectors.games import seats_of
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from league.services.results import void_hanchan
from tests.browser.evenings import tonight
from tests.browser.test_grid import cell, open_page_of, paste
from tests.conftest import DESKTOP, OpenPage
from tests.league.factories import make_players

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def evening() -> Session:
    """Today's open session with three tables planned for the first round."""
    session = tonight()
    players = make_players(session.league, 12)
    plans = [TablePlan(table + 1, tuple(players[table * 4 : table * 4 + 4]), 1) for table in range(3)]
    plan_tables(session=session, plans=plans, by=SYSTEM)
    return session


def look(page: Page) -> None:
    with page.expect_response(lambda answer: "stands" in answer.url):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def saved(page: Page, row: int, scores: str) -> None:
    paste(page, f"[name=cell_{row}_{row * 4}]", scores)
    page.keyboard.press("Control+Enter")
    page.locator("[value=save]").click()
    page.wait_for_url("**/sessions/*/")


def scores_of(session: Session) -> list[list[int]]:
    games = session.hanchan.valid().order_by("round", "table", "pk")
    return [[seat.raw_score or 0 for seat in seats_of(game)] for game in games]


@pytest.mark.long
def test_rows_of_others_appear_while_typing(open_page: OpenPage, live_server: LiveServer, evening: Session) -> None:
    mine, theirs = open_page(DESKTOP), open_page(DESKTOP)
    for page in (mine, theirs):
        open_page_of(page, live_server, evening, "en", "grid/")
    mine.keyboard.type("31")
    saved(theirs, 1, "400\t300\t200\t100")
    look(mine)
    expect(mine.locator("[data-saved]")).to_have_text("Just saved by someone else: round 1, table 2.")
    assert [cell(mine, 1, column) for column in range(4, 8)] == ["400 E", "300 S", "200 W", "100 N"]
    expect(mine.locator("[data-row]").nth(1).locator("[data-sum]")).to_have_text("✓")
    # My input is kept, and the other scorer's row too.
    expect(mine.locator("[name=cell_0_0]")).to_be_focused()
    mine.keyboard.type("7")
    for score in ("313", "255", "115"):
        mine.keyboard.press("Enter")
        mine.keyboard.type(score)
    mine.keyboard.press("Control+Enter")
    expect(mine.locator(".grid-lines li")).to_have_count(1)
    mine.keyboard.press("Control+Enter")
    mine.wait_for_url("**/sessions/*/")
    assert scores_of(evening) == [[31700, 31300, 25500, 11500], [40000, 30000, 20000, 10000]]


@pytest.mark.long
def test_rows_typed_by_two_ask_which_to_keep(open_page: OpenPage, live_server: LiveServer, evening: Session) -> None:
    mine, theirs = open_page(DESKTOP), open_page(DESKTOP)
    for page in (mine, theirs):
        open_page_of(page, live_server, evening, "en", "grid/")
    for row in range(3):
        paste(mine, f"[name=cell_{row}_{row * 4}]", "317\t313\t255\t115")
        paste(theirs, f"[name=cell_{row}_{row * 4}]", "400\t300\t200\t100")
    theirs.keyboard.press("Control+Enter")
    theirs.locator("[value=save]").click()
    theirs.wait_for_url("**/sessions/*/")
    look(mine)
    notes = mine.locator(".grid-news .notice")
    expect(notes).to_have_count(3)
    expect(notes.first).to_contain_text("Someone else saved round 1, table 1 while you were typing it.")
    expect(notes.first).to_contain_text("Aoki 400 E · Ishida 300 S")
    expect(notes.first).to_contain_text("Aoki 317 · Ishida 313")
    assert cell(mine, 0, 0) == "317"
    for choice in ("Keep the saved one", "Correct it with mine", "These are two different hanchan"):
        notes.first.get_by_role("button", name=choice).click()
    expect(notes).to_have_count(0)
    mine.keyboard.press("Control+Enter")
    expect(mine.locator(".grid-lines li")).to_have_count(2)
    mine.get_by_label("Save anyway").check()
    mine.fill("#reason", "misread")
    mine.keyboard.press("Control+Enter")
    mine.locator("[value=save]").click()
    mine.wait_for_url("**/sessions/*/")
    typed, stood = [31700, 31300, 25500, 11500], [40000, 30000, 20000, 10000]
    assert scores_of(evening) == [stood, typed, stood, typed]


@pytest.mark.long
def test_row_freed_by_voiding_keeps_new_input(open_page: OpenPage, live_server: LiveServer, evening: Session) -> None:
    mine, theirs = open_page(DESKTOP), open_page(DESKTOP)
    open_page_of(theirs, live_server, evening, "en", "grid/")
    saved(theirs, 0, "400\t300\t200\t100")
    theirs.goto(f"{theirs.url}grid/")
    saved(theirs, 1, "400\t300\t200\t100")
    open_page_of(mine, live_server, evening, "en", "grid/")
    mine.fill("[name=cell_1_4]", "390")
    mine.fill("[name=cell_1_5]", "310")
    for hanchan in Hanchan.objects.all():
        void_hanchan(hanchan=hanchan, seen_version=1, by=SYSTEM, reason="twice")
    look(mine)
    expect(mine.locator("[data-saved]")).to_contain_text("Just voided by someone else: round 1, table 1")
    assert cell(mine, 0, 0) == ""
    assert [cell(mine, 1, column).split()[0] for column in range(4, 8)] == ["390", "310", "200", "100"]
    mine.keyboard.press("Control+Enter")
    expect(mine.locator("[data-row=added]")).to_have_count(1)
