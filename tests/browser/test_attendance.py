"""An evening from the question who comes to the seats: an organiser's desk and two phones, one of them without scripts."""

import os
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Session
from league.selectors.planning import waiting_at
from league.services.attendance import AnswerFacts, Given, answer_session
from league.services.history import SYSTEM
from league.services.people import link_user
from tests.budget import varied
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def session(transactional_db: None) -> Session:
    """A session in a week; eight of the ten players have played, seven come, Aoki and Ishida have not answered."""
    del transactional_db
    league = make_league()
    players = make_players(league, 10)
    link_user(player=players[9], user=make_user("aoki", league=league, role="organiser"), by=SYSTEM)
    today = league.day_of(timezone.now())
    for _ in range(2):
        play(make_session(league, today), players=players[:4])
    coming = make_session(league, today + timedelta(days=7), tables=2)
    for player in players[2:9]:
        answer_session(session=coming, player=player, facts=AnswerFacts("coming"), given=Given.ORGANISER, by=SYSTEM)
    return coming


def fits(page: Page, name: str) -> None:
    """Nothing sticks out sideways, and axe finds nothing."""
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth"), name
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.long
@varied("prefix", ["", "/en"], ids=["ja", "en"])
def test_two_phones_answer_and_the_draw_takes_who_comes(
    open_page: OpenPage, live_server: LiveServer, client: Client, session: Session, prefix: str
) -> None:
    # Japanese in the light, English in the dark.
    dark = bool(prefix)
    name = f"{prefix.strip('/') or 'ja'}-{'dark' if dark else 'light'}"
    desk = open_page(DESKTOP, dark=dark)
    client.force_login(session.league.members.get(role="organiser").user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    desk.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
    desk.goto(f"{live_server.url}{prefix}/l/camarade/sessions/{session.pk}/")
    fits(desk, f"{name}-session")
    desk.check("#answers [name=answer][value=absent]")
    desk.click("#answers form button")
    expect(desk.locator("#answers .who")).to_contain_text("選手10" if not prefix else "Player 10")
    desk.click("#answers a[href$='/answers/']")
    desk.click("[value=link]")
    address = desk.input_value("#share-text").splitlines()[-1]
    fits(desk, f"{name}-manage")

    for number, (scripts, choice) in enumerate(((True, "late"), (False, "coming"))):
        phone = open_page(PHONE, scripts=scripts, dark=dark)
        phone.goto(address)
        if scripts:
            fits(phone, f"{name}-link")
        phone.select_option("#player", str(session.league.players.order_by("pk")[number].pk))
        phone.click("main form button")
        phone.check(f"[name=answer][value={choice}]")
        if choice == "late":
            phone.fill("[name=arrives_at]", "20:15")
        phone.click("main form button")
        expect(phone.locator(".notice.success")).to_be_visible()
        if scripts:
            fits(phone, f"{name}-answered")

    desk.click("a[href$='/seats/']")
    expect(desk.locator("[name=people]:checked")).to_have_count(9)
    desk.click("[value=draw]")
    expect(desk.locator(".evenness")).to_be_visible()
    fits(desk, f"{name}-seats")
    desk.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    fits(desk, f"{name}-seats-phone")
    desk.click("[value=keep]")
    expect(desk.locator(".sheet-plan")).to_be_visible()
    fits(desk, f"{name}-session-phone")
    assert [player.name for player in waiting_at(session)[1]] == ["青木"]
    phone = open_page(PHONE, dark=dark)
    phone.goto(address)
    expect(phone.locator(".sheet-plan")).to_contain_text("石田" if not prefix else "Ishida")
    fits(phone, f"{name}-link-seats")
