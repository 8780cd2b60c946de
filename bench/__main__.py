"""`python -m bench`: cost of Tenbo compared with plain Django, bare loops and other programs, as ratios within one run."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain

import time_machine

from bench.race import Row, count, render
from bench.servers import database

PINS: dict[str, float] = {
    # Days of a month that has not ended are summed.
    "P5 queries of board of a range, 50 rows": 14,
    "P5 queries of board of a range, 200 rows": 15,
    "P5 queries of player, 50 rows": 21,
    "P5 queries of player, 200 rows": 21,
    "P5 queries of tournament": 14,
    "P5 queries of stage": 20,
    "P5 queries of projector": 18,
    # Session totals and rule counts are computed when requested.
    "P7 rows touched, growth in percent: sessions": 550,
    "P7 rows touched, growth in percent: session": 1_150,
    "P7 rows touched, growth in percent: rules": 720,
}
"""Counts of the smallest size that miss their goal, at their current value, which must not get worse.

Remove a line once its goal is met; the table points this out.
"""

MID_MONTH = (datetime.now(UTC) - timedelta(days=15)).replace(day=15, hour=12)
"""Counts are those of the latest 15th: at the ends of a month other days have hanchan."""

AREAS = ("core", "pages", "entry", "long")


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    sizes = ("smallest", "quick", "usual", "million")
    parser.add_argument("--size", choices=sizes, default="usual", help="size of the data; a million takes hours")
    parser.add_argument("--counts", action="store_true", help="counts only, no times")
    parser.add_argument("--only", nargs="+", choices=AREAS, default=AREAS, help="some areas")
    parser.add_argument("--engine", choices=("postgresql", "sqlite"), default="postgresql", help="which stack")
    options = parser.parse_args()
    begun, before = time.monotonic(), os.getloadavg()[0]
    rows: list[Row] = []
    try:
        with database(options.engine), time_machine.travel(MID_MONTH if options.counts else datetime.now(UTC)):
            for row in found(options.size, options.only, is_counted=options.counts):
                # Show progress, so that earlier results survive a later failure.
                print(".", row.name, file=sys.stderr, flush=True)
                rows.append(replace(row, pin=PINS.get(row.name)) if options.size == "smallest" else row)
    finally:
        print(render(rows))
        for row in rows:
            if row.fails and row.why:
                print("\n    ".join((row.name, *row.why)))
        load = ", ".join(f"{value:.1f}" for value in (before, *os.getloadavg()))
        print(f"CPU here and in the database, medians of rounds in turn. {time.monotonic() - begun:.0f} s.")
        print(f"Load of the machine before, and in the last 1, 5 and 15 minutes: {load}.")
    raise SystemExit(any(row.fails for row in rows))


def found(size: str, areas: Iterable[str], *, is_counted: bool) -> Iterator[Row]:
    """Yield the rows of these areas. Only counts affect the exit status; timings are informative."""
    from bench import core, pages, work  # noqa: PLC0415
    from bench.product import SIZES, loaded, rebuild, wrong_lines  # noqa: PLC0415

    _, games, rounds = SIZES[size]
    if not is_counted and "core" in areas:
        yield from core.rows(10 * games, rounds)
    facts = loaded(size, has_crowd=not is_counted)
    leagues = [*facts.crowd, *facts.steady.values(), *facts.wide.values(), facts.weekend]
    rebuild(leagues)
    wrong = sum(wrong_lines(league, facts.day) for league in leagues)
    yield count("loaded: lines of boards that differ from scratch", wrong, goal=0)
    if is_counted:
        areas = ("counts",)
    rows: dict[str, Callable[[], Iterator[Row]]] = {
        "counts": lambda: chain(pages.counts(facts), work.long_counts(games)),
        "pages": lambda: pages.rows(facts, rounds),
        "entry": lambda: chain(work.entry(facts, min(3, rounds)), work.derived(facts, rounds)),
        "long": lambda: work.long_work(facts, games),
    }
    for area, of_area in rows.items():
        if area in areas:
            yield from of_area()


if __name__ == "__main__":
    main()
