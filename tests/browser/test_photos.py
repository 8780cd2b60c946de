from pathlib import Path

import pytest
from django.urls import reverse
from PIL import Image
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Photo
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
from tests.browser.visits import fits
from tests.conftest import OpenPage
from tests.league.factories import make_league, make_session, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.long
def test_photo_is_reduced_before_upload(tmp_path: Path, live_server: LiveServer, open_page: OpenPage) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    file = tmp_path / "IMG_0001.JPG"
    Image.effect_noise((1000, 750), 60).resize((4000, 3000)).convert("RGB").save(file, quality=92, exif=exif)
    hanchan = play(make_session(make_league(), tables=5))
    code = code_of(issue_link(session=hanchan.session, table=1, by=SYSTEM))
    page = open_page()
    page.goto(f"{live_server.url}{reverse('league:table_receipt', args=[code, hanchan.pk])}")
    page.locator("summary", has_text="写真").click()
    expect(page.get_by_role("button", name="写真を追加")).to_be_hidden()
    page.set_input_files("[name=photo]", file)
    expect(page.locator("[data-photo-state]")).to_contain_text("縮小しました")
    assert page.evaluate("document.querySelector('[name=photo]').files[0].size") < 800_000 < file.stat().st_size
    fits(page)
    page.get_by_role("button", name="写真を追加").click()
    expect(page.locator(".photo-row img")).to_have_count(1)
    photo = Photo.objects.get()
    assert (photo.width, photo.height) == (1200, 1600)
    fits(page)
