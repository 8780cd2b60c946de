"""`python -m bench`: what Tenbo does against the least that could do it, as ratios of one run. CONTRIBUTING.md tells more."""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.pins import pinned
from bench.race import Row, render
from bench.servers import database
from bench.sizes import SIZES, Size

AREAS = ("core", "pages", "growth", "weight", "browser", "entry", "boards", "work", "stats")
NOTES = ("Another score tool rates 10,000 games in 27 s of CPU; P14 has ours.",)
"""What the table has no row for."""


def main() -> None:
    """Bring up a database of its own, load it, run every race and print the table."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="usual", help="how much is loaded; a million takes an hour")
    parser.add_argument("--quick", action="store_true", help="the same as --size quick")
    parser.add_argument("--counts", action="store_true", help="only what is counted, never what is timed")
    parser.add_argument("--only", nargs="+", choices=AREAS, default=AREAS, help="some areas")
    parser.add_argument("--json", type=Path, help="also write the rows to this file, for `python -m bench.compare`")
    options = parser.parse_args()
    name = "quick" if options.quick else options.size
    size = SIZES[name]
    begun = time.monotonic()
    before = os.getloadavg()
    rows: list[Row] = []
    try:
        for row in counted(size) if options.counts else measured(size, options.only):
            # A long run shows how far it is; what it has found by then is not lost with what fails later.
            print(".", row.name, file=sys.stderr, flush=True)
            rows.append(row)
    finally:
        load = ", ".join(f"{value:.1f}" for value in (before[0], *os.getloadavg()))
        print(render(rows))
        for row in rows:
            if not row.ok:
                print("\n    ".join((row.name, *row.why)))
        for note in NOTES:
            print(note)
        print(f"Ratios are medians of rounds in which both sides ran in turn. {time.monotonic() - begun:.0f} s.")
        print(f"Load of the machine before, and in the last 1, 5 and 15 minutes: {load}.")
    if options.json:
        kept = {"load": load, "size": name, "rows": [row.as_json() for row in rows]}
        options.json.write_text(json.dumps(kept, indent=1), "utf-8")
    raise SystemExit(any(row.fails for row in rows))


def measured(size: Size, areas: Iterable[str]) -> Iterator[Row]:
    """Yield the rows; counts decide the exit status, timings are for reading."""
    from bench import scoring_bench, tournaments_bench  # noqa: PLC0415

    if "core" in areas:
        yield from scoring_bench.rows(games=size.games, rounds=size.rounds)
        yield from tournaments_bench.rows(rounds=size.rounds)
    if set(areas) - {"core"}:
        with database():
            from bench.stored import measured_with_database  # noqa: PLC0415

            yield from measured_with_database(size, areas)


def counted(size: Size) -> Iterator[Row]:
    """Yield what is counted: queries, rows touched, bytes, requests."""
    with database():
        from bench.stored import counted_with_database  # noqa: PLC0415

        yield from pinned(counted_with_database(size))


if __name__ == "__main__":
    main()
