"""P9 and P13: rescoring and importing against the core alone, and the work that others were timed on."""

import csv
import io
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from django.db import connection
from django.utils import timezone

from bench.loading import load
from bench.product import bring_up_to_date, forget_all_time, import_file, league_with_rules, other_version, rescore_all
from bench.race import Row, Spent, count, readable, row_of, spent
from bench.seasons import BOUNDARY, random_game, steady
from league.models import League, Seat
from scoring.core import FinishedGame, ScoringRules, score

PEER_SUMMARY, PEER_RECALCULATION = 3.5, 17.8
"""CPU seconds of a score tool: the summary of 100,000 games, 10,000 games scored again after a change of rules."""

TICKS = 100


def rows(ages: dict[int, League], long: int) -> Iterator[Row]:
    """Yield what long work costs a hanchan, and what others need for the same."""
    season = steady(long, timezone.localdate(), players=80, in_last_month=min(200, long // 2))
    [league] = load([replace(season, slug=f"long-{long}")])
    rescored = _all_of_it(lambda: rescore_all(league, other_version(league)))
    alone = _core_alone(league)
    name = f"P9 rescore {long:,} hanchan / the core alone"
    yield row_of(f"{name}, Python", [Spent(0, rescored.python)], [alone], goal=8, by="cpu")
    yield row_of(f"{name}, with the database", [Spent(0, rescored.both)], [alone], goal=20, by="cpu")
    empty, _ = league_with_rules(f"import-{long}", time_zone="Asia/Tokyo", day_boundary=BOUNDARY)
    data = a_file(long, league.current_version.read()) if league.current_version else b""
    imported = _all_of_it(lambda: import_file(empty, data))
    each = 1e6 * imported.both / long
    yield count(f"P9 import {long:,} hanchan: microseconds of CPU each, in all", round(each), goal=None)
    yield row_of("P9 ... against 1 ms a hanchan", [Spent(0, imported.both)], [Spent(0, long / 1000)], goal=1, by="cpu")
    yield from _peers(ages, rescored.both * 10_000 / long)


class _Work:
    """CPU seconds of this process, and of the database that worked for it."""

    def __init__(self, python: float, database: float) -> None:
        self.python, self.both = python, python + database


def _all_of_it(work: object) -> _Work:
    before = _database_cpu()
    took = spent(work)  # type: ignore[arg-type]
    return _Work(took.cpu, _database_cpu() - before)


def _database_cpu() -> float:
    """Return the CPU seconds of the server process that this connection has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        process = cursor.fetchone()[0]
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _core_alone(league: League) -> Spent:
    assert league.current_version is not None
    rules = league.current_version.read()
    raws = Seat.objects.filter(league=league).order_by("hanchan", "seat").values_list("raw_score", flat=True)
    scores = list(raws)
    games = [FinishedGame(tuple(scores[number : number + 4])) for number in range(0, len(scores), 4)]
    plain = [game for game in games if min(game.raw) > 0]
    each = min((spent(lambda: [score(game, rules) for game in plain]) for _ in range(5)), key=lambda took: took.cpu)
    return Spent(each.wall / len(plain) * len(games), each.cpu / len(plain) * len(games))


def a_file(hanchan: int, rules: ScoringRules) -> bytes:
    """Return a file of results as a league would bring it along: a line for each hanchan."""
    dice, out = random.Random(9), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("日付", "卓", "回戦", *(f"{name}{seat}" for seat in (1, 2, 3, 4) for name in ("選手", "素点"))))
    first = timezone.localdate() - timedelta(days=hanchan // 12 + 1)
    for number in range(hanchan):
        evening, game = divmod(number, 12)
        while (made := random_game(dice, rules)).busts:
            pass
        names = dice.sample(range(80), 4)
        cells = (cell for name, raw in zip(names, made.raw, strict=True) for cell in (f"選手{name + 1}", raw))
        writer.writerow((first + timedelta(days=evening), 1, game + 1, *cells))
    return out.getvalue().encode()


def _peers(ages: dict[int, League], recalculation: float) -> Iterator[Row]:
    age = max(ages)
    forget_all_time(ages[age])
    summary = _all_of_it(lambda: bring_up_to_date(ages[age])).both * 100_000 / age
    goal = 1 / 20
    yield _against("P13 all-time summary of 100,000 games of 80 players / a score tool", summary, PEER_SUMMARY, goal)
    yield _against("P13 10,000 games after a rule change / a score tool", recalculation, PEER_RECALCULATION, goal)


def _against(name: str, ours: float, peer: float, goal: float) -> Row:
    return Row(name, readable(ours), readable(peer), ours / peer, goal, seconds=ours, cpu=ours)
