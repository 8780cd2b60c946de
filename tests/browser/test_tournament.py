"""A whole invented Cinderella League, played through the pages from the draw to the champion.

On the way: a tie that is decided two hanchan back, a chombo, a withdrawal before playoff 3 so that playoff 2 sends
three, and a correction after an approval, which raises a flag and changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import League
from league.selectors.planning import plan_of
from tests.conftest import DESKTOP, OpenPage
from tests.league.factories import PASSWORD, make_players
from tests.tournaments.factories import director, make_cinderella_league
from tournaments.models import Decision, Tournament
from tournaments.selectors.state import CurrentState, state_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Scores = Mapping[int, int]
"""Raw scores by primary key of the player."""


class Director:
    """Somebody who runs the tournament with nothing but a browser."""

    def __init__(self, page: Page, server: str) -> None:
        self.page, self.server = page, server

    def goes(self, path: str) -> None:
        """Open a page of the league."""
        self.page.goto(f"{self.server}/l/cinderella/{path}")

    def logs_in(self) -> None:
        """Log in as an organiser."""
        self.page.goto(f"{self.server}/accounts/login/")
        self.page.fill("[name=username]", "ishida")
        self.page.fill("[name=password]", PASSWORD)
        self.page.press("[name=password]", "Enter")
        self.page.wait_for_url(f"{self.server}/")

    def submits(self, button: str = "main form .button.tall") -> None:
        """Press the main button of the page and wait for the answer."""
        with self.page.expect_navigation():
            self.page.locator(button).first.click()

    def plans(self, stage: str, first_day: str) -> None:
        """Give every session of a stage a date, one day after the other."""
        self.goes(f"t/spring/plan/{stage}/")
        dates = self.page.locator("main input[type=date]")
        year, month, day = first_day.split("-")
        for number in range(dates.count()):
            dates.nth(number).fill(f"{year}-{month}-{int(day) + number:02}")
        self.submits()

    def plays(self, stage: str, scores: Callable[[int, Sequence[int]], Scores], chombo: int | None = None) -> None:
        """Enter every planned hanchan of a stage; `scores` gives the raw scores of a round to these players."""
        for stage_session in (
            tournament().sessions.filter(stage=stage).select_related("session").order_by("number", "block")
        ):
            for number, table, players in plan_of(stage_session.session):
                seated = [player.pk for player in players]
                foul = chombo if number == 1 else None
                self.enters(stage_session.session.pk, table, scores(number, seated), chombo=foul)

    def enters(self, session: int, table: int, scores: Scores, *, chombo: int | None = None) -> None:
        """Type one hanchan; the names are there already."""
        self.goes(f"sessions/{session}/enter/?table={table}")
        for seat in range(4):
            player = int(self.page.locator(f"[name=player_{seat}]").input_value())
            self.page.fill(f"[name=raw_{seat}]", str(scores[player] // 100))
            if player == chombo:
                self.page.evaluate("for (const fold of document.querySelectorAll('.entry details')) fold.open = true")
                self.page.fill(f"[name=chombo_{seat}]", "1")
        with self.page.expect_navigation(url="**/done/"):
            self.page.click("#save")

    def approves(self, stage: str) -> None:
        """Approve everything that a stage proposes."""
        self.goes(f"t/spring/approve/{stage}/")
        self.submits("button[name=all]")


def tournament() -> Tournament:
    """Return the tournament that is played."""
    return Tournament.objects.get(key="spring")


def current() -> CurrentState:
    """Return the tournament as it stands."""
    return state_of(tournament())


def players_in(stage: str) -> list[int]:
    """Return who plays in a stage, by primary key of the player."""
    return [current().player(place.participant).pk for place in current().state.stage(stage).places]


def by_strength(number: int, seated: Sequence[int]) -> Scores:
    """Return raw scores in which the player with the smaller key is always ahead; no two hanchan are alike."""
    order = sorted(seated)
    lead = [100 * (40 + number - key % 40) for key in order[:2]]
    raws = [45000 + lead[0], 30000 + lead[1], 20000 - lead[1], 5000 - lead[0]]
    return dict(zip(order, raws, strict=True))


def level_until_two_hanchan_back(number: int, seated: Sequence[int]) -> Scores:
    """Return raw scores that leave the second and the third player level but for the first two hanchan."""
    first, second, third, fourth = sorted(seated)
    middle = {1: (15000, 34900), 2: (34900, 15000)}.get(number, (25000, 25000))
    rest = 100000 - sum(middle)
    top = rest - 5000 - 100 * number
    return {first: top, second: middle[0], third: middle[1], fourth: rest - top}


@pytest.fixture
def league(transactional_db: None) -> League:
    """A league with sixteen players and an organiser."""
    del transactional_db
    league = make_cinderella_league()
    make_players(league, 16)
    director(league)
    return league


def test_cinderella_league_from_the_draw_to_the_champion(
    open_page: OpenPage, live_server: LiveServer, league: League
) -> None:
    page = open_page(DESKTOP)
    ishida = Director(page, live_server.url)
    ishida.logs_in()
    prepare(ishida)
    play_qualifying(ishida)
    play_first_playoff(ishida)
    correct_afterwards(ishida)
    second_of_a = withdraw_before_playoff_3(ishida)
    play_second_playoff(ishida)
    assert second_of_a not in players_in("po3")
    for stage, day in (("po3", "2025-07-01"), ("final", "2025-08-01")):
        ishida.plans(stage, day)
        ishida.plays(stage, by_strength)
        ishida.approves(stage)
    ishida.goes("t/spring/finish/")
    ishida.submits()
    champion = min(players_in("final"))
    assert tournament().state == Tournament.State.FINISHED
    ishida.goes("t/spring/")
    name = league.players.get(pk=champion).name
    expect(page.locator("main")).to_contain_text("優勝")
    expect(page.locator(".champion")).to_contain_text(name)
    assert Decision.objects.filter(kind="advance", revoked_at__isnull=True).count() == 8


def prepare(ishida: Director) -> None:
    """Create the tournament, enter everybody, draw the blocks by lot, plan the sessions."""
    page = ishida.page
    ishida.goes("tournaments/new/")
    page.check("[name=format][value=cinderella]")
    page.fill("[name=name]", "春のシンデレラ")
    page.fill("[name=key]", "spring")
    ishida.submits()
    for box in page.locator("[name=players]").all():
        box.check()
    ishida.submits()
    assert tournament().entries.count() == 16
    ishida.goes("t/spring/draw/qualifying/")
    page.fill("#seed-asked", "20250404")
    ishida.submits("form:has(#seed-asked) button")
    ishida.submits("form:has([name=method][value=lot]) button")
    drawn = tournament().decisions.get(kind="draw").body
    assert drawn["seed"] == 20250404
    ishida.plans("qualifying", "2025-04-04")
    assert tournament().sessions.count() == 4


def play_qualifying(ishida: Director) -> None:
    """Play both blocks and approve who goes where."""
    ishida.plays("qualifying", by_strength)
    ishida.goes("t/spring/stage/qualifying/")
    expect(ishida.page.locator("tr.cut").first).to_be_visible()
    ishida.approves("qualifying")
    assert len(players_in("po1")) == 4
    ishida.goes("t/spring/")
    expect(ishida.page.locator("svg.bracket-svg")).to_be_visible()


def play_first_playoff(ishida: Director) -> None:
    """Two players end level; the hanchan before the one before the last decides, and the page says so."""
    ishida.plans("po1", "2025-05-01")
    ishida.plays("po1", level_until_two_hanchan_back)
    lines = current().state.stage("po1").rankings[0].lines
    assert lines[1].points == lines[2].points
    decided = lines[1].decided_by
    assert decided is not None
    assert decided.hanchan == 2
    ishida.goes("t/spring/stage/po1/")
    expect(ishida.page.locator("main")).to_contain_text("同ポイントのため、2半荘目のポイントで決定")
    ishida.approves("po1")
    second = sorted(players_in("po1"))[1]
    assert second in players_in("po2")


def correct_afterwards(ishida: Director) -> None:
    """Correct a score of playoff 1 although it is approved: a flag goes up, nobody is moved, the director keeps it."""
    page = ishida.page
    before = sorted(players_in("po2"))
    stage_session = tournament().sessions.get(stage="po1")
    first, second, third, fourth = sorted(players_in("po1"))
    hanchan = stage_session.session.hanchan.get(round=3)
    ishida.goes(f"g/{hanchan.pk}/correct/")
    scores = {first: 44700, second: 20000, third: 30000, fourth: 5300}
    for seat in range(4):
        player = int(page.locator(f"[name=player_{seat}]").input_value())
        page.fill(f"[name=raw_{seat}]", str(scores[player] // 100))
    page.fill("[name=reason]", "二人の点数が逆でした")
    with page.expect_navigation():
        page.click("#save")
    assert sorted(players_in("po2")) == before
    assert [path.to for path in current().state.overtaken] == ["po2"]
    ishida.goes("t/spring/")
    expect(page.locator(".flag")).to_be_visible()
    decision = tournament().decisions.valid().get(kind="advance", stage="po1")
    ishida.goes(f"t/spring/decisions/{decision.pk}/keep/")
    page.fill("[name=reason]", "発表済みのため変更しません")
    ishida.submits()
    assert not current().state.overtaken
    assert sorted(players_in("po2")) == before


def withdraw_before_playoff_3(ishida: Director) -> int:
    """Let the second of block A withdraw; the rank already won stays. Return who it is."""
    page = ishida.page
    line = current().state.stage("qualifying").ranking("A").lines[1]
    ishida.goes(f"t/spring/withdraw/?entry={line.participant}&stage=qualifying")
    page.fill("[name=reason]", "日程の都合により辞退")
    ishida.submits("form[method=post]:has([name=reason]) .button.danger")
    assert current().state.stage("qualifying").ranking("A").lines[1].participant == line.participant
    assert current().state.stage("po3").vacancies == 3
    return current().player(line.participant).pk


def play_second_playoff(ishida: Director) -> None:
    """A chombo costs its player 40 points on the total; three go on because a place is vacant."""
    page = ishida.page
    ishida.plans("po2", "2025-06-01")
    offender = min(players_in("po2"))
    ishida.plays("po2", by_strength, chombo=offender)
    lines = {current().player(line.participant).pk: line for line in current().state.stage("po2").rankings[0].lines}
    assert lines[offender].chombo == -40000
    assert sum(line.points for line in lines.values()) == -40000
    ishida.goes("t/spring/approve/po2/")
    third = current().state.stage("po2").rankings[0].lines[2].participant
    page.check(f"[name=players][value='{third}']")
    ishida.submits("form:has([name=players]) button[type=submit]")
    assert current().state.stage("po2").path("po3").decision is None
    page.fill("[name=reason]", "辞退者が出たため3名が進出")
    ishida.submits("form:has([name=players]) button[type=submit]")
    decision = tournament().decisions.valid().get(stage="po2", to="po3")
    assert decision.is_override
    assert len(decision.body["players"]) == 3
    assert len(players_in("po3")) == 4
    ishida.goes("t/spring/")
    expect(page.locator("main")).to_contain_text("辞退者が出たため3名が進出")
