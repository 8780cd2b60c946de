from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, Session
from league.services.history import SYSTEM
from league.services.planning import TablePlan, plan_tables
from tests.browser.evenings import tonight
from tests.browser.visits import fits, signed_in
from tests.budget import varied
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_players, play, settle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LANGUAGES = varied("language", ["ja", "en"])


@pytest.fixture
def evening() -> Session:
    """Today's open session with five players and one hanchan, which the fifth sat out."""
    session = tonight()
    players = make_players(session.league, 5)
    play(session, (31700, 31300, 25500, 11500), players[:4])
    play(session, (40000, 30000, 20000, 10000), [*players[:3], players[4]])
    settle()
    return session


def open_page_of(page: Page, live_server: LiveServer, session: Session, language: str, part: str = "") -> None:
    prefix = "" if language == "ja" else "/en"
    signed_in(page, live_server.url, User.objects.get())
    page.goto(f"{live_server.url}{prefix}/l/camarade/sessions/{session.pk}/{part}")


def cell(page: Page, row: int, column: int) -> str:
    return page.locator(f"[name=cell_{row}_{column}]").input_value()


OpenGrid = Callable[[str], tuple[Page, int]]


@pytest.fixture
def grid(open_page: OpenPage, live_server: LiveServer, evening: Session) -> OpenGrid:
    """Open the sheet in a language; return its page and first free row."""

    def opened(language: str) -> tuple[Page, int]:
        page = open_page(DESKTOP)
        open_page_of(page, live_server, evening, language, "grid/")
        return page, evening.hanchan.count()

    return opened


def paste(page: Page, selector: str, text: str) -> None:
    page.focus(selector)
    page.evaluate(
        """([selector, text]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
          document.querySelector(selector).dispatchEvent(event);
        }""",
        [selector, text],
    )


@pytest.mark.long
@LANGUAGES
@varied("dark", [False, True])
def test_session_on_a_phone_starts_with_its_ranking_and_unfolds_the_scores(
    open_page: OpenPage, live_server: LiveServer, evening: Session, language: str, *, dark: bool
) -> None:
    page = open_page(PHONE, dark=dark)
    open_page_of(page, live_server, evening, language)
    fits(page)
    last = page.locator(".session-ranking tbody tr").last.bounding_box()
    assert last is not None
    assert last["x"] + last["width"] <= PHONE[0]
    assert last["y"] + last["height"] <= PHONE[1]
    page.locator("#score-table > summary").click()
    for column in range(1, 5):
        box = page.locator(".sheet tbody tr").first.locator("td").nth(column - 1).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE[0], f"column {column}"
    row = page.locator(".sheet tbody tr").first
    expect(row.get_by_text("31,700")).to_be_hidden()
    row.get_by_text("+21.7").click()
    expect(row.get_by_text("31,700")).to_be_visible()
    expect(page.get_by_text("40,000")).to_be_hidden()
    page.locator(".sheet-switch input").check()
    expect(page.get_by_text("40,000")).to_be_visible()
    fits(page)


@pytest.mark.long
def test_session_prints_on_one_page(open_page: OpenPage, live_server: LiveServer, evening: Session) -> None:
    page = open_page(PHONE)
    open_page_of(page, live_server, evening, "ja", "?view=points")
    page.emulate_media(media="print")
    expect(page.locator(".sheet").get_by_text("31,700")).to_be_visible()
    expect(page.locator(".sheet-tools")).to_be_hidden()
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1


@pytest.mark.merge
@LANGUAGES
def test_hanchan_is_entered_by_keyboard_alone(grid: OpenGrid, evening: Session, language: str) -> None:
    page, row = grid(language)
    page.focus(f"[name=cell_{row}_0]")
    page.keyboard.type("320")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("300")
    page.keyboard.press("Tab")
    page.keyboard.type("265")
    page.keyboard.press("Tab")
    page.keyboard.type("999")
    page.keyboard.press("Escape")
    assert cell(page, row, 3) == ""
    page.keyboard.type("105")
    line = page.locator("[data-row]").nth(row)
    expect(line.locator("[data-sum]")).to_contain_text("1,000")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("115")
    expect(line.locator("[data-sum]")).to_contain_text("✓")
    page.keyboard.press("Enter")
    expect(page.locator(f"[name=cell_{row + 1}_1]")).to_be_focused()
    page.keyboard.press("Shift+Enter")
    expect(page.locator(f"[name=cell_{row}_1]")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-focus]")).to_be_focused()
    assert Hanchan.objects.count() == row
    fits(page)
    page.locator("[value=save]").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/sessions/{evening.pk}/")
    saved = Hanchan.objects.latest("pk")
    assert list(saved.seats.order_by("seat").values_list("raw_score", flat=True)) == [32000, 30000, 26500, 11500]


@pytest.mark.long
def test_planned_tables_are_entered_by_seat_with_twelve_players_in_view(
    open_page: OpenPage, live_server: LiveServer, evening: Session
) -> None:
    players = make_players(evening.league, 12)
    plans = [TablePlan(table + 1, tuple(players[table::3])) for table in range(3)]
    plan_tables(session=evening, plans=plans, by=SYSTEM)
    page = open_page(DESKTOP)
    open_page_of(page, live_server, evening, "ja", "grid/")
    row = page.locator("[data-row=empty]").first
    name = row.locator("input[placeholder=東]").get_attribute("name")
    page.focus(f"[name={name}]")
    for score in ("600", "250", "160", "-10 東"):
        page.keyboard.type(score)
        page.keyboard.press("Enter")
    expect(row.locator("[data-sum]")).to_contain_text("✓")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".grid-lines")).to_contain_text("トビ")
    for place in range(12):
        box = page.locator(f"#c{place}").bounding_box()
        last = page.locator("[data-sum]").first.bounding_box()
        assert box is not None
        assert last is not None
        assert box["x"] + box["width"] <= last["x"], place
        assert last["x"] + last["width"] <= DESKTOP[0]
    fits(page)


@pytest.mark.long
def test_pasted_rectangle_starts_at_the_cursor(grid: OpenGrid, evening: Session) -> None:
    page, row = grid("en")
    paste(page, f"[name=cell_{row}_3]", "317\t313\t255\t115\n400\t300\t200\t100")
    page.wait_for_selector("[data-focus]")
    assert [cell(page, row, column) for column in range(7)] == ["", "", "", "317", "313", "255", "115"]
    assert [cell(page, row + 1, column) for column in range(7)] == ["", "", "", "400", "300", "200", "100"]
    assert page.locator(f"[name=sticks_{row}]").input_value() == ""
    wide = "\t".join(["1", "1", *["317"] * 9])
    paste(page, f"[name=round_{row}]", wide)
    expect(page.get_by_text("Put the cursor on the first score")).to_be_visible()
    expect(page.locator("[name=pasted]")).to_have_value(wide)
