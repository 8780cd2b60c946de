import io
from pathlib import Path

import pypdfium2
import pytest
import zxingcpp
from django.urls import reverse
from PIL import Image
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Hanchan, Photo
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link, issue_links
from tests.browser.visits import fits, signed_in
from tests.budget import varied
from tests.conftest import DESKTOP, OpenPage
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def hanchan(transactional_db: None) -> Hanchan:
    del transactional_db
    return play(make_session(make_league(), tables=5))


@pytest.fixture
def large(tmp_path: Path) -> Path:
    exif = Image.Exif()
    exif[0x0112] = 6
    file = tmp_path / "IMG_0001.JPG"
    Image.effect_noise((1000, 750), 60).resize((4000, 3000)).convert("RGB").save(file, quality=92, exif=exif)
    return file


@pytest.mark.long
def test_photo_is_reduced_before_upload(
    live_server: LiveServer, open_page: OpenPage, hanchan: Hanchan, large: Path
) -> None:
    code = code_of(issue_link(session=hanchan.session, table=1, by=SYSTEM))
    page = open_page()
    page.goto(f"{live_server.url}{reverse('league:table_receipt', args=[code, hanchan.pk])}")
    page.set_input_files("[name=photo]", large)
    expect(page.locator("[data-photo-state]")).to_contain_text("縮小しました")
    small = page.evaluate("document.querySelector('[name=photo]').files[0].size")
    assert small < 800_000 < large.stat().st_size
    fits(page)
    page.get_by_role("button", name="写真を追加").click()
    expect(page.locator(".photo-row img")).to_have_count(1)
    photo = Photo.objects.get()
    assert (photo.width, photo.height) == (1200, 1600)
    fits(page)


@pytest.mark.long
@varied("language", ["", "/en"])
@pytest.mark.parametrize(
    ("name", "query", "size", "pages"),
    [
        pytest.param("print_cards", "", (210, 297), 3, id="cards"),
        pytest.param("print_cards", "?paper=a6", (105, 148), 6, id="cards on A6"),
        pytest.param("print_posters", "", (420, 297), 2, id="poster"),
        pytest.param("print_sheets", "", (210, 297), 6, id="score sheets"),
    ],
)
def test_printed_pages_have_the_right_size_and_codes(
    live_server: LiveServer,
    open_page: OpenPage,
    hanchan: Hanchan,
    *,
    language: str,
    name: str,
    query: str,
    size: tuple[int, int],
    pages: int,
) -> None:
    session = hanchan.session
    links = issue_links(session=session, by=SYSTEM)
    page = open_page(DESKTOP)
    address = language + reverse(f"league:{name}", args=[session.league.slug, session.pk]) + query
    signed_in(page, live_server.url, make_user("ishida", league=session.league, role="organiser"))
    page.goto(live_server.url + address)
    expect(page.locator("[data-print]")).to_be_visible()
    fits(page)
    with pypdfium2.PdfDocument(io.BytesIO(page.pdf(prefer_css_page_size=True))) as printed:
        assert len(printed) == pages
        found: set[str] = set()
        # The first sheet warns of the loopback address.
        for number in range(1, pages):
            sheet = printed[number]
            width, height = sheet.get_size()
            assert (round(width / 72 * 25.4), round(height / 72 * 25.4)) == size
            picture: Image.Image = sheet.render(scale=150 / 72).to_pil()
            found |= {code.text for code in zxingcpp.read_barcodes(picture)}
    assert found == {f"{live_server.url}{language}/e/{code_of(link)}/" for link in links}
    page.set_viewport_size({"width": 360, "height": 640})
    fits(page)
