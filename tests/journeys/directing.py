"""A director who runs a tournament by what its pages offer next: from a new league to the champion."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from random import Random
from urllib.parse import urljoin

from django.contrib.auth.models import User
from django.test import Client

from tests.journeys.html import Form, Link, see
from tests.journeys.pages import LostError, Visitor
from tournaments.core.reading import entrant_choices, load_document, load_format
from tournaments.models import StageSession, Tournament

PASSWORD = "pine-bamboo-plum"
SURNAMES = ("青木", "石田", "上野", "江口", "小野", "加藤", "木村", "久保", "佐藤", "清水", "鈴木", "関", "園田", "田中",
            "千葉", "津田", "手塚", "戸田", "中野", "西", "沼田", "根本", "野口", "林", "樋口", "福田", "辺見", "星野",
            "松本", "三浦", "村上", "森")  # fmt: skip
MOST_ACTS = 1500
"""A tournament that needs more than so many acts goes round in circles."""

KINDS = {
    "order": "/order/",
    "keep": "/decisions/",
    "vacancy": r"/approve/[\w-]+/#to-",
    "results": "/enter/",
    "draw": "/draw/",
    "plan": "/plan/",
}
"""What the list of what waits leads to, the most urgent first."""

Scores = Callable[[StageSession, Sequence[str]], Sequence[int]]
"""From a session and who sits at a table, East first, to their raw scores."""


class Director:
    """Follows what waits on the tournament's page until nothing does. `acts`: what was done, in order."""

    def __init__(self, client: Client, format_key: str) -> None:
        self.visitor = Visitor(client)
        self.format = load_format(format_key)
        self.choices = entrant_choices(load_document(format_key))
        self.acts: list[str] = []
        self.presses = 0
        self.dice = Random(format_key)
        self.played: set[str] = set()
        self.before_step: list[Callable[[Director], bool]] = []
        self.scores: Scores = self.usual_scores

    # Before the first hanchan

    def begins(self, players: int) -> None:
        """Log in, start a league, create the tournament, let everybody enter, draw and plan what can be."""
        User.objects.create_user("nakano", password=PASSWORD)
        visitor = self.visitor.opens().follows(to="/login/")
        visitor.submits("ログイン", within="/login/", username="nakano", password=PASSWORD)
        visitor.opens().follows(to="/leagues/new/")
        visitor.submits("", within="/leagues/new/", name="七夕杯", name_en="Tanabata Cup", slug="tanabata", card="free-10-30")
        visitor.follows(to=r"^/l/.*/tournaments/$").follows(to="/tournaments/new/")
        number = {"entrants": players} if self.choices else {}
        visitor.submits("", within="/tournaments/new/", format=self.format.key, name="七夕", key="stars", **number)
        names = "\n".join(SURNAMES[:players])
        visitor.submits("", within="/entries/", names=names, guests="on")
        self.presses += 4
        if not re.search("/draw/", visitor.address):
            visitor.follows(to="/draw/")
            self.presses += 1
        self.draws()

    def draws(self) -> None:
        """Draw as the page proposes, and plan right after."""
        self.acts.append("draw")
        self.visitor.submits(self._form_with("shown").buttons[0].text, within="/draw/")
        self.presses += 1
        self.plans()

    def plans(self) -> None:
        """Take the days that the page proposes."""
        self.acts.append("plan")
        self.visitor.submits(self._form_with("venue").buttons[0].text, within="/plan/", venue="会館")
        self.presses += 1

    @property
    def tournament(self) -> Tournament:
        """The tournament as it is stored."""
        return Tournament.objects.get(key="stars")

    # Until it is over

    def directs(self) -> None:
        """Do what the page offers until the tournament is closed. Raises AssertionError where it offers nothing."""
        for _ in range(MOST_ACTS):
            if self.tournament.state == Tournament.State.FINISHED:
                return
            self.goes_to_the_inbox()
            if not any(each(self) for each in self.before_step) and not self.acts_once():
                message = f"Nothing waits, and it is not over, after {self.acts[-8:]}. {self.visitor._offered()}"
                raise LostError(message)
        message = f"{MOST_ACTS} acts, and no end: {self.acts[-8:]}"
        raise LostError(message)

    def goes_to_the_inbox(self) -> None:
        """Find the way from any page of the site."""
        if re.search(r"/inbox/$", self.visitor.address):
            return
        if not self.visitor.has_link(to=r"^/l/.*/t/stars/inbox/$"):
            if not self.visitor.has_link(to=r"^/l/.*/t/stars/$"):
                self.visitor.follows(to=r"^/l/.*/tournaments/$")
            self.visitor.follows(to=r"^/l/.*/t/stars/$")
        self.visitor.follows(to=r"^/l/.*/t/stars/inbox/$")

    def acts_once(self) -> bool:
        """Do one thing that waits; return whether there was any."""
        visitor = self.visitor
        waiting = self._waiting()
        for kind, pattern in KINDS.items():
            if links := [link for link in waiting if re.search(pattern, link.href)]:
                self.acts.append(kind)
                getattr(self, f"does_{kind}")(links[0].href)
                return True
        for within in ("/step/", "/next-round/", "/finish/"):
            if self._form(within):
                self.acts.append(within.strip("/"))
                visitor.submits("", within=within)
                self.presses += 1
                return True
        return False

    def _waiting(self) -> list[Link]:
        """Return the links of the list of what waits, and of the tables that have no result yet."""
        listed = re.search(r'<ul class="todo-list">.*?</ul>', self.visitor.content.decode(), re.DOTALL)
        tables = [link for link in self.visitor.page.links if re.search(r"/enter/\?table=", link.href)]
        return tables + (see(listed[0]).links if listed else [])

    def _form_with(self, name: str) -> Form:
        return next(form for form in self.visitor.page.forms if form.method == "post" and name in form.controls)

    def _form(self, within: str) -> Form | None:
        forms = self.visitor.page.forms
        return next((form for form in forms if re.search(within, urljoin(self.visitor.address, form.action))), None)

    def does_draw(self, address: str) -> None:
        """Draw as the page proposes."""
        self.visitor.follows(to=re.escape(address))
        self.presses += 1
        self.draws()

    def does_plan(self, address: str) -> None:
        """Plan as the page proposes."""
        self.visitor.follows(to=re.escape(address))
        self.presses += 1
        self.plans()

    def does_order(self, address: str) -> None:
        """Put level players in order."""
        self.visitor.follows(to=re.escape(address))
        form, _ = self.visitor.button("", within="/order/")
        places = [name for name in form.controls if name.startswith("place_")]
        given = {name: str(place) for place, name in enumerate(places, start=1)}
        self.visitor.submits("", within="/order/", reason="抽選", **given)

    def does_keep(self, address: str) -> None:
        """Let a decision stand that a correction has overtaken."""
        self.visitor.follows(to=re.escape(address)).submits("", within="/keep/", reason="発表済みのため")

    def does_vacancy(self, address: str) -> None:
        """Send one more than proposed into a place that somebody has left."""
        stage = address.partition("#to-")[2]
        self.visitor.follows(to=re.escape(address))
        form = next(form for form in self.visitor.page.forms if stage in form.controls.get("to", _NONE).values)
        ticked, offered = form.controls["players"].values, list(form.controls["players"].options)
        more = next(pk for pk in offered if pk not in ticked)
        self.visitor.submits(form.buttons[0].text, within="", players=[*ticked, more], reason="辞退があったため")

    # At the tables

    def does_results(self, address: str) -> None:
        """Type one hanchan as the page asks for it."""
        self.visitor.follows(to=re.escape(address))
        self.types(self.scores)

    def types(self, scores: Scores) -> None:
        """Type the scores of the table that the page is about, and save."""
        form = next(form for form in self.visitor.page.forms if "raw_0" in form.controls)
        session = StageSession.objects.get(session=int(re.search(r"/sessions/(\d+)/", self.visitor.address)[1]))  # type: ignore[index]
        seated = [form.controls[f"player_{seat}"].values[0] for seat in range(4)]
        raws = scores(session, seated)
        typed = {f"raw_{seat}": str(raw // 100) for seat, raw in enumerate(raws)}
        self.visitor.submits(next(button.text for button in form.buttons if button.text.startswith("合っています")), **typed)

    def usual_scores(self, session: StageSession, seated: Sequence[str]) -> list[int]:
        """Return raw scores by a loaded dice: who has the smaller key tends to win; hardly two hanchan are alike."""
        start = session.session.ruleset_version.read().start_points or 25000
        order = sorted(seated, key=lambda pk: (self.dice.random() + int(pk) / 30, pk))
        lead, gap = self.dice.randrange(40) * 100, self.dice.randrange(40) * 100
        change = (15000 + lead, 4000 + gap, -5000 - gap, -14000 - lead)
        return [start + change[order.index(pk)] for pk in seated]


class _NoControl:
    values: Iterable[str] = ()


_NONE = _NoControl()
