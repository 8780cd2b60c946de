"""P2 and P3: results through gunicorn under sixteen phones, against a post that only inserts the facts."""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict
from urllib.parse import urlencode

from django.utils import timezone

from bench.audit import wrong_lines
from bench.boards_bench import Table
from bench.product import bring_up_to_date, logged_in, open_today, scorer_of
from bench.profiles import database_server, family, shares
from bench.race import Row, Spent, count, readable, row_of
from bench.seasons import random_game
from bench.servers import ROOT, web
from league.models import Hanchan, League, Player, Session

PHONES = 16
TOKEN = "b" * 32
"""The secret against forged posts; in the cookie and in the form alike."""


class Sent(TypedDict):
    """What came of results that were sent: seconds in all and of each, and what was refused."""

    wall: float
    seconds: list[float]
    refused: list[str]


@dataclass(frozen=True)
class Place:
    """A table where results are entered, and who plays there."""

    league: League
    session: Session
    table: int
    players: tuple[int, ...]


def rows(leagues: Sequence[League], *, each: int, rounds: int) -> Iterator[Row]:
    """Yield what a hundred leagues and one hot league cost; `each`: how many results a phone sends in a round."""
    hundred, hot = leagues[:100], max(leagues, key=lambda league: league.players.count())
    cookie = f"sessionid={logged_in(scorer_of({*hundred, hot}))}; csrftoken={TOKEN}"
    with web() as (port, server):
        race = _Race(port, cookie, each, rounds, server)
        yield from race.rows("P2", f"{len(hundred)} leagues", _places(hundred, 1), goal=3)
        yield from race.rows("P3", "one hot league", _places([hot], PHONES), goal=5)


def _places(leagues: Sequence[League], tables: int) -> list[Place]:
    places = []
    for league in leagues:
        session = open_today(league, league.day_of(timezone.now()), tables)
        players = list(Player.objects.filter(league=league).order_by("pk").values_list("pk", flat=True))
        for table in range(1, tables + 1):
            some = players[4 * table - 4 : 4 * table] if len(players) >= 4 * table else players[:4]
            places.append(Place(league, session, table, tuple(some)))
    return places


class _Race:
    def __init__(self, port: int, cookie: str, each: int, rounds: int, server: int) -> None:
        self.port, self.cookie, self.each, self.rounds = port, cookie, each, rounds
        self.works = {"web": server, "database": database_server()}
        self.dice = random.Random(4)

    def rows(self, number: str, where: str, places: list[Place], *, goal: float) -> Iterator[Row]:
        before = _stored(places)
        ours: list[Spent] = []
        floor: list[Spent] = []
        seconds: list[float] = []
        refused: list[str] = []
        worked: Counter[str] = Counter()
        for round_ in range(self.rounds + 1):
            bare = self._send(places, is_bare=True)
            before_it = self._worked()
            full = self._send(places, is_bare=False)
            refused += full["refused"] + bare["refused"]
            if round_:
                ours.append(Spent(full["wall"], 0))
                floor.append(Spent(bare["wall"], 0))
                seconds += full["seconds"]
                worked.update({who: now - before_it[who] for who, now in self._worked().items()})
        sent = PHONES * self.each * (self.rounds + 1)
        name = f"{number} enter a hanchan over HTTP, {PHONES} clients, {where}"
        row = row_of(f"{name} ({PHONES * self.each} at a time)", ours, floor, goal=goal)
        yield row if row.ok else replace(row, why=self._why(worked, sum(each.wall for each in ours), places[0]))
        half, late = statistics.median(seconds), statistics.quantiles(seconds, n=100)[98]
        yield row_of(f"{number} ... the slowest in a hundred / the median", [Spent(late, 0)], [Spent(half, 0)], goal=10)
        lost = abs(sent - (_stored(places) - before)) + len(refused)
        yield count(f"{number} ... results lost, refused or stored twice", lost, goal=0, ours=_told(lost, refused))
        # The bare posts have stored seats without points; they go before the boards are compared.
        Hanchan.objects.filter(key__startswith="f-").delete()
        leagues = {place.league for place in places}
        for league in leagues:
            bring_up_to_date(league)
        wrong = sum(wrong_lines(league, league.day_of(timezone.now())) for league in leagues)
        yield count(f"{number} ... lines of boards that differ from scratch", wrong, goal=0)

    def _worked(self) -> dict[str, float]:
        """Return the seconds of CPU that each side has taken so far; those of the phones are this process's children."""
        phones = resource.getrusage(resource.RUSAGE_CHILDREN)
        sides = {who: family(process) for who, process in self.works.items()}
        return sides | {"the phones": phones.ru_utime + phones.ru_stime}

    def _why(self, worked: Counter[str], wall: float, place: Place) -> tuple[str, ...]:
        results, whole = PHONES * self.each * self.rounds, sum(worked.values())
        told = ", ".join(f"{part / whole:.0%} {who} ({readable(part / results)})" for who, part in worked.items())
        table = Table(place.league, place.league.day_of(timezone.now()))
        table.enter()
        return (
            f"{told} of the CPU of a result; {whole / wall:.1f} of {os.cpu_count()} processors were taken",
            *(f"the service alone, without HTTP: {line}" for line in shares(table.enter)),
        )

    def _send(self, places: list[Place], *, is_bare: bool) -> Sent:
        phones: list[list[tuple[str, str]]] = [[] for _ in range(PHONES)]
        for number in range(PHONES * self.each):
            place = places[number % len(places)]
            phones[number % PHONES].append(_post(place, self.dice, is_bare=is_bare))
        done = subprocess.run(
            [sys.executable, "-m", "bench.clients", str(self.port)],
            input=json.dumps({"cookie": self.cookie, "phones": phones}),
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        answer: Sent = json.loads(done.stdout)
        return answer


def _post(place: Place, dice: random.Random, *, is_bare: bool) -> tuple[str, str]:
    version = place.session.ruleset_version
    while (game := random_game(dice, version.read())).busts:
        pass
    fields = {f"player_{seat}": player for seat, player in enumerate(place.players)}
    fields |= {f"raw_{seat}": score if is_bare else score // 100 for seat, score in enumerate(game.raw)}
    common = {"csrfmiddlewaretoken": TOKEN, "table": place.table, "sticks_left": 0, "do": "another"}
    if is_bare:
        common |= {"league": place.league.pk, "session": place.session.pk, "version": version.pk}
        return "/bench/facts", urlencode(fields | common)
    address = f"/l/{place.league.slug}/sessions/{place.session.pk}/enter/?table={place.table}"
    return address, urlencode(fields | common | {"client_key": uuid.uuid4()})


def _stored(places: list[Place]) -> int:
    sessions = {place.session.pk for place in places}
    return Hanchan.objects.filter(session__in=sessions).exclude(key__startswith="f-").count()


def _told(lost: int, refused: list[str]) -> str:
    return f"{lost} ({refused[0][:60]})" if refused else str(lost)
