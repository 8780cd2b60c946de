"""A whole tournament in a browser, from the first page to its end by what can be clicked."""

import re
from collections.abc import Callable, Mapping, Sequence

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from league.models import League, Session
from league.selectors.planning import next_round, unplayed_plans
from tests.conftest import PHONE, OpenPage
from tests.league.factories import PASSWORD, make_players, play
from tests.tournaments.factories import director, make_cinderella_league
from tournaments.models import Tournament

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

    def plays(self, scores: Callable[[int, Sequence[int]], Scores]) -> None:
        """Enter what the director's page asks for; `scores` gives the raw scores of a round to these players.

        After the first few of a stage, the rest of a session comes from other phones.
        """
        self.directs()
        typed = 0
        while self.page.locator(OPEN_TABLE).count():
            self.clicks(OPEN_TABLE)
            session = self.enters(scores)
            # A table that has moved on goes on from its receipt, as a scorer does.
            while unplayed_plans(session) and (typed := typed + 1) < TYPED_BY_HAND:
                self.clicks(NEXT_TABLE)
                self.enters(scores)
            for number, plans in unplayed_plans(session):
                for _, table, players in plans:
                    raws = scores(number, [player.pk for player in players])
                    play(session, [raws[player.pk] for player in players], players, table=table, round=number)
            self.directs()

    def enters(self, scores: Callable[[int, Sequence[int]], Scores]) -> Session:
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


def by_strength(number: int, seated: Sequence[int]) -> Scores:
    """Return raw scores in which the player with the smaller key is always ahead; no two hanchan are alike."""
    order = sorted(seated)
    lead = [100 * (40 + number - key % 40) for key in order[:2]]
    raws = [45000 + lead[0], 30000 + lead[1], 20000 - lead[1], 5000 - lead[0]]
    return dict(zip(order, raws, strict=True))


def by_strength_from_30000(number: int, seated: Sequence[int]) -> Scores:
    """Return the same for rules that start with 30,000 points."""
    return {key: raw + 5000 for key, raw in by_strength(number, seated).items()}


@pytest.fixture
def league(transactional_db: None) -> League:
    """A league with sixteen players and an organiser."""
    del transactional_db
    league = make_cinderella_league()
    make_players(league, 16)
    director(league)
    return league


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
