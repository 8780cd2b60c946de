from collections.abc import Iterator
from copy import deepcopy
from datetime import timedelta
from typing import Any

import pytest
import urllib3
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Photo
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
from league.services.photo_moves import move_photos
from league.services.photos import add_photo, clean_photo
from tests.conftest import OpenPage
from tests.league.factories import make_league, make_session, play
from tests.league.results.test_photos import saved, sheet
from tests.photo_store import PhotoStore, start_photo_store

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SENTENCE = "この写真は保存されていますが、いまは表示できません。"


@pytest.fixture
def store(
    tmp_path_factory: pytest.TempPathFactory, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PhotoStore]:
    running = start_photo_store(tmp_path_factory.mktemp("store"))
    monkeypatch.setattr("league.services.photo_store._http", urllib3.PoolManager(timeout=60, retries=False))
    settings.PHOTO_STORE = running.settings
    yield running
    running.process.kill()
    running.process.wait()


@pytest.mark.long
def test_photo_is_loaded_from_the_store_or_replaced_by_a_message(
    live_server: LiveServer, open_page: OpenPage, store: PhotoStore, settings: Any
) -> None:
    hanchan = play(make_session(make_league()))
    add_photo(hanchan=hanchan, picture=clean_photo(saved(sheet())), by=SYSTEM)
    Photo.objects.update(added_at=timezone.now() - timedelta(hours=1))
    assert move_photos(timezone.now(), None) == 1
    code = code_of(issue_link(session=hanchan.session, table=1, by=SYSTEM))
    receipt = f"{live_server.url}{reverse('league:table_receipt', args=[code, hanchan.pk])}#photos"
    page, away = open_page(), SENTENCE
    policy = deepcopy(settings.CONTENT_SECURITY_POLICY)
    policy["DIRECTIVES"]["img-src"] += [f"http://127.0.0.1:{store.port}"]
    settings.CONTENT_SECURITY_POLICY = policy
    # If the CSP did not allow the host, the browser would log an error.
    page.goto(receipt)
    page.locator("#photos").scroll_into_view_if_needed()
    expect(page.locator(".photo-row img")).to_have_js_property("naturalWidth", 400)
    expect(page.get_by_text(away)).to_be_hidden()

    store.process.kill()
    store.process.wait()
    page.reload()
    page.locator("#photos").scroll_into_view_if_needed()
    expect(page.get_by_text(away)).to_be_visible()
    expect(page.locator(".photo-row img")).to_have_count(0)
