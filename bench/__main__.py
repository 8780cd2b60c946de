"""`python -m bench`: what Tenbo costs beside plain Django, bare loops and other programs, as ratios of one run."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from bench.pins import PINS
from bench.race import Row, count, render
from bench.servers import database

AREAS = ("core", "pages", "growth", "weight", "phone", "entry", "derived", "long", "start")


def main() -> None:
    """Bring up a database of its own, load it, run every race and print the table."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    sizes = ("smallest", "quick", "usual", "million")
    parser.add_argument("--size", choices=sizes, default="usual", help="how much is loaded; a million takes hours")
    parser.add_argument("--counts", action="store_true", help="only what is counted, never what is timed")
    parser.add_argument("--only", nargs="+", choices=AREAS, default=AREAS, help="some areas")
    parser.add_argument("--engine", choices=("postgresql", "sqlite"), default="postgresql", help="which stack")
    options = parser.parse_args()
    begun, before = time.monotonic(), os.getloadavg()[0]
    rows: list[Row] = []
    try:
        with database(options.engine):
            for row in counted(options.size) if options.counts else measured(options.size, options.only):
                # A long run shows how far it is; what it has found by then is not lost with what fails later.
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


def measured(size: str, areas: Iterable[str]) -> Iterator[Row]:
    """Yield the rows of these areas; counts decide the exit status, timings are for reading."""
    from bench import core, pages, phone, work  # noqa: PLC0415
    from bench.product import SIZES, loaded, rebuild  # noqa: PLC0415

    _, _, games, rounds = SIZES[size]
    if "start" in areas:
        yield from work.start()
    if "core" in areas:
        yield from core.rows(10 * games, rounds)
    if not set(areas) - {"start", "core"}:
        return
    facts = loaded(size, has_crowd="entry" in areas)
    rebuild([*facts.crowd, *facts.steady.values(), *facts.wide.values(), facts.weekend])
    yield from _checked(facts)
    found: dict[str, Callable[[], Iterator[Row]]] = {
        "pages": lambda: pages.rows(facts, rounds),
        "growth": lambda: pages.growing(facts, rounds),
        "weight": lambda: pages.weights(facts),
        "phone": lambda: phone.rows(facts, rounds),
        "entry": lambda: work.entry(facts, min(3, rounds)),
        "derived": lambda: work.derived(facts, rounds),
        "long": lambda: work.long_work(facts, games, rounds),
    }
    for area, rows in found.items():
        if area in areas:
            yield from rows()


def counted(size: str) -> Iterator[Row]:
    """Yield what is counted: queries, rows touched, bytes, requests."""
    from bench import core, pages, work  # noqa: PLC0415
    from bench.product import SIZES, loaded, rebuild  # noqa: PLC0415

    facts = loaded(size, has_crowd=False)
    rebuild([*facts.steady.values(), *facts.wide.values(), facts.weekend])
    yield from _checked(facts)
    yield from pages.counts(facts)
    yield from pages.weights(facts)
    yield from work.long_counts(SIZES[size][2])
    yield from core.seatings()


def _checked(facts: object) -> Iterator[Row]:
    from bench.product import Loaded, wrong_lines  # noqa: PLC0415

    assert isinstance(facts, Loaded)
    leagues = [*facts.crowd, *facts.steady.values(), *facts.wide.values(), facts.weekend]
    wrong = sum(wrong_lines(league, facts.day) for league in leagues)
    yield count("loaded: lines of boards that differ from scratch", wrong, goal=0)


if __name__ == "__main__":
    main()
