"""Accessibility (axe) and width on a phone, for pages that need some set-up."""

import json
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import Confirmation, Hanchan, HeldResult, TableLink
from league.services.confirming import NewStatement, say
from league.services.held_results import RejectionReason, Submission, store_held_result
from league.services.history import SYSTEM, Actor
from league.services.people import PlayerFacts, add_player
from league.services.planning import TablePlan, plan_tables
from league.services.results import HanchanResult, TableAndTime, correct_hanchan, result_of
from scoring.core import FinishedGame
from tests.browser.phones import cut_before
from tests.browser.visits import fits, signed_in
from tests.budget import combined, varied
from tests.conftest import OpenPage
from tests.league.entry_contexts import at, link_of, typed
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

THEIRS = (31700, 30000, 26800, 11500)

STORE = """async (found) => {
  const { change } = await import("/static/js/store.js");
  for (const record of found) {
    await change(record.client_key, () => record);
  }
}"""


@dataclass
class Evening:
    """A league with one of everything that can wait for an organiser, and a phone."""

    page: Page
    base: str
    link: TableLink
    hanchan: Hanchan
    held: HeldResult

    def goes(self, name: str, *args: object, query: str = "") -> None:
        self.page.goto(f"{self.base}{reverse(f'league:{name}', args=args)}{query}")

    def signs_in(self) -> None:
        user = make_user(f"organiser-{uuid.uuid4().hex[:6]}", league=self.hanchan.league, role="organiser")
        signed_in(self.page, self.base, user)


@pytest.fixture
def evening(transactional_db: None, open_page: OpenPage, live_server: LiveServer) -> Evening:
    """Tonight's session: two results, one disputed; one held result, one table behind, and a guest named like Aoki."""
    del transactional_db
    league = make_league(confirmed_by="all")
    players = make_players(league, 9)
    add_player(league=league, facts=PlayerFacts("アオキ", "あおき", is_guest=True), by=SYSTEM)
    session = make_session(league, league.day_of(timezone.now()), tables=2)
    plans = [TablePlan(1, tuple(players[:4]), number) for number in (1, 2, 3)]
    plans += [TablePlan(2, tuple(players[4:8]), number) for number in (1, 2, 3)]
    plan_tables(session=session, plans=plans, by=SYSTEM)
    link = link_of(session)
    disputed, hanchan = (play(session, players=players[:4], table=1, round=number) for number in (1, 2))
    Hanchan.objects.update(recorded_through=link, device="aa" * 8)
    say(hanchan=disputed, statement=NewStatement(Confirmation.Verdict.DISPUTES, 1, players[3]), by=SYSTEM)
    sent = {name: [str(value)] for name, value in typed(league, "317", "313", "255", "999", note="電車の中で").items()}
    held = store_held_result(
        session=session,
        table=1,
        sent=Submission(uuid.uuid4(), sent, timezone.now() - timedelta(days=2)),
        refused=RejectionReason(HeldResult.Reason.SUM, "合計が違います。"),
        by=Actor(None, "table link 1"),
    )
    assert held is not None
    settle()
    return Evening(open_page(), live_server.url, link, hanchan, held)


def record(evening: Evening, state: str, **more: object) -> dict[str, object]:
    seats = [{"name": name, "score": "25,000"} for name in ("青木", "石田", "上野", "江口")]
    now = timezone.now()
    return {
        "client_key": str(uuid.uuid4()),
        "url": at(evening.link),
        "state_url": "",
        "fields": [["raw_0", "250"]],
        "photo": None,
        "summary": {"title": "第1節 · 卓1", "round": "3回戦", "seats": seats},
        "entered_at": now.isoformat(),
        "sent_at": now.isoformat(),
        "another": False,
        "receipt": "",
        "message": "",
        "tries": 1,
        "state": state,
        **more,
    }


def outbox(evening: Evening) -> None:
    cut_before(evening.page)
    evening.goes("offline")
    receipt = at(evening.link, "table_receipt", evening.hanchan.pk)
    late = (timezone.now() - timedelta(days=2)).isoformat()
    found = [record(evening, state) for state in ("draft", "unsent", "held", "ended")]
    found += [record(evening, "sent", standing=each, receipt=receipt) for each in ("recorded", "confirmed", "disputed")]
    found += [
        record(evening, "same", receipt=receipt),
        record(evening, "refused", message="合計が100点違います。"),
        record(evening, "ended", desk="/l/camarade/sessions/1/enter/?table=1"),
        record(evening, "unsent", entered_at=late),
    ]
    evening.page.evaluate(STORE, found)
    evening.goes("outbox")
    expect(evening.page.locator("#results > li")).to_have_count(len(found))
    expect(evening.page.locator("#results > [data-state=unsent]")).to_have_count(2)


def handing(evening: Evening) -> None:
    """The page with the code by which another phone takes over a result."""
    outbox(evening)
    evening.page.locator("#results > [data-state=unsent] [data-act=hand]").first.click()
    expect(evening.page.locator("dialog .handover-code svg")).to_be_visible()


def hand(evening: Evening) -> None:
    seats = [["青木", "31,700"], ["石田", "31,300"], ["上野", "25,500"], ["江口", "11,500"]]
    shown = ["第1節 · 卓1", "3回戦", seats]
    fields = [["raw_0", "317"]]
    said = [1, str(uuid.uuid4()), at(evening.link), timezone.now().isoformat(), 0, fields, shown, ""]
    evening.goes("hand", query="#" + urlsafe_b64encode(json.dumps(said).encode()).decode())
    expect(evening.page.locator("#handover .kept")).to_be_visible()


def dispute(evening: Evening) -> None:
    evening.page.goto(evening.base + at(evening.link, "table_receipt", evening.hanchan.pk))
    evening.page.locator("#said .confirm-no").last.click()
    expect(evening.page.locator("#said [name=note]")).to_be_visible()


def corrected(evening: Evening) -> None:
    players = result_of(evening.hanchan).players
    correct_hanchan(
        hanchan=evening.hanchan,
        seen_version=1,
        result=HanchanResult(players, FinishedGame(THEIRS)),
        table_and_time=TableAndTime(),
        by=Actor(make_user("ueno"), "web"),
        reason="the sheet",
    )
    settle()


def conflict(evening: Evening) -> None:
    evening.signs_in()
    evening.goes("correct", "camarade", evening.hanchan.pk)
    evening.page.fill("[name=raw_0]", "30000")
    evening.page.fill("[name=raw_3]", "13200")
    evening.page.fill("[name=reason]", "写し間違い")
    corrected(evening)
    evening.page.click("#save")
    expect(evening.page.locator("[role=alert] .notice-title")).to_contain_text("ueno")


SCENES = (outbox, handing, hand, dispute, conflict)


@pytest.mark.long
@varied("prefix", ["", "/en"], ids=["ja", "en"])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_pages_in_special_states_are_accessible(
    evening: Evening, scene: Callable[[Evening], None], prefix: str
) -> None:
    page = evening.page
    evening.base += prefix
    scene(evening)
    tried = combined(("", "/en"), (False, True), ("light", "dark"))
    for opens, scheme in sorted((opens, scheme) for language, opens, scheme in tried if language == prefix):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        if opens:
            page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        fits(page)
