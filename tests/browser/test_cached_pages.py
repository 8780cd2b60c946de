import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from league.models import Hanchan, HeldResult, Player, Session
from league.services.history import SYSTEM
from tests.browser.phones import log_in, ready, save, say_state, states, type_scores
from tests.browser.test_offline import controlled
from tests.conftest import OpenPage, database_url
from tests.deadlines import wait_until
from tests.league.factories import make_user, planned_players
from tests.processes import end, free_port, listens, program, wait_for
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_table
from tournaments.models import StageSession
from tournaments.services.rounds import plan_next_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.long]


SEATED = """() => [
  document.getElementById("round").textContent.trim(),
  [...document.querySelectorAll("[data-seat] select")].map((player) => Number(player.value)),
]"""
"""Script: heading and players of the entry page."""


SCORES, OTHER = ("367", "263", "205", "165"), ("400", "280", "190", "130")
"""In a tournament all four scores are typed."""


@dataclass
class Stoppable:
    """A site in a child process that can be paused and continued."""

    process: subprocess.Popen[bytes]
    url: str

    def stop(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Stoppable]:
    port = free_port()
    serving = os.environ | {"DATABASE_URL": database_url(), "DEBUG": "on"}
    command = [sys.executable, "manage.py", "runserver", "--noreload", f"127.0.0.1:{port}"]
    process = program(command, serving, tmp_path / "site.log")
    try:
        wait_for(process, lambda: listens(port), tmp_path / "site.log")
        yield Stoppable(process, f"http://127.0.0.1:{port}")
    finally:
        process.send_signal(signal.SIGCONT)
        end(process, signal.SIGTERM)


@pytest.fixture
def swiss() -> StageSession:
    """A session with eight players at two tables, with only the first round planned."""
    tournament = make_tournament(format_key="swiss", players=8)
    make_user("ueno", league=tournament.league, role="organiser")
    (found, *_) = draw_and_plan(tournament, "swiss")
    return found


def draw_next(swiss: StageSession) -> None:
    plan_next_round(tournament=swiss.tournament, stage="swiss", by=SYSTEM)


def people(swiss: StageSession, number: int) -> list[int]:
    return [player.pk for player in planned_players(swiss.session, 1, number)]


def seated(page: Page) -> tuple[str, list[int]]:
    heading, players = page.evaluate(SEATED)
    return heading, players


def open_table(page: Page, site: Stoppable, session: Session) -> str:
    address = f"{site.url}/l/{session.league.slug}/sessions/{session.pk}/enter/?table=1"
    page.goto(address)
    log_in(page)
    ready(page)
    controlled(page)
    return address


@pytest.fixture
def kept(open_phone: OpenPage, site: Stoppable, swiss: StageSession) -> Callable[[], tuple[Page, str]]:
    """Return a function that opens the cached page of round 1 while round 2 is drawn and the site does not respond."""

    def opened() -> tuple[Page, str]:
        page = open_phone(service_workers="allow")
        address = open_table(page, site, swiss.session)
        assert seated(page) == ("1回戦", people(swiss, 1))
        for table in (1, 2):
            play_table(swiss, table, 1, by_entry(swiss.tournament))
        Hanchan.objects.update(recorded_at=timezone.now() - timedelta(hours=2))
        draw_next(swiss)
        site.stop()
        page.goto(address, wait_until="commit")
        ready(page)
        return page, address

    return opened


def test_names_and_round_of_a_cached_page_change_together(
    kept: Callable[[], tuple[Page, str]], site: Stoppable, swiss: StageSession
) -> None:
    page, _ = kept()
    first, second = ("1回戦", people(swiss, 1)), ("2回戦", people(swiss, 2))
    assert first[1] != second[1]
    expect(page.locator("#kept-page")).to_contain_text("にこの端末に保存したページです")
    assert seated(page) == first
    site.go_on()
    seen = []
    assert wait_until(lambda: seen.append(seated(page)) or seen[-1] == second)  # type: ignore[func-returns-value]
    assert [each for each in seen if each not in (first, second)] == []
    expect(page.locator("#kept-page")).to_have_count(0)
    type_scores(page, SCORES)
    save(page)
    page.wait_for_url("**/done/**")
    assert [seat.player_id for seat in swiss.session.hanchan.get(round=2).seats.order_by("seat")] == second[1]


def test_result_typed_on_an_outdated_page_is_questioned(
    kept: Callable[[], tuple[Page, str]], site: Stoppable, swiss: StageSession
) -> None:
    page, _ = kept()
    type_scores(page, SCORES)
    site.go_on()
    expect(page.locator("#kept-page")).to_have_count(0)
    # A draft keeps its round and players.
    assert seated(page) == ("1回戦", people(swiss, 1))
    save(page)
    expect(page.locator(".notice.warning")).to_contain_text("予定は別の人です")
    for planned in Player.objects.filter(pk__in=people(swiss, 2)):
        expect(page.locator(".same-seats")).to_contain_text(planned.name)
    assert not swiss.session.hanchan.filter(round=2).exists()
    ready(page)
    for seat, player in enumerate(people(swiss, 2)):
        page.select_option(f"[name=player_{seat}]", str(player))
    save(page)
    page.wait_for_url("**/done/**")
    assert [seat.player_id for seat in swiss.session.hanchan.get(round=2).seats.order_by("seat")] == people(swiss, 2)


def test_offline_result_of_others_awaits_decision(open_phone: OpenPage, site: Stoppable, swiss: StageSession) -> None:
    page = open_phone(service_workers="allow")
    address = open_table(page, site, swiss.session)
    page.context.set_offline(True)
    page.goto(address)
    ready(page)
    expect(page.locator("#kept-page")).to_be_visible()
    type_scores(page, OTHER)
    save(page)
    say_state(page, "unsent")
    page.tap("[data-next]")
    # The phone does not have the plan of the second round.
    assert wait_until(lambda: seated(page) == ("2回戦", [0, 0, 0, 0]))
    expect(page.locator("#planned")).to_contain_text("まだこの端末にありません")
    for seat, player in enumerate(people(swiss, 1)):
        page.select_option(f"[name=player_{seat}]", str(player))
    type_scores(page, SCORES)
    save(page)
    say_state(page, "unsent")
    play_table(swiss, 2, 1, by_entry(swiss.tournament))
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    assert wait_until(lambda: states(page) == ["others", "sent"])
    assert swiss.session.hanchan.filter(table=1).count() == 1
    assert HeldResult.objects.get().reason == HeldResult.Reason.OTHERS
    page.goto(f"{site.url}/e/outbox/")
    expect(page.locator("[data-state=others]")).to_contain_text("対局した人を確認")
    draw_next(swiss)
    page.tap("[data-state=others] [data-act=mend]")
    say_state(page, "restored")
    for seat, player in enumerate(people(swiss, 2)):
        page.select_option(f"[name=player_{seat}]", str(player))
    save(page)
    page.wait_for_url("**/done/**")
    assert swiss.session.hanchan.filter(table=1, round=2).exists()
    assert HeldResult.objects.get().hanchan is not None


def test_cached_standings_show_age_until_refreshed(open_phone: OpenPage, site: Stoppable, swiss: StageSession) -> None:
    page = open_phone(service_workers="allow")
    address = f"{site.url}/l/{swiss.tournament.league.slug}/standings/all/"
    page.goto(address)
    controlled(page)
    page.context.set_offline(True)
    page.goto(address)
    expect(page.locator("#kept-page")).to_contain_text("にこの端末に保存したページです")
    page.context.set_offline(False)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#kept-page")).to_have_count(0)
