import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, ImportBatch, League
from tests.browser.visits import fits, signed_in
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle

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
    page = signed_in(open_page(size, dark=dark), live_server.url, User.objects.get())
    page.goto(f"{live_server.url}{language}/l/{league.slug}/manage/import/new/")
    fits(page)
    button = page.locator("#upload").bounding_box()
    # A laptop shows 800 pixels.
    assert size == PHONE or (button and button["y"] + button["height"] < 800)
    page.set_input_files("[name=file]", {"name": "2025年.csv", "mimeType": "text/csv", "buffer": ROWS.encode("cp932")})
    page.click("#upload")
    page.wait_for_url("**/review/")
    expect(page.locator(".import-games li").first).to_contain_text("青木")
    expect(page.locator(".import-ask > div .import-games li").first).to_contain_text("99,900")
    fits(page)
    page.locator("#reading summary").click()
    expect(page.locator("#reading .column-picks select").first).to_be_visible()
    fits(page)
    page.check("[name=as_is][value=leave_out_errors]")
    assert Hanchan.objects.count() == 1
    page.click("#run")
    page.wait_for_url(f"**/import/{ImportBatch.objects.get().pk}/")
    assert Hanchan.objects.counted().count() == 2
    fits(page)
    page.click(".import-undo summary")
    page.click("#undo")
    page.wait_for_load_state()
    expect(page.locator("#undo")).to_have_count(0)
    assert Hanchan.objects.counted().count() == 1
    fits(page)
    page.goto(page.url.rsplit("/", 2)[0] + "/")
    fits(page)
