import csv
import io
import random
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from http.client import HTTPConnection
from itertools import chain
from pathlib import Path
from urllib.parse import urlencode

from django.db import connection
from django.utils import timezone

from bench.product import Loaded, Table, import_file, load, rebuild, rescore_all, scorer_of, wrong_lines
from bench.race import Row, count, of_pairs, readable, seconds_of, spent, statements
from bench.seasons import random_game, steady
from bench.servers import web
from league.models import Hanchan, League
from stats.services.ratings import replay_anew
from tests.league.factories import make_league, next_version

PHONES, POSTS = 16, 5
TOKEN = "b" * 32
"""CSRF token, sent both as cookie and in the form."""

UMA = [20, 10, -10, -20]


def entry(facts: Loaded, rounds: int) -> Iterator[Row]:
    hot = max(facts.crowd, key=lambda league: league.players.count())
    client = scorer_of(facts.crowd)
    cookie = f"sessionid={client.cookies['sessionid'].value}; csrftoken={TOKEN}"
    with web() as (port, pid):
        for where, leagues, goal in (("many leagues", facts.crowd[:100], 4.0), ("one hot league", [hot], 6.0)):
            tables = [Table(league, facts.day) for league in leagues]
            before, sent, refused = _stored(tables), 0, 0
            pairs = []
            for number in range(rounds + 1):
                took = []
                for address in ("", "/bench/create"):
                    posts = [_post(tables[n % len(tables)], n, address) for n in range(PHONES * POSTS)]
                    begun = _served(pid)
                    refused += _send(port, cookie, posts)
                    took.append(_served(pid) - begun)
                sent += PHONES * POSTS
                if number:
                    pairs.append((took[0], took[1]))
            yield of_pairs(f"P2 {PHONES * POSTS} results over HTTP, {where} / a plain view", pairs, goal=goal)
            lost = abs(sent + before - _stored(tables)) + refused
            yield count(f"P2 ... {where}: results lost, refused or doubled", lost, goal=0)
            Hanchan.objects.filter(key__startswith="f-").delete()
            for table in tables:
                table.refresh()
            wrong = sum(wrong_lines(table.league, facts.day) for table in tables)
            yield count(f"P2 ... {where}: lines of boards that differ from scratch", wrong, goal=0)


def _served(pid: int) -> float:
    """Return the CPU seconds used by the web processes and the database processes. SQLite runs inside the former."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
            children += [str(row[0]) for row in cursor.fetchall()]
    return sum(seconds_of(int(each)) for each in (str(pid), *children))


def _stored(tables: Sequence[Table]) -> int:
    sessions = [table.session for table in tables]
    return Hanchan.objects.filter(session__in=sessions).exclude(key__startswith="f-").count()


def _post(table: Table, number: int, address: str) -> tuple[str, str]:
    while (game := random_game(table.dice, table.rules)).busts:
        pass
    raws = game.raw if address else [raw // 100 for raw in game.raw]
    fields: dict[str, object] = {f"player_{seat}": player.pk for seat, player in enumerate(table.players)}
    fields |= {f"raw_{seat}": raw for seat, raw in enumerate(raws)}
    fields |= {"csrfmiddlewaretoken": TOKEN, "table": number % 4 + 1, "sticks_left": 0, "do": "another"}
    if address:
        session, number = table.session, number + 1_000 * table.dice.randrange(30)
        facts = {"session": session.pk, "version": session.ruleset_version_id, "round": number}
        return address, urlencode(fields | facts | {"league": table.league.pk})
    address = f"/l/{table.league.slug}/sessions/{table.session.pk}/enter/?table={number % 4 + 1}"
    return address, urlencode(fields | {"client_key": uuid.uuid4()})


def _send(port: int, cookie: str, posts: list[tuple[str, str]]) -> int:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json", "Cookie": cookie}

    def phone(number: int) -> int:
        line, refused = HTTPConnection("127.0.0.1", port, timeout=60), 0
        for address, body in posts[number::PHONES]:
            line.request("POST", address, body, headers)
            answer = line.getresponse()
            answer.read()
            refused += answer.status != 200
        return refused

    with ThreadPoolExecutor(PHONES) as pool:
        return sum(pool.map(phone, range(PHONES)))


def derived(facts: Loaded, rounds: int) -> Iterator[Row]:
    table = Table(facts.steady[min(facts.steady)], facts.day)
    table.enter()
    table.follow()
    pairs = []
    for _ in range(3 * rounds):
        stored = spent(table.enter)
        pairs.append((spent(table.follow), stored))
    yield of_pairs("P3 everything derived after a result / storing it", pairs, goal=5)


def long_work(facts: Loaded, hanchan: int) -> Iterator[Row]:
    league = long_league(hanchan)
    again = spent(partial(rescore_all, league, next_version(league, uma=UMA)))
    yield _each(f"P8 rescore {hanchan:,} hanchan", again, hanchan, 0.5)
    yield _each(f"P9 import {hanchan:,} hanchan", spent(partial(import_file, *to_import(hanchan))), hanchan, 1.5)
    age, oldest = max(facts.steady.items())
    yield _each(f"P9 ratings of {age:,} hanchan replayed", spent(partial(replay_anew, oldest)), age, 0.06)
    yield _each(f"P9 boards of {age:,} hanchan rebuilt", spent(partial(rebuild, [oldest])), age, 1.0)


def long_counts(hanchan: int) -> Iterator[Row]:
    league = long_league(hanchan)
    sent = len(statements(partial(rescore_all, league, next_version(league, uma=UMA))))
    yield count(f"P8 statements of rescoring {hanchan:,} hanchan", sent, goal=60)
    sent = len(statements(partial(import_file, *to_import(hanchan))))
    yield count(f"P9 statements of importing {hanchan:,} hanchan", sent, goal=150)


def _each(name: str, seconds: float, hanchan: int, goal: float) -> Row:
    return Row(f"{name}: ms of CPU each", readable(seconds), "", 1_000 * seconds / hanchan, goal)


def long_league(hanchan: int) -> League:
    season = steady(hanchan, timezone.localdate(), players=80, in_last_month=min(200, hanchan // 2), slug="long")
    return load([season])[0]


def to_import(hanchan: int) -> tuple[League, bytes]:
    league = make_league(f"import-{hanchan}")
    assert league.current_version is not None
    dice, rules, out = random.Random(9), league.current_version.read(), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("日付", "卓", "回戦", *(f"{name}{seat}" for seat in (1, 2, 3, 4) for name in ("選手", "素点"))))
    first = timezone.localdate() - timedelta(days=hanchan // 12 + 1)
    for number in range(hanchan):
        evening, game = divmod(number, 12)
        while (made := random_game(dice, rules)).busts:
            pass
        cells = zip((f"選手{name + 1}" for name in dice.sample(range(80), 4)), made.raw, strict=True)
        writer.writerow((first + timedelta(days=evening), 1, game + 1, *chain.from_iterable(cells)))
    return league, out.getvalue().encode()
