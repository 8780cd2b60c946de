import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.visits import fits, signed_in
from tests.budget import varied
from tests.conftest import OpenPage
from tests.league.factories import make_league, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def is_in_view(page: Page, selector: str) -> bool:
    seen: bool = page.evaluate(
        """(selector) => {
          const box = document.querySelector(selector).getBoundingClientRect();
          return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
        }""",
        selector,
    )
    return seen


@pytest.mark.long
@varied("prefix", ["", "/en"], ids=["ja", "en"])
def test_rule_editor_keeps_the_example_visible(open_page: OpenPage, live_server: LiveServer, prefix: str) -> None:
    league, page = make_league(), open_page((1280, 800), dark=bool(prefix))
    signed_in(page, live_server.url, make_user("ishida", league=league, role="organiser"))
    edit = reverse("league:rules_edit", args=[league.slug, league.current_version_id])
    page.goto(f"{live_server.url}{prefix}{edit}")
    expect(page.locator("#example tbody tr").first).to_contain_text("+21.7")
    assert is_in_view(page, "#id_start_points")
    assert is_in_view(page, "#example tbody tr")
    page.locator('[data-section="chombo"] > summary').click()
    page.locator('[data-section="accounts"] > summary').scroll_into_view_if_needed()
    assert is_in_view(page, "#example tbody tr:last-child")
    page.locator("#id_chombo_kind").select_option("total")
    page.locator("#id_chombo_amount").fill("▲20")
    expect(page.locator("#says-chombo")).to_contain_text("20")
    page.locator(".rules-more > summary").click()
    page.locator('[data-section="house-payments"] > summary').click()
    page.locator("#id_house_multi_ron").select_option("triple")
    said = "Double and triple ron are allowed" if prefix else "トリプルロンを認めます"
    expect(page.locator("#says-house-payments")).to_contain_text(said)
    assert is_in_view(page, "#example tbody tr:last-child")
    fits(page)
