import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import TableLink
from league.services.history import SYSTEM
from league.services.links import revoke_link
from tests.browser import phones
from tests.browser.evenings import arrived, comes, newest
from tests.browser.visits import fits
from tests.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.long
def test_outbox_corrects_sends_and_removes(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    phones.keep_one(page, live_server, link)
    page.goto(f"{live_server.url}/e/outbox/")
    expect(page.locator("#results .tag")).to_have_text("未送信")
    expect(page.locator("#results")).to_contain_text("青木 31,700")
    expect(page.locator("[data-act=remove]")).to_be_hidden()
    phones.change_records(page, f"{{ entered_at: '{(timezone.now() - timedelta(hours=25)).isoformat()}' }}")
    page.reload()
    expect(page.locator("#results")).to_contain_text("1日以上送信できていません")
    fits(page)
    page.tap("[data-act=mend]")
    phones.say_state(page, "restored")
    page.fill("[name=raw_0]", "327")
    page.fill("[name=raw_1]", "303")
    page.unroute_all(behavior="ignoreErrors")
    phones.save(page)
    page.wait_for_url("**/done/**")
    comes(link.session)
    assert newest(link).seats.get(seat=0).raw_score == 32700
    page.goto(f"{live_server.url}/e/outbox/")
    expect(page.locator("#results .tag")).to_have_text(re.compile("送信済み|確認待ち"))
    page.on("dialog", lambda dialog: dialog.accept())
    page.tap("[data-act=remove]")
    expect(page.locator("#no-results")).to_be_visible()
    assert arrived(link.session) == 1


def handover_url(page: Page) -> str:
    page.tap("[data-hand]")
    expect(page.locator(".handover-code svg")).to_be_visible()
    fits(page)
    address = page.locator("[data-address]").input_value()
    page.tap("[data-close]")
    expect(page.locator("dialog")).to_have_count(0)
    return address


@pytest.mark.long
@pytest.mark.parametrize("lacks", ["", phones.PLAIN_HTTP], ids=["https", "plain http"])
def test_handed_result_counts_once(open_phone: OpenPage, live_server: LiveServer, link: TableLink, lacks: str) -> None:
    page, other = open_phone(lacks=lacks), open_phone(lacks=lacks)
    phones.keep_one(page, live_server, link)
    address = handover_url(page)
    assert len(address) < 1200
    other.goto(address)
    expect(other.locator("#handover")).to_contain_text("青木 31,700")
    fits(other)
    assert arrived(link.session) == 0
    other.tap("[data-take]")
    expect(other.locator("#handover-state")).to_have_text("送信済み")
    comes(link.session)
    phones.mend(page)
    phones.say_state(page, "sent")
    other.tap("[data-receipt]")
    other.wait_for_url("**/done/**")
    assert arrived(link.session) == 1


@pytest.mark.long
def test_result_of_revoked_link_goes_to_scorer(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    page = open_phone()
    phones.go(page, live_server, link)
    phones.type_scores(page)
    revoke_link(link=link, by=SYSTEM)
    phones.save(page)
    phones.say_state(page, "ended")
    expect(page.locator(".kept h2")).to_have_text("リンク終了")
    assert page.locator(".kept").inner_text().count("この卓のリンクは終了しました") == 1
    expect(page.locator("[data-next]")).to_be_hidden()
    assert phones.states(page) == ["ended"]
    assert arrived(link.session) == 0
    address = handover_url(page)
    page.reload()
    expect(page.locator("h1")).to_have_text("終了したリンクです")
    expect(page.locator("[data-unsent-banner] [role=status]")).to_contain_text("1")
    page.tap("[data-unsent-banner] a")
    expect(page.locator("#results > li")).to_have_attribute("data-state", "ended")
    fits(page)
    scorer = open_phone()
    scorer.goto(f"{live_server.url}/l/camarade/sessions/{link.session.pk}/enter/")
    phones.log_in(scorer)
    scorer.goto(address)
    scorer.tap("[data-take]")
    expect(scorer.locator("#handover [data-why]")).to_contain_text("ご自分の名前で")
    assert arrived(link.session) == 0
    scorer.tap("[data-open]")
    phones.say_state(scorer, "restored")
    assert scorer.locator("[name=raw_0]").input_value() == "317"
    phones.save(scorer)
    scorer.wait_for_url("**/done/**")
    comes(link.session)


@pytest.mark.long
def test_second_phone_sees_input_results_undo(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    first, second = open_phone(), open_phone()
    phones.go(first, live_server, link)
    phones.go(second, live_server, link)
    phones.type_scores(first)
    expect(second.locator("#elsewhere")).to_contain_text("入力")
    expect(second.locator("#elsewhere")).to_contain_text("317")
    together = second.locator("#elsewhere span").first
    expect(together).to_have_text("青木 317")
    expect(together).to_have_css("display", "inline-block")
    phones.save(first)
    first.wait_for_url("**/done/**")
    expect(second.locator("#news")).to_contain_text("2回戦が登録されました")
    expect(second.locator("#elsewhere p").first).to_be_empty()
    expect(second.locator("#round")).to_have_text("3回戦")
    first.tap("[data-undo] button")
    expect(second.locator("#news [data-hanchan]")).to_have_count(0)
    expect(second.locator("#round")).to_have_text("2回戦")


@pytest.mark.long
def test_draft_keeps_its_round_as_another_saves(open_phone: OpenPage, live_server: LiveServer, link: TableLink) -> None:
    first, second = open_phone(), open_phone()
    phones.go(first, live_server, link)
    phones.go(second, live_server, link)
    phones.type_scores(second, ("347", "213", "325"))
    phones.type_scores(first, ("347", "203", "325"))
    phones.save(first)
    first.wait_for_url("**/done/**")
    expect(second.locator("#news")).to_contain_text("2回戦が登録されました")
    expect(second.locator("#round")).to_have_text("2回戦")
    phones.save(second)
    expect(second.locator(".notice.warning")).to_contain_text("ほぼ同じ結果が登録されています")
    expect(second.locator(".same-seats")).to_contain_text("20,300")
    expect(second.locator(".same-seats")).to_contain_text("21,300")
    expect(second.locator("#round")).to_have_text("2回戦")
    assert arrived(link.session) == 1
    second.tap("[value=another]")
    second.wait_for_url("**/done/**")
    assert newest(link).round == 3
