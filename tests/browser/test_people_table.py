import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from league.models import Player
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_players
from tests.browser.test_grid import paste
from tests.browser.visits import signed_in
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_league, make_user

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = ("青木", "石田", "上野", "江口")


@pytest.fixture
def people(transactional_db: None) -> list[Player]:
    del transactional_db
    league = make_league()
    make_user("ishida", league=league, role="organiser")
    return add_players(league=league, people=[PlayerFacts(name) for name in NAMES], by=SYSTEM)


def field(player: Player, name: str) -> str:
    return f"#id_p{player.pk}-{name}"


@pytest.mark.long
def test_player_table_takes_keys_and_pastes(open_page: OpenPage, live_server: LiveServer, people: list[Player]) -> None:
    page = signed_in(open_page(DESKTOP), live_server.url, User.objects.get())
    page.goto(f"{live_server.url}/l/camarade/manage/players/")
    aoki, ishida, ueno, eguchi = people
    page.focus(field(aoki, "kana"))
    for reading in ("あおき", "いしだ"):
        page.keyboard.type(reading)
        page.keyboard.press("Enter")
    expect(page.locator(field(ueno, "kana"))).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator(field(ishida, "kana"))).to_be_focused()
    paste(page, field(ueno, "number"), "3\t東クラブ\n4\t西クラブ\n5\t余り")
    expect(page.locator(field(eguchi, "club"))).to_have_value("西クラブ")
    expect(page.locator("[data-said]")).to_contain_text("2")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.keyboard.press("Control+Enter")
    expect(page.get_by_text("4人を変更しました")).to_be_visible()
    body = sent.value.post_data or ""
    assert all(f"p{player.pk}-seen" in body for player in people)
    stored = {player.name: player for player in Player.objects.all()}
    assert [stored[name].kana for name in NAMES] == ["あおき", "いしだ", "", ""]
    assert [stored[name].club for name in NAMES] == ["", "", "東クラブ", "西クラブ"]
    page.fill(field(aoki, "club"), "東クラブ")
    page.get_by_role("searchbox", name="このページから探す").fill("いし だ")
    expect(page.locator("[data-row]:visible")).to_have_count(1)
    expect(page.locator(field(ishida, "kana"))).to_be_visible()
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.click("[value=save]")
    expect(page.get_by_text("1人を変更しました")).to_be_visible()
    body = sent.value.post_data or ""
    assert f"p{aoki.pk}-seen" in body
    assert f"p{ishida.pk}-" not in body
    assert Player.objects.get(pk=ishida.pk).kana == "いしだ"


REACHED = """(field) => {
  field.focus();
  const box = field.getBoundingClientRect();
  return document.elementFromPoint(box.x + box.width / 2, box.bottom - 2) === field && box.left >= 0 && box.right <= innerWidth;
}"""
"""Script: whether a focused field is on the screen and covered by nothing."""


@pytest.mark.long
def test_phone_says_what_each_cell_is_for_with_save_in_reach(
    open_page: OpenPage, live_server: LiveServer, people: list[Player]
) -> None:
    page = signed_in(open_page(PHONE), live_server.url, User.objects.get())
    page.goto(f"{live_server.url}/l/camarade/manage/players/")
    expect(page.locator("[value=save]")).to_be_in_viewport(ratio=1)
    for name in ("name", "kana", "romanised", "number", "club", "is_guest", "is_active"):
        assert page.locator(field(people[-1], name)).evaluate(REACHED), name
    row = page.locator("tbody tr").first
    for label in ("会員番号", "所属", "ゲスト", "活動中"):
        expect(row.get_by_placeholder(label).or_(row.get_by_text(label, exact=True))).to_be_visible()
    assert row.evaluate("(row) => row.offsetHeight") < 150


@pytest.mark.long
def test_typing_finds_players(open_page: OpenPage, live_server: LiveServer, people: list[Player]) -> None:
    page = open_page()
    page.goto(f"{live_server.url}/l/camarade/players/")
    page.locator("#q").press_sequentially("石")
    expect(page.locator("#found .player")).to_have_count(1)
    page.locator("#q").fill("")
    expect(page.locator("#found .player")).to_have_count(len(people))
