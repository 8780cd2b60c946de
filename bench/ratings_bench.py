"""P14: ratings replayed from the first hanchan, and after one more, database and all."""

from collections.abc import Iterator
from datetime import date
from functools import partial

from bench.boards_bench import FLAT, Table
from bench.product import follow_ratings, replay_everything
from bench.profiles import grown, shared_out
from bench.race import Row, Spent, growth, row_of
from bench.visiting import cpu, one_process
from bench.work_bench import all_of_it
from league.models import League

OF_EACH = 50e-6
"""Seconds of CPU that replaying a hanchan may take: 5 s for a hundred thousand."""


def rows(steady: dict[int, League], day: date) -> Iterator[Row]:
    """Yield what replaying costs: everything of the oldest league, then one hanchan more in leagues of several ages."""
    age = max(steady)
    again = partial(replay_everything, steady[age])
    took = all_of_it(again)
    name = f"P14 ratings of {age:,} hanchan replayed, database and all / 50 µs of CPU each"
    yield shared_out(row_of(name, [Spent(0, took.both)], [Spent(0, OF_EACH * age)], goal=1, by="cpu"), again)
    with one_process():
        yield from _one_more(steady, day)


def _one_more(steady: dict[int, League], day: date) -> Iterator[Row]:
    tables = {size: Table(league, day, seed=3) for size, league in steady.items()}
    for league in steady.values():
        replay_everything(league)

    def one_more(table: Table) -> None:
        table.enter()
        follow_ratings(table.league)

    works = {size: partial(one_more, table) for size, table in tables.items()}
    yield grown(growth("P14 growth in CPU: record and rate a hanchan", works, goal=FLAT, clock=cpu), works)
