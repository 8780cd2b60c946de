"""A director who runs a tournament from a new league to the champion, doing what its pages offer next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from urllib.parse import urljoin

import time_machine
from django.contrib.auth.models import User
from django.test import Client

from league.models import Player
from league.selectors.planning import Plan, unplayed_plans
from tests.journeys.html import Control, Form, Link, see
from tests.journeys.pages import LostError, Visitor
from tests.league.factories import make_players, play
from tournaments.core.reading import entrant_choices, load_document, load_format
from tournaments.models import StageSession, Tournament
from tournaments.selectors.state import state_of

PASSWORD = "pine-bamboo-plum"
SURNAMES = ("青木", "石田", "上野", "江口", "小野", "加藤", "木村", "久保", "佐藤", "清水", "鈴木", "関", "園田", "田中",
            "千葉", "津田", "手塚", "戸田", "中野", "西", "沼田", "根本", "野口", "林", "樋口", "福田", "辺見", "星野",
            "松本", "三浦", "村上", "森")  # fmt: skip
FIRST_EVENING = datetime(2026, 12, 4, 9, tzinfo=UTC)
LOGGED_IN_FOR = timedelta(days=10)
MOST_ACTS = 1500
"""More steps than this mean an endless loop."""

KINDS = {
    "order": "/order/",
    "keep": "/decisions/",
    "vacancy": r"/approve/[\w-]+/#to-",
    "results": "/enter/",
    "draw": "/draw/",
    "plan": "/plan/",
    "close": "/close/",
}
"""URL patterns of the director's tasks, most urgent first."""

TYPED_BY_PAGES = 6
"""Hanchan of each stage that the director enters; the rest come from other phones."""

NO_BOX = Control("", "")

Scores = Callable[[StageSession, Sequence[str]], Sequence[int] | None]
"""Raw scores for a session and its players, East first; None for the usual ones."""

Mishap = Callable[["Director"], bool]
"""Do something to the tournament, if it is possible now; return whether it was done."""


class Director:
    """Follow the tournament's page until nothing is left to do. `acts`: steps taken, in order."""

    def __init__(self, client: Client, format_key: str, clock: time_machine.Traveller) -> None:
        self.visitor = Visitor(client)
        self.clock = clock
        self.format = load_format(format_key)
        self.choices = entrant_choices(load_document(format_key))
        self.acts: list[str] = []
        self.presses = 0
        self.dice = Random(format_key)
        self.mishaps: list[Mishap] = []
        self.odd_scores: list[Scores] = []
        self.logged_in = FIRST_EVENING.date()
        self.left = ""
        self.strangers: dict[str, int] = {}
        self.cut_short: set[str] = set()
        self.typed = Counter[str]()

    @property
    def tournament(self) -> Tournament:
        return Tournament.objects.get(key="stars")

    # Before the first hanchan

    def begins(self, players: int) -> None:
        User.objects.create_user("nakano", password=PASSWORD)
        self.clock.move_to(FIRST_EVENING)
        self.logs_in()
        visitor = self.visitor.follows(to="/leagues/new/")
        facts = {"name": "七夕杯", "name_en": "Tanabata Cup", "slug": "tanabata", "card": "free-10-30"}
        visitor.submits(within="/leagues/new/", **facts)
        visitor.follows(to=r"^/l/.*/tournaments/$").follows(to="/tournaments/new/")
        fields: dict[str, object] = {"format": self.format.key, "name": "七夕", "key": "stars"}
        fields |= {f"adjust_{self.format.key}": players} if self.choices else {}
        visitor.submits("", within="/tournaments/new/", **fields)
        visitor.submits(within="/entries/", names="\n".join(SURNAMES[:players]), newcomers="players")
        self.presses += 4
        if not re.search("/draw/", visitor.address):
            visitor.follows(to="/draw/")
            self.presses += 1
        self.draws()

    def logs_in(self) -> None:
        visitor = self.visitor.opens()
        if visitor.has_link(to="/login/"):
            visitor.follows(to="/login/").submits("ログイン", within="/login/", username="nakano", password=PASSWORD)
            visitor.opens()
            self.logged_in = datetime.now(UTC).date()

    def draws(self) -> None:
        self.acts.append("draw")
        self.visitor.submits(self.form_with("shown").buttons[0].text, within="/draw/")
        self.presses += 1
        self.plans()

    def plans(self) -> None:
        self.acts.append("plan")
        self.visitor.submits(self.form_with("venue").buttons[0].text, within="/plan/", venue="会館")
        self.presses += 1

    # Until the tournament is over

    def directs(self) -> None:
        for _ in range(MOST_ACTS):
            if self.tournament.state == Tournament.State.FINISHED:
                return
            self.goes_to_the_inbox()
            if any(happens(self) for happens in self.mishaps) or self.acts_once() or self.waits():
                continue
            message = f"Nothing waits, and it is not over, after {self.acts[-8:]}: {self.visitor.page.text}"
            raise LostError(message)
        message = f"{MOST_ACTS} acts, and no end: {self.acts[-8:]}"
        raise LostError(message)

    def goes_to_the_inbox(self) -> None:
        if re.search(r"/inbox/$", self.visitor.address):
            return
        if not self.visitor.has_link(to=r"^/l/.*/t/stars/inbox/$"):
            if not self.visitor.has_link(to=r"^/l/.*/t/stars/$"):
                self.visitor.follows(to=r"^/l/.*/tournaments/$")
            self.visitor.follows(to=r"^/l/.*/t/stars/$")
        self.visitor.follows(to=r"^/l/.*/t/stars/inbox/$")

    def waits(self) -> bool:
        today = datetime.now(UTC).date()
        ahead = self.tournament.sessions.filter(session__date__gt=today).order_by("session__date").first()
        if ahead is None:
            return False
        self.acts.append("wait")
        self.comes_on(ahead.session.date)
        return True

    def comes_on(self, day: date) -> None:
        """Arrive at a session: with the page left open or, if the log-in has expired, from the home page."""
        self.clock.move_to(evening_of(day))
        if day - self.logged_in < LOGGED_IN_FOR:
            self.visitor.reloads()
            return
        self.visitor.client.cookies.clear()
        self.logs_in()
        self.visitor.follows(to=r"^/l/tanabata/$")

    def acts_once(self) -> bool:
        waiting = self.waiting()
        for kind, pattern in KINDS.items():
            if links := [link for link in waiting if re.search(pattern, link.href) and self.is_ripe(kind, link)]:
                self.acts.append(kind)
                getattr(self, f"does_{kind}")(links[0].href)
                return True
        for within in ("/step/", "/next-round/", "/finish/"):
            if self.form_to(within):
                self.acts.append(within.strip("/"))
                self.submits_step(within)
                return True
        return False

    def submits_step(self, within: str) -> None:
        form = self.form_to(within)
        self.visitor.submits(within=within, **{"reason": "代打ちのため"} if form and "reason" in form.controls else {})
        self.presses += 1

    def is_ripe(self, kind: str, link: Link) -> bool:
        """Return whether a task can be done yet: a place is filled only from a stage that has been played."""
        if kind != "vacancy":
            return True
        found = re.search(r"/approve/([\w-]+)/", link.href)
        stages = state_of(self.tournament).state
        return found is not None and all(ranking.complete for ranking in stages.stage(found[1]).rankings)

    def waiting(self) -> list[Link]:
        listed = re.search(r'<ul class="todo-list">.*?</ul>', self.visitor.content.decode(), re.DOTALL)
        tables = [link for link in self.visitor.page.links if re.search(r"/enter/\?table=", link.href)]
        return tables + (see(listed[0]).links if listed else [])

    def form_with(self, name: str) -> Form:
        forms = [form for form in self.visitor.page.forms if form.method == "post" and name in form.controls]
        if not forms:
            message = f"No form with {name} on {self.visitor.address}, after {self.acts[-8:]}: {self.visitor.page.text}"
            raise LostError(message)
        return forms[0]

    def form_to(self, pattern: str) -> Form | None:
        here = self.visitor.address
        return next((form for form in self.visitor.page.forms if re.search(pattern, urljoin(here, form.action))), None)

    def goes(self, address: str) -> Visitor:
        return self.visitor.follows(to=re.escape(address))

    def does_draw(self, address: str) -> None:
        self.goes(address)
        self.presses += 1
        self.draws()

    def does_plan(self, address: str) -> None:
        self.goes(address)
        self.presses += 1
        self.plans()

    def does_order(self, address: str) -> None:
        self.goes(address)
        form = self.form_with("group")
        places = [name for name in form.controls if name.startswith("place_")]
        given = {name: str(place) for place, name in enumerate(places, start=1)}
        self.visitor.submits(form.buttons[0].text, reason="抽選", **given)

    def does_keep(self, address: str) -> None:
        self.goes(address).submits(within="/keep/", reason="発表済みのため")

    def does_close(self, address: str) -> None:
        self.goes(address)
        self.visitor.submits(within="/close/", reason="時間切れのため")

    def does_vacancy(self, address: str) -> None:
        self.goes(address)
        self.sends_others(address.partition("#to-")[2], lambda ticked, other: [*ticked, other])

    def sends_others(self, to: str, choose: Callable[[list[str], str], list[str]]) -> None:
        """Approve other players than proposed for a destination, with a reason, skipping any that the form refuses."""
        ticked = self.form_for(to).controls["players"].values
        others = [pk for pk in self.form_for(to).controls["players"].options if pk not in ticked]
        if any(self.approves(to, choose(ticked, other)) for other in others):
            return
        # First withdraw the next in the ranking there, so that others advance by decision.
        next_one = next(pk for pk in others if pk != self.left)
        for form in [
            form for form in self.visitor.page.forms if next_one in form.controls.get("players", NO_BOX).values
        ]:
            elsewhere = [pk for pk in form.controls["players"].values if pk != next_one]
            assert self.approves(form.controls["to"].values[0], elsewhere), self.visitor.page.text
        assert self.approves(to, choose(ticked, next_one)), self.visitor.page.text

    def approves(self, to: str, players: Sequence[str]) -> bool:
        before = self.tournament.decisions.count()
        self.visitor.submits(self.form_for(to).buttons[0].text, players=list(players), reason="辞退のため")
        return self.tournament.decisions.count() > before

    def form_for(self, to: str) -> Form:
        forms = [form for form in self.visitor.page.forms if "players" in form.controls]
        return next(form for form in forms if not to or form.controls["to"].values == [to])

    # At the tables

    def does_results(self, address: str) -> None:
        """Enter a hanchan as the page asks and the next ones from its receipt; the rest come from other phones."""
        self.goes(address)
        number = re.search(r"/sessions/(\d+)/", self.visitor.address)
        assert number, self.visitor.address
        sessions = StageSession.objects.select_related("session__ruleset_version", "tournament")
        session = sessions.get(session=int(number[1]))
        self.types(session)
        # After saving, the table continues from its receipt.
        while (left := self.unplayed(session)) and self.typed[session.stage] < TYPED_BY_PAGES:
            self.visitor.follows(to=rf"/sessions/{number[1]}/enter/")
            if not re.search(rf"table={left[0][1]}\b", self.visitor.address):
                self.visitor.follows(to=rf"table={left[0][1]}\b")
            self.acts.append("results")
            self.types(session)
        if self.typed[session.stage] >= TYPED_BY_PAGES and session.stage not in self.cut_short:
            self.lets_others_type(session.stage)

    @staticmethod
    def unplayed(session: StageSession) -> list[Plan]:
        return (unplayed_plans(session.session) or [(0, [])])[0][1]

    def lets_others_type(self, stage: str) -> None:
        planned = self.tournament.sessions.filter(stage=stage).select_related("session__ruleset_version", "tournament")
        for session in planned.order_by("session__date", "pk"):
            while left := self.unplayed(session):
                self.clock.move_to(max(datetime.now(UTC), evening_of(session.session.date)))
                for number, table, players in left:
                    play(
                        session.session,
                        self.scores(session, [str(player.pk) for player in players]),
                        self.there(stage, players),
                        table=table,
                        round=number or None,
                        even_if_others=True,
                    )
                    self.acts.append("others")
        self.comes_on(datetime.now(UTC).date())

    def there(self, stage: str, planned: Sequence[Player]) -> list[Player]:
        """Return the players at a table: as planned, with non-entrants in place of those absent."""
        seated = list(planned)
        if self.strangers.get(stage):
            self.strangers[stage] -= 1
            seated[-1] = make_players(self.tournament.league, 1)[0]
            self.acts.append("absent")
        return seated

    def types(self, session: StageSession) -> None:
        form = self.form_with("raw_0")
        seated = [self.seated(form, seat) for seat in range(4)]
        typed = {f"player_{seat}": pk for seat, pk in enumerate(seated)}
        typed |= {f"raw_{seat}": str(raw // 100) for seat, raw in enumerate(self.scores(session, seated))}
        self.visitor.submits(
            next(button.text for button in form.buttons if button.text.startswith("この点数で")), **typed
        )
        self.typed[session.stage] += 1
        if self.visitor.has_button("別の半荘"):
            # Two hanchan that happen to be equal trigger a question; they are two.
            self.visitor.submits("別の半荘")
            self.acts.append("another")

    def scores(self, session: StageSession, seated: Sequence[str]) -> Sequence[int]:
        odd = (raws for scores in self.odd_scores if (raws := scores(session, seated)))
        return next(odd, None) or self.usual_scores(session, seated)

    def seated(self, form: Form, seat: int) -> str:
        control = form.controls[f"player_{seat}"]
        planned = [value for value in control.values if value]
        return planned[0] if planned else [value for value in control.options if value.isdecimal()][seat]

    def usual_scores(self, session: StageSession, seated: Sequence[str]) -> list[int]:
        """Return random raw scores in which earlier entrants tend to win and hardly two hanchan are equal."""
        start = session.session.ruleset_version.read().start_points or 25000
        numbers = dict(session.tournament.entries.values_list("player", "number"))
        order = sorted(seated, key=lambda pk: self.dice.random() + numbers.get(int(pk), len(numbers)) / 30)
        lead, gap = self.dice.randrange(40) * 100, self.dice.randrange(40) * 100
        change = (15000 + lead, 4000 + gap, -5000 - gap, -14000 - lead)
        return [start + change[order.index(pk)] for pk in seated]


def evening_of(day: date) -> datetime:
    return datetime.combine(day, time(9), UTC)
