import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import TableLink
from tests.browser.evenings import comes, newest
from tests.browser.phones import go, save
from tests.budget import varied
from tests.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


POINTS = {
    "": (["+21.7", "+1.3", "▲4.5", "▲18.5"], ["+31", "+6", "▲9", "▲28"]),
    "/en": (["+21.7", "+1.3", "−4.5", "−18.5"], ["+31", "+6", "−9", "−28"]),
}


@pytest.mark.merge
@varied("prefix", ["", "/en"], ids=["ja", "en"])
@pytest.mark.parametrize(("mode", "taps"), [("fast", 12), ("strict", 16)], ids=["fast", "strict"])
def test_hanchan_is_entered_with_few_taps(
    open_phone: OpenPage, live_server: LiveServer, link: TableLink, mode: str, taps: int, prefix: str
) -> None:
    league = link.session.league
    league.entry_mode = mode
    league.save()
    page = open_phone()
    go(page, live_server, link, prefix)
    expect(page.locator("[name=raw_0]")).to_be_focused()
    page.evaluate("""() => {
      globalThis.taps = 0;
      addEventListener("keydown", () => taps++, true);
      addEventListener("pointerdown", () => taps++, true);
      addEventListener("pagehide", () => sessionStorage.setItem("taps", taps));
    }""")
    scores = ("317", "313", "255", "115")[: 3 if mode == "fast" else 4]
    for number, digits in enumerate(scores):
        page.keyboard.type(digits)
        if number < len(scores) - 1:
            page.keyboard.press("Enter")
    for number, (ranking, settlement) in enumerate(zip(*POINTS[prefix], strict=True)):
        expect(page.locator(f"#out-{number} .seat-points")).to_contain_text(ranking)
        expect(page.locator(f"#out-{number} .seat-other")).to_contain_text(settlement)
    assert page.locator("[name=raw_3]").input_value() == "115"
    button = page.locator("#save").bounding_box()
    assert button is not None
    assert button["y"] + button["height"] <= 640
    assert page.evaluate("scrollY") == 0
    save(page)
    page.wait_for_url("**/done/**")
    assert page.evaluate("Number(sessionStorage.getItem('taps'))") == taps
    comes(link.session)
    raw = newest(link).seats.order_by("seat").values_list("raw_score", flat=True)
    assert list(raw) == [31_700, 31_300, 25_500, 11_500]


@pytest.mark.long
def test_choosing_someone_seated_swaps_seats(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    go(page, live_server, link)
    players = [page.locator(f"[name=player_{number}]") for number in range(4)]
    before = [player.input_value() for player in players]
    players[0].select_option(before[2])
    assert [player.input_value() for player in players] == [before[2], before[1], before[0], before[3]]
    players[3].select_option("guest")
    expect(page.locator("[name=guest_3]")).to_be_focused()
