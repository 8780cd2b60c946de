"""Whole tournaments in a browser, from the first page to the champion by what can be clicked.

In the Cinderella League: a tie that is decided two hanchan back, a chombo, a withdrawal before playoff 3 so that playoff 2 sends
three, and a correction after an approval, which raises a flag and changes nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import League, Session
from league.selectors.planning import next_round, unplayed_plans
from tests.conftest import DESKTOP, PHONE, OpenPage
from tests.league.factories import PASSWORD, make_players, play
from tests.tournaments.factories import director, make_cinderella_league
from tournaments.models import Decision, Tournament
from tournaments.selectors.state import CurrentState, state_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TYPED_BY_HAND = 6
"""So many hanchan of a stage are typed, and the first of every session."""

Scores = Mapping[int, int]
"""Raw scores by primary key of the player."""


OPEN_TABLE = ".tables-proposed a[href*='/enter/?table=']"
"""A table on the director's page that has no result yet."""

NEXT_TABLE = ".receipt-next a.button.tall[href*='/enter/']"
"""On a receipt, the way to the next hanchan of the session."""


class Director:
    """Somebody who runs the tournament with nothing but a browser, from the first page by what can be clicked."""

    def __init__(self, page: Page, server: str) -> None:
        self.page, self.server = page, server

    def logs_in(self) -> None:
        """Log in as an organiser and go to the league."""
        self.page.goto(f"{self.server}/")
        self.clicks("main a[href*='/login/']")
        self.page.fill("[name=username]", "ishida")
        self.page.fill("[name=password]", PASSWORD)
        with self.page.expect_navigation():
            self.page.press("[name=password]", "Enter")
        self.clicks("main a[href$='/l/cinderella/']")

    def clicks(self, selector: str) -> None:
        """Click something that leads to another page."""
        with self.page.expect_navigation():
            self.page.locator(selector).first.click()

    def submits(self, button: str = "main form .button.tall") -> None:
        """Press the main button of the page and wait for the answer."""
        self.clicks(button)

    def creates(self, format_key: str, name: str, key: str, *, entering: int) -> None:
        """Create a tournament, let everybody enter, draw, and plan everything for today."""
        self.lists_tournaments()
        self.clicks("main a[href$='/tournaments/new/']")
        self.page.check(f"[name=format][value={format_key}]")
        self.page.fill("[name=name]", name)
        self.page.fill("[name=key]", key)
        self.submits()
        for box in self.page.locator("[name=players]").all()[:entering]:
            box.check()
        self.submits()
        if "/draw/" not in self.page.url:
            self.clicks("main a[href*='/draw/']")

    def draws(self, number: str = "") -> None:
        """Draw, by a number if one is given, and let all sessions be today."""
        if number:
            self.page.locator("details:has(#seed-asked) summary").click()
            self.page.fill("#seed-asked", number)
            self.submits("form:has(#seed-asked) button")
        self.submits("form:has([name=shown]) button.tall")
        self.page.select_option("[name=step]", "0")
        self.submits("form.pattern button")
        self.submits("form:has([name=venue]) button.tall")

    def directs(self) -> None:
        """Go to the director's page from wherever one is."""
        if "/inbox/" not in self.page.url:
            self.lists_tournaments()
            self.clicks("main a[href*='/t/spring/']")
            self.clicks("main .page-head a[href$='/inbox/']")

    def lists_tournaments(self) -> None:
        """Go to the league's tournaments; on a phone they are under the last tab."""
        more = self.page.locator(".bar-phone summary")
        if more.is_visible():
            more.click()
            self.clicks(".bar-sheet a[href$='/tournaments/']")
        else:
            self.clicks(".bar-desk a[href$='/tournaments/']")

    def plays(self, scores: Callable[[int, Sequence[int]], Scores], chombo: int | None = None) -> None:
        """Enter what the director's page asks for; `scores` gives the raw scores of a round to these players.

        After the first few of a stage, the rest of a session comes from other phones.
        """
        self.directs()
        typed = 0
        while self.page.locator(OPEN_TABLE).count():
            self.clicks(OPEN_TABLE)
            session = self.enters(scores, chombo)
            # A table that has moved on goes on from its receipt, as a scorer does.
            while unplayed_plans(session) and (typed := typed + 1) < TYPED_BY_HAND:
                self.clicks(NEXT_TABLE)
                self.enters(scores, chombo)
            for number, plans in unplayed_plans(session):
                for _, table, players in plans:
                    raws = scores(number, [player.pk for player in players])
                    play(session, [raws[player.pk] for player in players], players, table=table, round=number)
            self.directs()

    def enters(self, scores: Callable[[int, Sequence[int]], Scores], chombo: int | None) -> Session:
        """Type one hanchan; the names are there already. Return its session."""
        page = self.page
        seated = [int(page.locator(f"[name=player_{seat}]").input_value()) for seat in range(4)]
        where = re.search(r"/sessions/(\d+)/enter/\?(?:\w+=\w+&)*table=(\d+)", page.url)
        assert where, page.url
        session = Session.objects.get(pk=where[1])
        number = next_round(session, int(where[2]))
        raws = scores(number, seated)
        for seat, player in enumerate(seated):
            page.fill(f"[name=raw_{seat}]", str(raws[player] // 100))
            if player == chombo and number == 1:
                page.evaluate("for (const fold of document.querySelectorAll('.entry details')) fold.open = true")
                page.fill(f"[name=chombo_{seat}]", "1")
        with page.expect_navigation():
            page.click("#save")
        if page.locator("button[value=another]").count():
            # Two hanchan that happen to be alike: they are two.
            self.clicks("button[value=another]")
        page.wait_for_url("**/done/")
        return session

    def goes_on(self) -> None:
        """Take the next step as it is shown."""
        self.directs()
        self.submits(".step button.tall")


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


def by_strength_from_30000(number: int, seated: Sequence[int]) -> Scores:
    """Return the same for rules that start with 30,000 points."""
    return {key: raw + 5000 for key, raw in by_strength(number, seated).items()}


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


@pytest.mark.long
def test_cinderella_league_from_the_draw_to_the_champion(
    open_page: OpenPage, live_server: LiveServer, league: League
) -> None:
    page = open_page(DESKTOP)
    ishida = Director(page, live_server.url)
    ishida.logs_in()
    ishida.creates("cinderella", "春のシンデレラ", "spring", entering=16)
    assert tournament().entries.count() == 16
    ishida.draws("20250404")
    assert tournament().decisions.get(kind="draw").body["seed"] == 20250404
    assert tournament().sessions.count() == 4
    play_qualifying(ishida)
    play_first_playoff(ishida)
    correct_afterwards(ishida)
    second_of_a = withdraw_before_playoff_3(ishida)
    play_second_playoff(ishida)
    assert second_of_a not in players_in("po3")
    ishida.plays(by_strength)
    ishida.goes_on()
    ishida.plays(by_strength)
    ishida.goes_on()
    champion = min(players_in("final"))
    assert tournament().state == Tournament.State.FINISHED
    name = league.players.get(pk=champion).name
    expect(page.locator("main")).to_contain_text("優勝")
    expect(page.locator(".champion")).to_contain_text(name)
    assert Decision.objects.filter(kind="advance", revoked_at__isnull=True).count() == 8


def play_qualifying(ishida: Director) -> None:
    """Play both blocks; who goes where is one press, which also seats playoff 1."""
    ishida.plays(by_strength)
    ishida.clicks("main a[href$='/stage/qualifying/'], .crumbs a[href$='/t/spring/']")
    expect(ishida.page.locator("tr.cut").first).to_be_visible()
    ishida.goes_on()
    assert len(players_in("po1")) == 4
    assert tournament().sessions.filter(stage="po1").count() == 1


def play_first_playoff(ishida: Director) -> None:
    """Two players end level; the hanchan before the one before the last decides, and the page says so."""
    ishida.plays(level_until_two_hanchan_back)
    lines = current().state.stage("po1").rankings[0].lines
    assert lines[1].points == lines[2].points
    decided = lines[1].decided_by
    assert decided is not None
    assert decided.hanchan == 2
    ishida.clicks(".crumbs a[href$='/t/spring/']")
    ishida.clicks("main a[href$='/stage/po1/']")
    expect(ishida.page.locator("main")).to_contain_text("同ポイントのため、2半荘目のポイントで決定")
    ishida.goes_on()
    assert sorted(players_in("po1"))[1] in players_in("po2")


def correct_afterwards(ishida: Director) -> None:
    """Correct a score of playoff 1 although it is approved: a flag goes up, nobody is moved, the director keeps it."""
    page = ishida.page
    before = sorted(players_in("po2"))
    stage_session = tournament().sessions.get(stage="po1")
    first, second, third, fourth = sorted(players_in("po1"))
    hanchan = stage_session.session.hanchan.get(round=3)
    ishida.directs()
    ishida.clicks(f"main a[href$='/sessions/{stage_session.session_id}/']")
    ishida.clicks(f"main a[href*='/g/{hanchan.pk}/']")
    ishida.clicks("main a[href$='/correct/']")
    scores = {first: 44700, second: 20000, third: 30000, fourth: 5300}
    for seat in range(4):
        player = int(page.locator(f"[name=player_{seat}]").input_value())
        page.fill(f"[name=raw_{seat}]", str(scores[player] // 100))
    page.fill("[name=reason]", "二人の点数が逆でした")
    with page.expect_navigation():
        page.click("#save")
    assert sorted(players_in("po2")) == before
    assert [path.to for path in current().state.overtaken] == ["po2"]
    ishida.lists_tournaments()
    ishida.clicks("main a[href*='/t/spring/']")
    expect(page.locator(".flag")).to_be_visible()
    ishida.directs()
    ishida.clicks("main a[href*='/keep/']")
    page.fill("[name=reason]", "発表済みのため変更しません")
    ishida.submits()
    assert not current().state.overtaken
    assert sorted(players_in("po2")) == before


def withdraw_before_playoff_3(ishida: Director) -> int:
    """Let the second of block A withdraw; the rank already won stays. Return who it is."""
    page = ishida.page
    line = current().state.stage("qualifying").ranking("A").lines[1]
    ishida.directs()
    ishida.clicks("main a[href$='/withdraw/']")
    page.select_option("[name=entry]", str(line.participant))
    page.select_option("[name=stage]", "qualifying")
    ishida.submits("form[method=get] button")
    page.fill("[name=reason]", "日程の都合により辞退")
    ishida.submits("form[method=post]:has([name=reason]) .button.danger")
    assert current().state.stage("qualifying").ranking("A").lines[1].participant == line.participant
    assert current().state.stage("po3").vacancies == 3
    return current().player(line.participant).pk


def play_second_playoff(ishida: Director) -> None:
    """A chombo costs its player 40 points on the total; three go on because a place is vacant."""
    page = ishida.page
    offender = min(players_in("po2"))
    ishida.plays(by_strength, chombo=offender)
    lines = {current().player(line.participant).pk: line for line in current().state.stage("po2").rankings[0].lines}
    assert lines[offender].chombo == -40000
    assert sum(line.points for line in lines.values()) == -40000
    ishida.clicks("main a[href*='/approve/po2/']")
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
    ishida.directs()
    ishida.clicks("main a[href$='/plan/po3/']")
    ishida.submits("form:has([name=venue]) button.tall")
    ishida.clicks(".crumbs a[href$='/t/spring/']")
    expect(page.locator("main")).to_contain_text("辞退者が出たため3名が進出")


@pytest.mark.merge
def test_swiss_is_directed_from_one_page(open_page: OpenPage, live_server: LiveServer, league: League) -> None:
    del league
    page = open_page(PHONE)
    ishida = Director(page, live_server.url)
    ishida.logs_in()
    ishida.creates("swiss", "春のスイス", "spring", entering=8)
    ishida.draws()
    for number in range(1, 8):
        ishida.plays(by_strength_from_30000)
        if number < 7:
            expect(page.locator(".step")).to_contain_text(f"{number + 1}回戦の卓組")
            ishida.goes_on()
    assert Session.objects.get(stage__tournament=tournament()).hanchan.count() == 14
    ishida.submits("form[action$='/finish/'] button")
    assert tournament().state == Tournament.State.FINISHED
