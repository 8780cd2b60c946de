"""`python -m bench`: every ratio in one table. `--quick` for a small run, `--json FILE` to keep the numbers."""

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path

from bench.race import Row, render


def main() -> None:
    """Bring up a database of its own, run every race and print the table."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer games and rounds")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    rows = list(measured(quick=options.quick))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(render(rows))
    print(f"Ratios are medians of rounds in which both sides ran in turn. Load of the machine: {load}.")
    if options.json:
        options.json.write_text(json.dumps({"load": load, "rows": [row.as_json() for row in rows]}, indent=2), "utf-8")
    raise SystemExit(any(not row.ok and not row.is_timing for row in rows))


def measured(*, quick: bool) -> Iterator[Row]:
    """Yield the rows; counts decide the exit status, timings are for reading."""
    from bench import scoring_bench, tournaments_bench  # noqa: PLC0415

    yield from scoring_bench.rows(games=20_000 if quick else 100_000, rounds=3 if quick else 7)
    yield from tournaments_bench.rows(rounds=3 if quick else 7)
    with database():
        from bench import boards_bench  # noqa: PLC0415

        yield from boards_bench.rows(rounds=3 if quick else 9)


class database:  # noqa: N801 - reads as a statement
    """A PostgreSQL of its own with Tenbo's tables, gone afterwards; settings are read only once it stands."""

    def __enter__(self) -> None:
        from tests import services  # noqa: PLC0415

        os.environ.setdefault("LOG_LEVEL", "WARNING")
        services.start()
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django  # noqa: PLC0415
        from django.core.management import call_command  # noqa: PLC0415
        from django.test.utils import setup_test_environment  # noqa: PLC0415

        django.setup()
        setup_test_environment(debug=False)
        call_command("migrate", verbosity=0)

    def __exit__(self, *_: object) -> None:
        from django.db import connections  # noqa: PLC0415

        connections.close_all()


if __name__ == "__main__":
    main()
