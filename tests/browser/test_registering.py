"""Two phones without accounts at one last place: one plays, the other waits, moves up, and checks in at the door."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.conftest import OpenPage
from tests.tournaments.registering import link_to, offered, opens_check_in, terms_now
from tournaments.services.registration_terms import door_code

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def register(page: Page, address: str, name: str) -> None:
    """Register on a phone."""
    page.goto(address)
    page.get_by_label("名前", exact=True).fill(name)
    page.get_by_role("button", name="申し込む").click()
    page.wait_for_url("**/registration/**")


@pytest.mark.long
def test_second_phone_moves_up_when_the_first_withdraws(
    open_page: OpenPage, live_server: LiveServer, transactional_db: None
) -> None:
    tournament = offered(places=1)
    first, second = open_page(), open_page()
    for page, name in ((first, "客人一"), (second, "客人二")):
        register(page, live_server.url + link_to(tournament), name)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(second.locator("main")).to_contain_text("キャンセル待ち:1番目")
    first.get_by_text("辞退する", exact=True).click()
    first.get_by_role("button", name="出場できません").click()
    expect(first.locator("main")).to_contain_text("辞退しました")
    second.reload()
    expect(second.locator("main")).to_contain_text("この大会の席が決まっています。")
    opens_check_in(tournament)
    door = reverse("tournaments:check_in", args=[door_code(terms_now(tournament))])
    second.goto(live_server.url + door)
    second.get_by_role("button", name="客人二").click()
    expect(second.locator("main")).to_contain_text("客人二さんの受付をしました。")
