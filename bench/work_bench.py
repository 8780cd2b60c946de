"""P9 and P13: rescoring and importing against the core alone, and the work that others were timed on."""

import csv
import io
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial

from django.utils import timezone

from bench.audit import wrong_lines
from bench.loading import load
from bench.product import (
    bring_up_to_date,
    forget_boards,
    forget_month,
    import_file,
    league_with_rules,
    other_version,
    rebuild,
    rescore_all,
)
from bench.profiles import shared_out
from bench.race import Row, Spent, Work, count, explained, readable, row_of, spent
from bench.seasons import BOUNDARY, random_game, steady
from bench.visiting import cpu, one_process, queries
from league.core.periods import month_of
from league.models import League, Seat
from scoring.core import FinishedGame, ScoringRules, score

STATEMENTS = {"rescoring": 60, "import": 150}
"""So many may be sent for the first thousand hanchan."""


def rows(ages: dict[int, League], long: int) -> Iterator[Row]:
    """Yield what long work costs a hanchan, and what others need for the same."""
    league = _long_league(long)
    rescored = all_of_it(lambda: rescore_all(league, other_version(league)))
    alone = _core_alone(league)
    name = f"P9 rescore {long:,} hanchan / the core alone"
    row = row_of(f"{name}, Python", [Spent(0, rescored.python)], [alone], goal=8, by="cpu")
    others = (other_version(league, uma=(uma, "5", "-5", f"-{uma}")) for uma in ("15", "25"))
    anew = (partial(rescore_all, league, other) for other in others)
    yield explained(row, next(anew), by="cpu")
    both = row_of(f"{name}, with the database", [Spent(0, rescored.both)], [alone], goal=20, by="cpu")
    yield (both := shared_out(both, next(anew)))
    imported = all_of_it(partial(import_file, *_to_import(long)))
    least = Spent(0, long / 1000)
    name = f"P9 import {long:,} hanchan, database and all / 1 ms of CPU each"
    row = row_of(name, [Spent(0, imported.both)], [least], goal=1, by="cpu")
    yield shared_out(row, partial(import_file, *_to_import(long, "again")))
    yield from _peers(ages, rescored.both * 10_000 / long, both.why)


def counts(long: int) -> Iterator[Row]:
    """Yield how many statements long work sends."""
    league = _long_league(long)
    version = other_version(league)
    sent = queries(lambda: rescore_all(league, version))
    yield count(f"P9 statements of rescoring {long:,} hanchan", sent, goal=STATEMENTS["rescoring"])
    work = partial(import_file, *_to_import(long))
    yield count(f"P9 statements of importing {long:,} hanchan", queries(work), goal=STATEMENTS["import"])


def _long_league(long: int) -> League:
    season = steady(long, timezone.localdate(), players=80, in_last_month=min(200, long // 2))
    [league] = load([replace(season, slug=f"long-{long}")])
    return league


def _to_import(long: int, name: str = "import") -> tuple[League, bytes]:
    """Return a league without hanchan, and a file of so many."""
    league, version = league_with_rules(f"{name}-{long}", time_zone="Asia/Tokyo", day_boundary=BOUNDARY)
    return league, a_file(long, version.read())


class _Work:
    """CPU seconds of this process, and of the database that worked for it."""

    def __init__(self, python: float, database: float) -> None:
        self.python, self.both = python, python + database


def all_of_it(work: Work) -> _Work:
    """Return what work costs this process and the database."""
    with one_process():
        before = cpu()
        took = spent(work)
        return _Work(took.cpu, cpu() - before - took.cpu)


def _core_alone(league: League) -> Spent:
    assert league.current_version is not None
    rules = league.current_version.read()
    raws = Seat.objects.filter(league=league).order_by("hanchan", "seat").values_list("raw_score", flat=True)
    scores = [raw or 0 for raw in raws]
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


def _peers(ages: dict[int, League], recalculation: float, why: tuple[str, ...]) -> Iterator[Row]:
    """Yield the work that others were timed on: CPU seconds, database and all, of ours and of theirs.

    `why` is what scoring again was seen to be shared out among.
    """
    age = max(ages)
    summary = _from_nothing(ages[age]) * 100_000 / age
    name = f"P13 summary of 100,000 games of 80 players, {age:,} summed / a score tool"
    yield shared_out(_against(name, summary, 3.5, aim=True), partial(_rebuilt_from_nothing, ages[age]))
    again = _against("P13 10,000 games scored again under other rules / a score tool", recalculation, 17.8, aim=True)
    yield again if again.ok else replace(again, why=why)
    month = all_of_it(partial(_one_month, ages[age])).both
    yield _against("P13 one month anew / a score tool", month, 0.2, aim=False)
    age = min(ages, key=lambda hanchan: abs(hanchan - 10_000))
    ranked = _from_nothing(ages[age]) * 10_000 / age
    yield _against(f"P13 10,000 hanchan ranked, {age:,} summed / mahjong-portal", ranked, 5.5, aim=False)
    wrong = sum(wrong_lines(league, timezone.localdate()) for league in ages.values())
    yield count("P13 ... lines of boards that differ from scratch", wrong, goal=0)


def _from_nothing(league: League) -> float:
    """Return what all boards of a league cost, every month summed from its seats."""
    forget_boards(league)
    return all_of_it(partial(rebuild, league)).both


def _rebuilt_from_nothing(league: League) -> None:
    forget_boards(league)
    rebuild(league)


def _one_month(league: League) -> None:
    forget_month(league, month_of(timezone.localdate()))
    bring_up_to_date(league)


def _against(name: str, ours: float, peer: float, *, aim: bool) -> Row:
    goal = 1 / 20 if aim else None
    return Row(name, readable(ours), readable(peer), ours / peer, goal, seconds=ours, cpu=ours)
