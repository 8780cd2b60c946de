"""P2, P3, P8 and P9: entering results, derived data, and long tasks."""

import csv
import io
import random
import uuid
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from itertools import chain

from django.db import connection
from django.test import Client
from django.utils import timezone

from bench.product import (
    Loaded,
    Table,
    import_file,
    league_with_rules,
    load,
    other_rules,
    rebuild,
    rescore_all,
    scorer_of,
    wrong_lines,
)
from bench.race import Row, count, of_pairs, race, readable, spent, statements
from bench.seasons import random_game, steady
from league.models import Hanchan, League, Seat
from stats.services.ratings import replay_anew

POSTS = 80
UMA = ("20", "10", "-10", "-20")


def entry(facts: Loaded, rounds: int) -> Iterator[Row]:
    """Yield the cost of storing results through the site, and the number of board lines that are wrong afterwards."""
    table = Table(facts.wide[50], facts.day)
    client = scorer_of([table.league])
    ours, plain = (partial(_send, client, table, address) for address in (_entry_page(table), "/bench/create"))
    yield race(f"P2 {POSTS} results / a plain view", ours, plain, goal=6, rounds=rounds)
    Hanchan.objects.filter(key__startswith="f-").delete()
    table.refresh()
    yield count("P2 ... lines of boards that differ from scratch", wrong_lines(table.league, facts.day), goal=0)


def _entry_page(table: Table) -> str:
    return f"/l/{table.league.slug}/sessions/{table.session.pk}/enter/?table=1"


def _send(client: Client, table: Table, address: str) -> None:
    """Enter results one after the other. Raise RuntimeError if one is refused."""
    for _ in range(POSTS):
        while (game := random_game(table.dice, table.rules)).busts:
            pass
        fields: dict[str, object] = {f"player_{seat}": player.pk for seat, player in enumerate(table.players)}
        fields |= {f"raw_{seat}": raw // 100 for seat, raw in enumerate(game.raw)}
        fields |= {"client_key": uuid.uuid4(), "table": 1, "sticks_left": 0, "do": "another"}
        # What the plain view needs besides.
        session, version = table.session.pk, table.session.ruleset_version_id
        fields |= {"session": session, "version": version, "round": table.dice.randrange(30_000)}
        answer = client.post(address, fields | {"league": table.league.pk}, headers={"Accept": "application/json"})
        if answer.status_code != 200:
            message = f"{address} answered {answer.status_code}"
            raise RuntimeError(message)


def derived(facts: Loaded, rounds: int) -> Iterator[Row]:
    """Yield the cost of updating derived data after a result."""
    table = Table(facts.steady[min(facts.steady)], facts.day)
    table.enter()
    table.follow()
    pairs = []
    for _ in range(3 * rounds):
        stored = spent(table.enter)
        pairs.append((spent(table.follow), stored))
    yield of_pairs("P3 everything derived after a result / storing it", pairs, goal=5)


def long_work(facts: Loaded, hanchan: int, rounds: int) -> Iterator[Row]:
    """Yield the cost per hanchan of long tasks: rescoring, import, ratings, rebuilding boards."""
    league = long_league(hanchan)
    again = spent(partial(rescore_all, league, other_rules(league, *UMA)))
    yield _each(f"P8 rescore {hanchan:,} hanchan", again, hanchan, 0.5)
    yield _each(f"P9 import {hanchan:,} hanchan", spent(partial(import_file, *to_import(hanchan))), hanchan, 1.5)
    age, oldest = max(facts.steady.items())
    yield _each(f"P9 ratings of {age:,} hanchan replayed", spent(partial(replay_anew, oldest)), age, 0.06)
    name = f"P9 rebuild the boards of {age:,} hanchan / the bare sums"
    yield race(name, partial(rebuild, [oldest]), partial(_sums, oldest), goal=4, rounds=min(3, rounds))


def long_counts(hanchan: int) -> Iterator[Row]:
    league = long_league(hanchan)
    sent = len(statements(partial(rescore_all, league, other_rules(league, *UMA))))
    yield count(f"P8 statements of rescoring {hanchan:,} hanchan", sent, goal=60)
    sent = len(statements(partial(import_file, *to_import(hanchan))))
    yield count(f"P9 statements of importing {hanchan:,} hanchan", sent, goal=150)


def _each(name: str, seconds: float, hanchan: int, goal: float) -> Row:
    return Row(f"{name}: ms of CPU each", readable(seconds), "", 1_000 * seconds / hanchan, goal)


def long_league(hanchan: int) -> League:
    season = steady(hanchan, timezone.localdate(), players=80, in_last_month=min(200, hanchan // 2), slug="long")
    return load([season])[0]


def to_import(hanchan: int) -> tuple[League, bytes]:
    """Return an empty league and a CSV file with this many hanchan."""
    league, version = league_with_rules(f"import-{hanchan}")
    dice, rules, out = random.Random(9), version.read(), io.StringIO()
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


BARE_SUMS = (
    f"SELECT player_id, {{group}}, COUNT(*), SUM(points), SUM(settlement), SUM(total_only), SUM(placement), "  # noqa: S608
    f'RANK() OVER (PARTITION BY {{group}} ORDER BY SUM(points) DESC) FROM "{Seat._meta.db_table}" '
    "WHERE league_id = %s AND counted GROUP BY player_id, {group}"
)


def _sums(league: League) -> None:
    """Sum and rank the seats of every month, every year and all time, one statement each, without storing anything."""
    with connection.cursor() as cursor:
        for group in ("substr(CAST(day AS TEXT), 1, 7)", "substr(CAST(day AS TEXT), 1, 4)", "league_id"):
            cursor.execute(BARE_SUMS.format(group=group), [league.pk])
            cursor.fetchall()
