"""A season of a spreadsheet brought in and taken back in a real browser, on a phone and on a desktop."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import FloatRect, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, ImportBatch, League
from tests.budget import varied
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import PASSWORD, make_league, make_players, make_session, make_user, play, settle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROWS = """日付,卓,回戦,席,選手,素点
2025-11-21,1,1,東,青木,317
2025-11-21,1,1,南,石田さん,313
2025-11-21,1,1,西,ウエノ,255
2025-11-21,1,1,北,髙橋,115
2025-11-21,1,2,東,青木,317
2025-11-21,1,2,南,石田さん,313
2025-11-21,1,2,西,ウエノ,255
2025-11-21,1,2,北,髙橋,114
"""
"""As a Japanese Excel writes it: cp932, hundreds, an honorific, katakana, a new name, a miscounted last game."""


@pytest.fixture
def league(transactional_db: None) -> League:
    """A league of four with one hanchan, and an organiser."""
    del transactional_db
    league = make_league()
    make_user("ishida", league=league, role="organiser")
    play(make_session(league), (10000, 20000, 30000, 40000), make_players(league, 4))
    settle()
    return league


def enter(page: Page, live_server: LiveServer, language: str, address: str) -> None:
    """Open an address of the organisers through the log-in."""
    page.goto(f"{live_server.url}{'' if language == 'ja' else '/en'}{address}")
    page.fill("[name=username]", User.objects.get().username)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"**{address}")


def look(page: Page) -> None:
    """See that nobody is shut out and that nothing but tables scrolls sideways."""
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def place_of(button: Locator) -> FloatRect:
    """Return where it stays: on a busy machine the fonts come late, and the page moves under the pointer."""
    box = None
    while box is None or box != button.bounding_box():
        box = button.bounding_box()
        button.page.wait_for_timeout(500)
    return box


@pytest.mark.long
@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_file_is_chosen_in_the_words_of_the_page_without_script(
    open_page: OpenPage, live_server: LiveServer, league: League, language: str
) -> None:
    page = open_page(PHONE, scripts=False, language="de")
    enter(page, live_server, language, f"/l/{league.slug}/manage/import/new/")
    button, field = page.locator(".file-button"), page.locator("[name=file]")
    expect(button).to_have_text("ファイルを選ぶ" if language == "ja" else "Choose a file")
    box = place_of(button)
    assert box["height"] >= 44
    with page.expect_file_chooser():
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("[name=rows]").focus()
    page.keyboard.press("Shift+Tab")
    expect(field).to_be_focused()
    expect(field).to_have_css("outline-style", "solid")
    with page.expect_file_chooser():
        page.keyboard.press("Space")
    # The browser's own button has no place beside ours: what is left of the field tells the name of the file.
    around = field.bounding_box()
    assert around is not None
    assert around["x"] == box["x"]
    assert around["width"] > box["width"]


def walk(page: Page) -> None:
    """Upload the file and go through every step to the result, looking at each page."""
    look(page)
    page.set_input_files("[name=file]", {"name": "2025年.csv", "mimeType": "text/csv", "buffer": ROWS.encode("cp932")})
    page.click("#upload")
    page.wait_for_url("**/reading/")
    expect(page.locator(".first-rows tbody tr").first).to_contain_text("青木")
    look(page)
    page.click("#next")
    page.wait_for_url("**/columns/")
    look(page)
    page.click("#next")
    page.wait_for_url("**/names/")
    expect(page.locator("tr.open")).to_have_count(1)
    look(page)
    page.click("#next")
    expect(page.locator("tr.open")).to_have_count(1)
    page.locator("tr.open select").select_option("new")
    page.click("#next")
    page.wait_for_url("**/check/")
    expect(page.locator(".checked-rows tbody tr").first).to_contain_text("99,900")
    look(page)
    page.check("#leave-out")
    page.click("#set-leave-out")
    with page.expect_download() as file:
        page.click("#error-file")
    assert file.value.suggested_filename.endswith(".csv")
    page.click("#next")
    page.wait_for_url("**/preview/")
    assert Hanchan.objects.count() == 1
    look(page)
    page.click("#run")
    page.wait_for_url(f"**/import/{ImportBatch.objects.get().pk}/")
    assert Hanchan.objects.counted().count() == 2
    look(page)


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "size", "dark"),
    [
        pytest.param("ja", PHONE, False, id="Japanese on a phone"),
        pytest.param("en", PHONE, True, id="English on a phone in the dark"),
        pytest.param("ja", DESKTOP, True, id="Japanese on a desktop in the dark"),
        pytest.param("en", DESKTOP, False, id="English on a desktop"),
    ],
)
def test_a_file_goes_in_and_out_again(
    open_page: OpenPage, live_server: LiveServer, league: League, language: str, size: tuple[int, int], dark: bool
) -> None:
    page = open_page(size, dark=dark)
    enter(page, live_server, language, f"/l/{league.slug}/manage/import/new/")
    walk(page)
    page.fill("[name=reason]", "one game is missing")
    page.click("#undo")
    page.wait_for_load_state()
    expect(page.locator("#undo")).to_have_count(0)
    assert Hanchan.objects.counted().count() == 1
    look(page)
    page.goto(page.url.rsplit("/", 2)[0] + "/")
    look(page)


@pytest.mark.long
@varied("language", ["ja", "en"])
@varied("dark", [False, True])
def test_results_are_taken_out_as_a_file(
    open_page: OpenPage, live_server: LiveServer, league: League, language: str, dark: bool
) -> None:
    page = open_page(PHONE, dark=dark)
    enter(page, live_server, language, f"/l/{league.slug}/manage/import/")
    look(page)
    page.goto(page.url.replace("/import/", "/export/"))
    look(page)
    page.select_option("[name=format]", "xlsx")
    with page.expect_download() as file:
        page.click("main form [type=submit]")
    assert file.value.suggested_filename == "camarade-hanchan-all.xlsx"
    player = league.players.get(romanised="Aoki")
    player.name = player.romanised = "𠮷田"
    player.save()
    page.select_option("[name=format]", "csv-cp932")
    page.click("main form [type=submit]")
    expect(page.locator("#lost")).to_contain_text("𠮷田")
    look(page)
    with page.expect_download() as file:
        page.click("#lost a >> nth=0")
    assert file.value.suggested_filename.endswith(".xlsx")
