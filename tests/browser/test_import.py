import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, ImportBatch, ImportMending, League
from tests.browser.visits import fits, signed_in
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle
from tests.league.imports.files import batch_of

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
"""As Japanese Excel writes it (cp932): scores in hundreds, an honorific, katakana, a new name, a wrong last sum."""


@pytest.fixture
def league(transactional_db: None) -> League:
    del transactional_db
    league = make_league()
    make_user("ishida", league=league, role="organiser")
    play(make_session(league), (10000, 20000, 30000, 40000), make_players(league, 4))
    settle()
    return league


def enter(page: Page, base: str, address: str) -> None:
    signed_in(page, base.removesuffix("/en"), User.objects.get())
    page.goto(base + address)


def walk(page: Page) -> None:
    """Upload the file and go through every step to the result, checking each page."""
    fits(page)
    page.set_input_files("[name=file]", {"name": "2025年.csv", "mimeType": "text/csv", "buffer": ROWS.encode("cp932")})
    page.click("#upload")
    page.wait_for_url("**/reading/")
    expect(page.locator(".first-rows tbody tr").first).to_contain_text("青木")
    fits(page)
    page.click("#next")
    page.wait_for_url("**/columns/")
    fits(page)
    page.click("#next")
    page.wait_for_url("**/names/")
    expect(page.locator("tr.open")).to_have_count(1)
    fits(page)
    page.click("#next")
    expect(page.locator("tr.open")).to_have_count(1)
    page.locator("tr.open select").select_option("new")
    page.click("#next")
    page.wait_for_url("**/check/")
    expect(page.locator(".checked-rows tbody tr").first).to_contain_text("99,900")
    fits(page)
    page.check("#leave-out")
    page.click("#set-leave-out")
    with page.expect_download() as file:
        page.click("#error-file")
    assert file.value.suggested_filename.endswith(".csv")
    page.click("#next")
    page.wait_for_url("**/preview/")
    assert Hanchan.objects.count() == 1
    fits(page)
    page.click("#run")
    page.wait_for_url(f"**/import/{ImportBatch.objects.get().pk}/")
    assert Hanchan.objects.counted().count() == 2
    fits(page)


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "size", "dark"),
    [
        pytest.param("", PHONE, False, id="Japanese on a phone"),
        pytest.param("/en", PHONE, True, id="English on a phone in the dark"),
        pytest.param("", DESKTOP, True, id="Japanese on a desktop in the dark"),
        pytest.param("/en", DESKTOP, False, id="English on a desktop"),
    ],
)
def test_file_is_imported_and_undone(
    open_page: OpenPage, live_server: LiveServer, league: League, language: str, size: tuple[int, int], dark: bool
) -> None:
    page = open_page(size, dark=dark)
    enter(page, live_server.url + language, f"/l/{league.slug}/manage/import/new/")
    walk(page)
    page.fill("[name=reason]", "one game is missing")
    page.click("#undo")
    page.wait_for_load_state()
    expect(page.locator("#undo")).to_have_count(0)
    assert Hanchan.objects.counted().count() == 1
    fits(page)
    page.goto(page.url.rsplit("/", 2)[0] + "/")
    fits(page)


WRONG = """日付,卓,回戦,席,選手,素点,メモ
21-31-11,1,1,東,青木,31700,
21-31-11,1,1,南,石田,313oo,
21-31-11,1,1,西,上野,25500,
21-31-11,1,1,北,江口,11500,
2025-11-21,1,2,東,青木,42000,
2025-11-21,1,2,南,石田,28000,
2025-11-21,1,2,西,上野,18500,
2025-11-21,1,2,北,江口,11400,途中で交代
"""


@pytest.mark.long
@pytest.mark.parametrize(("size", "start"), [(PHONE, ""), (DESKTOP, "/en")], ids=["phone", "desktop"])
def test_import_errors_are_corrected_in_the_table(
    league: League, live_server: LiveServer, open_page: OpenPage, size: tuple[int, int], start: str
) -> None:
    batch = batch_of(league, WRONG)
    page = open_page(size, dark=size == DESKTOP)
    enter(page, live_server.url + start, f"/l/camarade/manage/import/{batch.pk}/check/")
    page.click("#mend")
    page.wait_for_url("**/mend/")
    expect(page.locator(".mend-game")).to_have_count(3)
    fits(page)
    page.locator(".mend-game").first.locator("input").fill("2025-11-21")
    page.fill("[name=c3-5]", "31300")
    page.press("[name=c3-5]", "Enter")
    expect(page.locator(".mend-game")).to_have_count(1)
    fits(page)
    page.fill("[name=c9-5]", "11500")
    page.click("#check-again")
    page.wait_for_url("**/check/")
    assert ImportMending.objects.count() == 3
    fits(page)
    page.goto(f"{live_server.url}{start}/l/camarade/manage/import/{ImportBatch.objects.get().pk}/")
    expect(page.locator("#mended tbody tr")).to_have_count(3)
    fits(page)
