"""An evening of many leagues: phones that enter results, readers that look at boards, and what both were answered."""

import json
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.federation.listening import Listeners
from tests.federation.parts import Federation

MADE = """
import json
import django
django.setup()
from datetime import UTC, datetime
from django.db import transaction
from league.databases import working_in
from league.services.leagues import take_address
from league.services.links import code_of
from tests.league.entry_contexts import link_of, typed
from tests.league.factories import make_league, make_players, make_session
made = []
for number in range(1, LEAGUES + 1):
    database = ("default", "east", "west")[number % 3]
    with working_in(database, None), transaction.atomic():
        league = make_league(f"club-{number}")
        make_players(league, 4)
        session = make_session(league, league.day_of(datetime.now(UTC)), tables=1)
        take_address(league, league.slug)
        made.append((league.slug, league.pk, code_of(link_of(session, 1)), typed(league)))
print(json.dumps(made))
"""

AGAIN = frozenset({0, 429, 502, 503, 504})
"""Answers after which a phone sends the same result once more; everything else but 200 is wrong."""

SHOWN = frozenset({200, 304})


@dataclass
class Club:
    """A league of the evening, with the keys of the results that were sent and of those that were acknowledged."""

    slug: str
    number: int
    code: str
    fields: Mapping[str, str]
    sent: set[str] = field(default_factory=set)
    accepted: set[str] = field(default_factory=set)

    @property
    def board(self) -> str:
        """The address at which an open board asks whether there is something new."""
        return f"{self.page}state/"

    @property
    def page(self) -> str:
        """The address of the board itself."""
        return f"/l/{self.slug}/standings/all/"


@dataclass
class Heard:
    """What was answered since somebody last began to count; seconds. `played`: the leagues with results, by number."""

    accepted: int = 0
    slowest: float = 0.0
    read: int = 0
    unanswered: int = 0
    slowest_read: float = 0.0
    wrong: Counter[str] = field(default_factory=Counter)
    played: set[int] = field(default_factory=set)


@dataclass
class Evening:
    """The clubs, who plays and reads there, and what they heard."""

    federation: Federation
    clubs: list[Club]
    heard: Heard = field(default_factory=Heard)
    is_playing: threading.Event = field(default_factory=threading.Event)
    is_over: threading.Event = field(default_factory=threading.Event)
    at_rest: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def counted_anew(self) -> Heard:
        """Return what was heard until now, and begin anew."""
        with self.lock:
            before, self.heard = self.heard, Heard()
        return before

    def play(self, clubs: list[Club], pause: float) -> None:
        """Enter results in these clubs in turn, each until it is acknowledged, as long as the evening goes on."""
        visitor, turn = self.federation.visitor(), 0
        while not self.is_over.is_set():
            if not self.is_playing.wait(0.2):
                continue
            club = clubs[turn % len(clubs)]
            turn += 1
            with self._busy():
                self.enter(club)
            visitor.cookies.clear()
            self.is_over.wait(pause)

    def enter(self, club: Club) -> None:
        """Enter a result, as often as it takes until it is acknowledged."""
        visitor, key, begun = self.federation.visitor(), str(uuid.uuid4()), time.monotonic()
        fields = {**club.fields, "client_key": key, "do": "another"}
        club.sent.add(key)
        while not self.is_over.is_set():
            status = visitor.send(f"/e/{club.code}/", fields).status
            if status == 200:
                break
            if status not in AGAIN:
                with self.lock:
                    self.heard.wrong[f"{status} to a phone of {club.slug}"] += 1
            self.is_over.wait(0.3)
        else:
            return
        with self.lock:
            club.accepted.add(key)
            self.heard.accepted += 1
            self.heard.played.add(club.number)
            self.heard.slowest = max(self.heard.slowest, time.monotonic() - begun)

    @contextmanager
    def _busy(self) -> Iterator[None]:
        with self.lock:
            self.at_rest["sending"] += 1
        try:
            yield
        finally:
            with self.lock:
                self.at_rest["sending"] -= 1

    def read(self, boards: list[str], pause: float) -> None:
        """Be as many readers as there are boards, each of whom asks for theirs once in a pause, as open pages do."""
        visitor, tags = self.federation.visitor(), [""] * len(boards)
        while not self.is_over.is_set():
            for number, board in enumerate(boards):
                begun = time.monotonic()
                answer = visitor.get(board, **({"If-None-Match": tags[number]} if tags[number] else {}))
                took = time.monotonic() - begun
                tags[number] = answer.headers.get("etag", tags[number])
                with self.lock:
                    self.heard.read += 1
                    self.heard.slowest_read = max(self.heard.slowest_read, took)
                    self.heard.unanswered += answer.status not in SHOWN
                    if answer.status not in SHOWN | AGAIN:
                        self.heard.wrong[f"{answer.status} to a reader of {board}"] += 1
                if self.is_over.wait(max(pause / len(boards) - took, 0)):
                    return

    def rest(self) -> None:
        """Have nobody begin another result, and wait until those under way are acknowledged. Raises AssertionError."""
        self.is_playing.clear()
        assert wait_until(lambda: self.at_rest["sending"] == 0, 120), "A result is not taken."


def made(federation: Federation, leagues: int) -> list[Club]:
    """Return clubs that were made, a third of them in each database."""
    given = {**federation.environment, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings"}
    line = [sys.executable, "-c", f"LEAGUES = {leagues}{MADE}"]
    done = subprocess.run(line, cwd=ROOT, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [Club(*each) for each in json.loads(done.stdout)]


@contextmanager
def playing(evening: Evening, phones: int, readers: int, pauses: tuple[float, float]) -> Iterator[None]:
    """Have so many phones enter results and so many readers look, until the block is left.

    `pauses`: seconds of a phone between two results, and of a reader between two looks. Half of the readers look at the
    first ten clubs.
    """
    clubs, eyes = evening.clubs, min(16, readers)
    boards = [
        clubs[number % min(10, len(clubs)) if number % 2 else number % len(clubs)].board for number in range(readers)
    ]
    threads = [threading.Thread(target=evening.play, args=(clubs[each::phones], pauses[0])) for each in range(phones)]
    threads += [threading.Thread(target=evening.read, args=(boards[each::eyes], pauses[1])) for each in range(eyes)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        evening.is_over.set()
        for thread in threads:
            thread.join(90)


# --- What is there afterwards -----------------------------------------------------------------------------------------


def lost_and_doubled(evening: Evening) -> tuple[int, int]:
    """Return how many acknowledged results stand nowhere, and how many rows are there more than results were sent."""
    stored: dict[int, list[str]] = {}
    for database in ("default", "east", "west"):
        question = "SELECT league_id, client_key FROM league_hanchan"
        for number, key in evening.federation.ask(database, question):
            stored.setdefault(int(str(number)), []).append(str(key))
    lost = sum(len(club.accepted - set(stored.get(club.number, []))) for club in evening.clubs)
    known = {key for club in evening.clubs for key in club.sent}
    rows = [key for keys in stored.values() for key in keys]
    return lost, len(rows) - len(set(rows) & known)


def stale(evening: Evening, patience: float) -> list[str]:
    """Return the clubs whose board, as the edge shows it, does not have every acknowledged result in time."""
    waiting = list(evening.clubs)
    visitor = evening.federation.visitor()

    def are_all_new() -> bool:
        waiting[:] = [club for club in waiting if not _is_new(visitor.get(club.board).text, len(club.accepted))]
        return not waiting

    wait_until(are_all_new, patience)
    return [club.slug for club in waiting]


REFRESHED = "SELECT league_id, extract(epoch FROM max(computed_at)) FROM league_board GROUP BY 1"


def untold(evening: Evening, listeners: Listeners, played: set[int], patience: float) -> int:
    """Return how many of these leagues have an open page that heard nothing since its boards were brought up to date."""

    def all_untold() -> set[int]:
        refreshed: dict[int, float] = {}
        for database in ("default", "east", "west"):
            for number, moment in evening.federation.ask(database, REFRESHED):
                league = int(str(number))
                refreshed[league] = max(refreshed.get(league, 0), float(str(moment)))
        heard = listeners.last_heard()
        return {league for league in played & heard.keys() if heard[league] < refreshed[league]}

    wait_until(lambda: not all_untold(), patience)
    return len(all_untold())


def _is_new(said: str, hanchan: int) -> bool:
    try:
        board = json.loads(said)
    except ValueError:
        return False
    return board.get("hanchan") == hanchan and not board.get("stale")
